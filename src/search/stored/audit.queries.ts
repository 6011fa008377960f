/** Whether an index that was read from files is what the catalog is, product by product, without reading what they say. */
import { sql } from 'kysely'
import type { ChangeEvent } from '../../catalog/changes.follower.ts'
import type { Db } from '../../db/database.ts'
import { restAfter } from '../../lib/breathe.ts'
import type { CatalogIndex } from '../catalog-index.ts'

const PAGE = 2_000

type Row = { id: string; updatedAt: Date; embedded: boolean }

/** Products that are missing, too many, of another time, or embedded in one and not in the other, as changes to apply. */
export async function findUnlike(
  db: Db,
  model: string,
  index: CatalogIndex,
  isOver: () => boolean,
): Promise<ChangeEvent[]> {
  const { slots, columns } = index
  const seen = new Uint8Array(slots)
  const unlike: string[] = []
  let after: string | null = null
  while (!isOver()) {
    const { rows }: { rows: Row[] } = await sql<Row>`
      select p.id, p.updated_at as "updatedAt", v.product_id is not null as embedded
      from shown_products p left join product_vectors v on v.product_id = p.id and v.model = ${model}
      where (${after}::uuid is null or p.id > ${after}::uuid) order by p.id limit ${PAGE}`.execute(db)
    const began = performance.now()
    for (const { id, updatedAt, embedded } of rows) {
      const slot = index.slotOf(id)
      if (slot !== undefined) seen[slot] = 1
      const isLike =
        slot !== undefined &&
        columns.updated[slot] === updatedAt.getTime() &&
        (columns.embedded[slot] === 1) === embedded
      if (!isLike) unlike.push(id)
    }
    after = rows.at(-1)?.id ?? null
    if (after === null) break
    await restAfter(performance.now() - began)
  }
  for (let slot = 0; slot < slots; slot++) {
    const id = seen[slot] === 1 ? null : index.idAt(slot)
    if (id !== null) unlike.push(id)
  }
  return isOver()
    ? []
    : unlike.map((productId) => ({ seq: 0, xid: '0', productId, categoryId: null, aspect: 'text' }))
}
