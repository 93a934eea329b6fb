import { attack } from './attack.js'
import { crowd } from './crowd.js'
import { fill } from './fill.js'
import { honest } from './honest.js'
import { hungry } from './hungry.js'
import { load } from './load.js'
import { mixed } from './mixed.js'
import { offer } from './offer.js'
import { probe } from './probe.js'
import { upload } from './upload.js'
import { worst } from './worst.js'

/** What a child process can do. Each client ends by itself after the `ms` of its input. */
export const clients = { attack, crowd, fill, honest, hungry, load, mixed, offer, probe, upload, worst }

export type Clients = typeof clients
export type ClientName = keyof Clients
