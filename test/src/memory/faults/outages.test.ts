import { outageContract } from '../../contracts/storage/outage-contract.js'
import { failingDisk } from '../../support/storage/failing-disk.js'

outageContract('memory with a directory', failingDisk)
