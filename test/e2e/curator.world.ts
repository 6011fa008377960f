/** The demo catalog behind the tool server, and somebody who asks product_curator. */
import type { Curated } from '../../src/curator/curator.schema.ts'
import { type ToolPerson, withTools } from '../tools.world.ts'
import { createDemoApp } from './search.world.ts'

export type CuratorWorld = Awaited<ReturnType<typeof createCuratorWorld>>

export async function createCuratorWorld() {
  const souk = withTools(await createDemoApp())
  const ada = await souk.person()
  return {
    ...souk,
    ada,
    curate: async (args: Record<string, unknown>, person = ada) => {
      const { data, ...result } = await souk.call(person, 'product_curator', args)
      return { ...result, data: data as unknown as Curated }
    },
    /** How many bundles were served to a person, on the only day there is. */
    served: async ({ userId }: ToolPerson): Promise<number> => {
      const row = await souk.database.db
        .selectFrom('bundle_days')
        .select('served')
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return row?.served ?? 0
    },
  }
}
