import { faultyStorages } from './faulty-storages.js'

const { FAULTY_STORAGE = '' } = process.env
const [contract] = faultyStorages[FAULTY_STORAGE] ?? []
if (contract === undefined) throw new Error(`there is no faulty storage "${FAULTY_STORAGE}"`)

contract()
