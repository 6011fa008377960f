/** Search through its faces, and bundles, which are counted: twenty a day for each person. */
import type { Act, Turn } from '../act.ts'

const THINGS = [
  'desk lamp',
  'quiet keyboard',
  'sturdy standing desk',
  'office chair',
  'wide monitor',
  'kettle',
]
const WISHES = ['under $80', 'for a small room', 'that lasts', 'by Fernhill', 'cheap', 'around $200']

/** Many different ones and some again, as people ask. */
export function aQuery(turn: Turn): string {
  return `${turn.pick(THINGS)} ${turn.pick(WISHES)}${turn.random() < 0.5 ? ` ${Math.floor(turn.random() * 40)}` : ''}`
}

export const SEARCH_ACTS: readonly Act[] = [
  {
    name: 'search.rest',
    weight: 8,
    async run(turn) {
      const found = await turn.send({ path: '/api/search/', body: { query: aQuery(turn) } })
      const { query_id: queryId, results } = found.json() as {
        query_id?: string
        results?: Array<{ slug: string }>
      }
      const [first] = results ?? []
      if (queryId && first && turn.random() < 0.3)
        await turn.send({ path: '/api/search/click/', body: { query_id: queryId, slug: first.slug } })
    },
  },
  {
    name: 'search.page',
    weight: 4,
    async run(turn) {
      await turn.send({
        path: `/search?q=${encodeURIComponent(aQuery(turn))}`,
        headers: { accept: 'text/html' },
      })
    },
  },
  {
    name: 'search.tool',
    weight: 4,
    async run(turn) {
      await turn.tool(turn.pick(turn.people.shoppers), 'search_products', { query: aQuery(turn), limit: 5 })
    },
  },
  {
    name: 'search.bundle',
    weight: 2,
    async run(turn) {
      const shopper = turn.pick(turn.people.shoppers)
      const budget = 300 + Math.floor(turn.random() * 900)
      const { status, json } = await turn.send({
        path: '/api/search/',
        ip: shopper.ip,
        headers: { cookie: shopper.cookie },
        body: { query: `home office setup with a desk, a chair and a lamp under $${budget}`, bundle: true },
      })
      const served = status === 200 && json().type === 'bundle'
      const how = served ? 'served' : status === 0 || status >= 500 ? 'unknown' : 'refused'
      turn.journal.count(`bundles ${shopper.userId}`, how)
    },
  },
]
