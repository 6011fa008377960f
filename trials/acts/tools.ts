/** Agents at the tool server: looking around, and saving products for a person. */
import type { Act, Turn } from '../act.ts'
import type { State, Subject } from '../journal.ts'
import type { Person, Product } from '../people.ts'

const LISTS = ['saved', 'gifts', 'office']

function savedSubject(turn: Turn, person: Person, product: Product, list: string): Subject {
  const key = `${person.userId} ${list} ${product.id}`
  return turn.journal.find('saved', key) ?? turn.journal.invent('saved', key, person.userId)
}

export const TOOL_ACTS: readonly Act[] = [
  {
    name: 'tool.look',
    weight: 5,
    async run(turn) {
      const person = turn.pick(turn.people.shoppers)
      const { category, slug } = turn.pick(turn.people.products)
      const calls: Array<[string, Record<string, unknown>]> = [
        ['get_product', { category, slug }],
        ['list_categories', {}],
        ['list_category_products', { category }],
        ['find_similar', { category, slug }],
        ['list_saved_products', {}],
        ['product_curator', { query: `a ${category.replaceAll('-', ' ')} to work with`, max_items: 3 }],
      ]
      await turn.tool(person, ...turn.pick(calls))
    },
  },
  {
    name: 'tool.producer',
    weight: 2,
    async run(turn) {
      const producer = turn.pick(turn.people.producers)
      const calls: Array<[string, Record<string, unknown>]> = [
        ['list_my_products', {}],
        ['list_offers', {}],
        ['get_catalog_issues', {}],
        ['list_rfqs', {}],
        ['get_performance', {}],
        ['simulate_quote', { product_slug: turn.pick(producer.sells), quantity: 3 }],
      ]
      await turn.tool(producer, ...turn.pick(calls))
    },
  },
  {
    name: 'saved.add',
    weight: 4,
    async run(turn) {
      const person = turn.pick(turn.people.shoppers)
      const product = turn.pick(turn.people.products)
      const list = turn.pick(LISTS)
      const subject = savedSubject(turn, person, product, list)
      if (subject.busy || subject.unsure) return
      const note = `to compare ${turn.word()}`
      const next: State = { note }
      await turn.tool(
        person,
        'save_product',
        { category: product.category, slug: product.slug, list, note },
        {
          subject,
          next,
          audited: subject.possible[0] === null ? 'saved.added' : 'saved.updated',
          by: person.userId,
        },
      )
    },
  },
  {
    name: 'saved.remove',
    weight: 2,
    async run(turn) {
      const subjects = turn.journal.free('saved')
      if (subjects.length === 0) return
      const subject = turn.pick(subjects)
      const [userId, list, productId] = subject.key.split(' ')
      const person = turn.people.shoppers.find((shopper) => shopper.userId === userId)
      const product = turn.people.products.find(({ id }) => id === productId)
      if (!person || !product || list === undefined) return
      await turn.tool(
        person,
        'remove_saved_product',
        { category: product.category, slug: product.slug, list },
        { subject, next: null, audited: 'saved.removed', by: person.userId },
      )
    },
  },
]
