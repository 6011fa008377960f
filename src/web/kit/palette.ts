/** What the command palette finds: pages of the menu by their names, and things by words, each group from its own service. */
import type { Context } from 'hono'
import type { WayGroup } from './console.tsx'

export type Found = { label: string; href: string; note?: string }
type Group = { label: string; find(words: string): Promise<Found[]> }

const SHORTEST = 2
const LONGEST = 100
const SHOWN = 6

/** What a group cannot find, for whatever reason, does not keep the others from being shown. */
export async function sendFound(
  c: Context,
  ways: readonly WayGroup[],
  groups: readonly Group[],
): Promise<Response> {
  const words = (c.req.query('q') ?? '').trim().slice(0, LONGEST)
  const wanted = words.toLowerCase()
  const pages = ways
    .flatMap((group) => group.ways.map(({ href, label }) => ({ href, label, note: group.label ?? '' })))
    .filter(({ label, note }) => `${label} ${note}`.toLowerCase().includes(wanted))
  const things = words.length < SHORTEST ? [] : groups
  const found = await Promise.all(
    things.map(async ({ label, find }) => ({
      label,
      items: (await find(words).catch(() => [])).slice(0, SHOWN),
    })),
  )
  const all = [{ label: 'Pages', items: words === '' ? pages : pages.slice(0, SHOWN) }, ...found]
  return c.json({ groups: all.filter(({ items }) => items.length > 0) }, 200, { 'Cache-Control': 'no-store' })
}
