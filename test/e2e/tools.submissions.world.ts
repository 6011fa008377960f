/** A catalog that proposals may repeat, and a shop that proposes. */
import { addProduct } from '../products.ts'
import { createToolsWorld, type ToolPerson } from '../tools.world.ts'

export type SubmissionsWorld = Awaited<ReturnType<typeof createSubmissionsWorld>>

const NEW = { category: 'kettles', title: 'Swift Kettle', brand: 'Swift' }

export async function createSubmissionsWorld() {
  const world = await createToolsWorld()
  await addProduct(world, {
    slug: 'old-kettle',
    category: 'kettles',
    title: 'Spout Kettle One',
    brand: 'Spout',
    model: 'K-1',
    gtin: '4006381333931',
    mpn: 'SP-1',
  })
  await addProduct(world, { slug: 'plain', category: 'kettles', title: 'Plain Kettle' })
  await addProduct(world, { slug: 'dome', category: 'tents', title: 'Dome Tent' })
  await world.searchRuntime.fill()
  const shop = await world.person({ producer: { name: 'Kettle Shop' } })

  const submit = (args: Record<string, unknown>, by: ToolPerson = shop) =>
    world.call(by, 'submit_product', { ...NEW, ...args })

  /** The id of a proposal that waits; throws when it is refused. */
  async function propose(args: Record<string, unknown>, by: ToolPerson = shop): Promise<string> {
    const { data, isError, text } = await submit(args, by)
    if (isError) throw new Error(text)
    return String(data.submission_id)
  }

  const stored = (id: unknown) =>
    world.database.db
      .selectFrom('product_submissions')
      .selectAll()
      .where('id', '=', String(id))
      .executeTakeFirstOrThrow()

  /** What the organization's history says, oldest first. */
  async function actions(person: ToolPerson): Promise<string[]> {
    const rows = await world.database.db
      .selectFrom('audit_log')
      .select('action')
      .where('org_id', '=', person.org?.id ?? '')
      .orderBy('id')
      .execute()
    return rows.map(({ action }) => action)
  }

  return { ...world, shop, submit, propose, stored, actions }
}
