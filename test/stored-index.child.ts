/** Writes an index to its files over and over, changed a little each time, until it is killed. */
import { openDatabase } from '../src/db/database.ts'
import { createLog } from '../src/lib/log.ts'
import { createIndexKeeper } from '../src/search/index-keeper.ts'

const { url, folder, model } = JSON.parse(process.argv[2] ?? '') as {
  url: string
  folder: string
  model: { id: string; dims: number }
}
const { db } = openDatabase({ connectionString: url }, createLog('silent'))
const ctx = { db, log: createLog('silent') }
const keeper = createIndexKeeper(ctx, model, undefined, undefined, null, { folder, catchUp: async () => {} })
await keeper.fill()
process.stdout.write('filled\n')
for (;;) {
  const index = keeper.current()
  const id = index?.idAt(Math.floor(Math.random() * index.slots))
  if (id) await keeper.apply([{ seq: 0, xid: '0', productId: id, categoryId: null, aspect: 'text' }])
  await keeper.write()
  process.stdout.write('written\n')
}
