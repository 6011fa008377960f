/** Calls of tools for both servers that are neither plainly right nor plainly wrong: fixed, noted, refused, broken. */
import { type Asked, ask, FAMILIES, type Message } from './oracle.requests.ts'

const search = (args: Message) => ({
  name: 'search_products',
  arguments: { query: 'kettle', limit: 2, ...args },
})

const specs = (sections: unknown) => ({
  name: 'get_product',
  arguments: { category: 'kettles', slug: 'gooseneck', sections },
})
const FORGIVEN_ARGUMENTS: Array<[string, { given: Message; meant: Message }]> = [
  ['a text as number', { given: search({ query: 42 }), meant: search({ query: '42' }) }],
  ['a number as text', { given: search({ limit: '2' }), meant: search({}) }],
  [
    'a price as people write it',
    { given: search({ max_price: '$1,000' }), meant: search({ max_price: 1000 }) },
  ],
  ['null', { given: search({ category: null }), meant: search({}) }],
  ['an empty text', { given: search({ category: '' }), meant: search({}) }],
  ['a boolean as text', { given: search({ on_sale: 'false' }), meant: search({}) }],
  ['one in place of a list', { given: specs('specs'), meant: specs(['specs']) }],
  ['a list as text', { given: specs('["specs"]'), meant: specs(['specs']) }],
]

/** Arguments as models send them, and what can only be meant by them. */
export const FORGIVEN: Array<{ given: Asked; meant: Asked }> = FAMILIES.flatMap((family) =>
  FORGIVEN_ARGUMENTS.map(([name, { given, meant }]) => ({
    given: ask(family, 'tools/call', given, { name: `forgiven: ${name}` }),
    meant: ask(family, 'tools/call', meant, { name: `meant: ${name}` }),
  })),
)

const toldOf = { name: 'find_retailers', arguments: { query: 'a kettle', product_slug: 'kettles/gooseneck' } }

export const OTHERS: Asked[] = FAMILIES.flatMap((family) => [
  ask(family, 'tools/call', search({ colour: 'red' }), { name: 'noted: a parameter made up' }),
  ask(family, 'tools/call', { ...toldOf, _meta: { progressToken: 'p' } }, { name: 'progress' }),
])

/** What the tool itself refuses. */
export const REFUSED: Asked[] = FAMILIES.flatMap((family) => [
  ask(
    family,
    'tools/call',
    { name: 'get_product', arguments: { category: 'kettles', slug: 'goosneck' } },
    { name: 'refused: a product nobody has' },
  ),
  ask(family, 'tools/call', search({ category: 'kettle' }), { name: 'refused: a category nobody has' }),
  ask(
    family,
    'tools/call',
    {
      name: 'create_offer',
      arguments: { product_slug: 'tents/dome', headline: 'A', destination_url: 'https://a.example/' },
    },
    { name: 'refused: a product of others', as: 'producer' },
  ),
  ask(
    family,
    'tools/call',
    { name: 'set_team_member', arguments: { email: 'owner@kettle-shop.example', role: 'none' } },
    { name: 'refused: the last owner', as: 'producer' },
  ),
])

/** When the database lacks a table. */
export const BROKEN: Asked[] = FAMILIES.map((family) =>
  ask(family, 'tools/call', { name: 'list_saved_products' }, { name: 'broken inside' }),
)
