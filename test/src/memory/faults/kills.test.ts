import { killContract } from '../../contracts/storage/kill-contract.js'
import { directoryKills } from '../../support/storage/data-directory.js'

killContract('a data directory', directoryKills())
