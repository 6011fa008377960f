/** Whether a variant can be had, from what files say of stock. Undefined where they say nothing that is clear. */
import type { VARIANT_AVAILABILITIES } from '../catalog.schema.ts'
import { parseFlag, plainName } from './values.ts'

type Availability = (typeof VARIANT_AVAILABILITIES)[number]

const WORDS: Readonly<Record<Availability, readonly string[]>> = {
  in_stock: ['instock', 'available', 'limitedavailability', 'onlineonly', 'instoreonly', 'lowstock'],
  out_of_stock: ['outofstock', 'soldout', 'unavailable', 'notavailable', 'discontinued', 'reserved'],
  preorder: ['preorder', 'presale'],
  backorder: ['backorder', 'onbackorder', 'madetoorder', 'availablefororder'],
}
const MEANS: ReadonlyMap<string, Availability> = new Map(
  Object.entries(WORDS).flatMap(([means, words]) => words.map((word) => [word, means as Availability])),
)

/** "in stock", "in_stock", "https://schema.org/InStock", "yes". */
export function availabilityOf(text: string): Availability | undefined {
  const word = MEANS.get(plainName(text.split('/').at(-1) ?? ''))
  const flag = word === undefined ? parseFlag(text) : null
  return word ?? (flag === null ? undefined : flag ? 'in_stock' : 'out_of_stock')
}

/** `status` decides; a number says more where there is none left and orders are taken all the same. */
export function stockOf({
  status = '',
  quantity = '',
  takesOrders = false,
}: {
  status?: string
  quantity?: string
  takesOrders?: boolean
}): Availability | undefined {
  const said = availabilityOf(status)
  const left = quantity.trim() === '' ? Number.NaN : Number(quantity)
  if (said !== undefined && said !== 'in_stock') return said
  if (Number.isNaN(left)) return said
  if (left > 0) return 'in_stock'
  return takesOrders ? 'backorder' : (said ?? 'out_of_stock')
}
