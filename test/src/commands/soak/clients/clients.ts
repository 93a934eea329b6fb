import { attack } from './attack.js'
import { block } from './block.js'
import { crowd } from './crowd.js'
import { fill } from './fill.js'
import { honest } from './honest.js'
import { hungry } from './hungry.js'
import { load } from './load.js'
import { mixed } from './mixed.js'
import { offer } from './offer.js'
import { upload } from './upload.js'

/** What a child process can do. Each client ends by itself after the `ms` of its input. */
export const clients = { attack, block, crowd, fill, honest, hungry, load, mixed, offer, upload }

export type Clients = typeof clients
export type ClientName = keyof Clients
