import { killContract } from '../../contracts/storage/kill-contract.js'
import { describeMongo, freshDatabase, openPrepared } from '../../support/mongo/database.js'

describeMongo('MongoDB', engine => {
  killContract('MongoDB', {
    processes: 3,
    create: async () => {
      const { url, drop } = freshDatabase(engine)
      return {
        environment: { STORAGE: 'mongo', MONGODB_URL: url },
        open: () => openPrepared(url),
        remove: drop,
      }
    },
  })
})
