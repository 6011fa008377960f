/**
 * The tools of everybody, as lines of the table. They show what an organization has made public, its offer and its name,
 * and nothing else of it; what a person saved is shown to that person alone.
 */
import type { Arguments, Line, Outcome, ToolUse } from './separation.tools.table.ts'
import type { Settled } from './separation.world.ts'

const alike = (args: Arguments, told: Outcome = {}): ToolUse => ({ args, others: told, own: told })

const isOffered = ({ offerId, name, mark }: Settled) => [offerId, name, mark]

export const SHOPPER_LINES: Record<string, Line> = {
  search_products: {
    right: 'anybody',
    shows: ({ slug }) => slug,
    uses: ({ saved }) => [alike({ query: saved.slug, limit: 50 })],
  },
  get_product: {
    right: 'anybody',
    isPublic: isOffered,
    shows: ({ mark }) => mark,
    uses: ({ saved: { category, slug } }) => [
      alike({ category, slug }),
      alike({ category, slug, sections: ['offers', 'provenance'] }),
    ],
  },
  find_retailers: {
    right: 'anybody',
    isPublic: isOffered,
    shows: ({ name }) => name,
    adds: true,
    uses: ({ slug }) => [alike({ query: 'a shelf', product_slug: slug }, { state: 'completed' })],
  },
  list_categories: { right: 'anybody', shows: ({ saved }) => saved.category, uses: () => [alike({})] },
  list_category_products: {
    right: 'anybody',
    shows: ({ slug }) => slug,
    uses: ({ saved }) => [alike({ category: saved.category, limit: 50 })],
  },
  find_similar: {
    right: 'anybody',
    shows: ({ slug }) => slug,
    uses: ({ saved: { category, slug } }) => [alike({ category, slug, limit: 50 })],
  },
  product_curator: {
    right: 'anybody',
    shows: ({ slug }) => slug,
    uses: ({ saved, slug, waitingSlug }) => [
      alike({ query: 'which one', compare: [slug, waitingSlug] }),
      alike({ query: saved.slug, categories: [saved.category], bundle: false }),
    ],
  },
  save_product: {
    right: 'anybody',
    uses: ({ saved, secret }) => [
      {
        args: saved,
        others: { outcome: 'added', note: null, target_price_usd: null },
        own: { outcome: 'unchanged', note: secret, target_price_usd: 12 },
      },
    ],
  },
  list_saved_products: {
    right: 'anybody',
    shows: ({ secret }) => secret,
    uses: ({ saved: { list } }) =>
      [{}, { list }, { changed_since: '2020-01-01' }].map((args) => ({
        args,
        others: { total: 0, lists: [], products: [] },
        own: { total: 1, lists: [{ name: list, count: 1 }] },
      })),
  },
  remove_saved_product: {
    right: 'anybody',
    uses: ({ saved: { list, ...saved } }) => [
      { args: { ...saved, list }, others: 'not_found', own: { removed_from: [list] } },
      // By now it is gone for its owner too.
      alike(saved, 'not_found'),
    ],
  },
}
