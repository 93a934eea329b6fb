import { outageContract } from '../../contracts/storage/outage-contract.js'
import { failingDisk } from '../storage/failing-disk.js'
import { faultyStorages } from './faulty-storages.js'

const { FAULTY_STORAGE = '' } = process.env
const [faultOf] = faultyStorages[FAULTY_STORAGE] ?? []
if (faultOf === undefined) throw new Error(`there is no faulty storage "${FAULTY_STORAGE}"`)

outageContract('a storage that', {
  ...failingDisk,
  faults: ['writes fail after they were applied'],
  create: async fault => {
    const data = await failingDisk.create(fault)
    const wrap = faultOf()
    return {
      ...data,
      open: async users => {
        const storage = await data.open(users)
        return { ...storage, snippets: wrap(storage.snippets) }
      },
    }
  },
})
