/** Reads that anybody makes: products and categories in their forms, offers, files over the whole catalog. */
import type { Act, Turn } from '../act.ts'

const read = (turn: Turn, path: string, accept?: string) =>
  turn.send({ path, ...(accept !== undefined && { headers: { accept } }) })

export const READ_ACTS: readonly Act[] = [
  {
    name: 'read.product',
    weight: 14,
    async run(turn) {
      const { category, slug } = turn.pick(turn.people.products)
      await read(turn, `/p/${category}/${slug}${turn.pick(['', '.md', '.json'])}`, 'text/html')
    },
  },
  {
    name: 'read.category',
    weight: 5,
    async run(turn) {
      const { category } = turn.pick(turn.people.products)
      await read(turn, `/c/${category}${turn.pick(['', '.md'])}`, 'text/html')
    },
  },
  {
    name: 'read.offers',
    weight: 5,
    async run(turn) {
      await read(turn, `/offers/${turn.pick(turn.people.products).slug}.json`)
    },
  },
  {
    name: 'read.files',
    weight: 1,
    async run(turn) {
      await read(
        turn,
        turn.pick(['/llms.txt', '/feeds/products.jsonl', '/sitemap.xml', '/.well-known/agent-card.json']),
      )
    },
  },
  {
    name: 'read.home',
    weight: 2,
    async run(turn) {
      await read(turn, turn.pick(['/', '/openapi.json', '/docs/rfq']), 'text/html')
    },
  },
]
