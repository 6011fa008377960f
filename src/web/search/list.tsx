/** The frame of a list of products with filters: what the script replaces when a filter changes, and the head of the list. */
import type { Child } from 'hono/jsx'
import type { Sort } from '../../search/search.schema.ts'
import { countOf } from '../format.ts'
import type { SearchAddress } from './address.ts'
import { SortField } from './filters.section.tsx'

/** The script announces the new count in the line above. */
export function Live({ children }: { children: Child }) {
  return (
    <>
      <p class="hidden" id="live-said" role="status" />
      <div class="found" id="found">
        {children}
      </div>
    </>
  )
}

type ListHeadProps = { address: SearchAddress; sort: Sort; total: number; pages: number }

export function ListHead({ address, sort, total, pages }: ListHeadProps) {
  return (
    <div class="list-head">
      <h2 id="results">
        {countOf(total, 'product')}
        {pages > 1 && (
          <span class="soft">
            {' '}
            · page {address.page} of {pages}
          </span>
        )}
      </h2>
      <SortField address={address} sort={sort} />
    </div>
  )
}
