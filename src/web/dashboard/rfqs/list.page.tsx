/** The requests for quotes that reached an organization, newest first, by what came of them. */
import { usd } from '../../../lib/words.ts'
import { OUTCOMES, type ReceivedPage, type ReceivedRfqRow } from '../../../rfq/inspector.service.ts'
import { Moment } from '../../components/moment.tsx'
import { countOf, formatCount } from '../../format.ts'
import { Field, type FormState, Select } from '../../kit/fields.tsx'
import { Paging } from '../../kit/paging.tsx'
import { DataTable, Empty, State } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { formatMs } from '../attempts/readable.ts'
import { DashboardPage, type Visitor } from '../page.tsx'
import { AGENT_PATH, PRODUCTS_PATH, RFQS_PATH, rfqPath } from '../paths.ts'
import { OUTCOME_WORDS, placeOf } from './why.ts'

export const FILTERS = ['outcome', 'product', 'since'] as const

type ListPage = {
  site: Site
  visitor: Visitor
  /** What the filters hold. */
  state: FormState
  /** Null when a filter makes no sense. */
  found: ReceivedPage | null
  page: number
  pageSize: number
  /** Those that ended before are deleted; null: none is. */
  keptDays: number | null
}

export function renderRfqs({ site, visitor, state, found, page, pageSize, keptDays }: ListPage): string {
  const filtered = Object.keys(state.values).length > 0
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="Requests for quotes"
      lead="What buyers asked you for, what was answered, and what came of it."
      at={RFQS_PATH}
      errors={state.errors}
    >
      {(filtered || (found !== null && found.rfqs.length > 0)) && <Filters state={state} found={found} />}
      {found !== null &&
        (found.rfqs.length > 0 ? (
          <>
            <p class="soft" role="status">
              {totalWords(found)}
            </p>
            <DataTable
              caption="Requests received, newest first"
              columns={COLUMNS}
              rows={found.rfqs.map(rowOf)}
            />
            <Paging
              page={page}
              pages={Math.max(Math.ceil(found.total / pageSize), found.more ? page + 1 : page)}
              href={(number) => hrefOf(state.values, number)}
            />
            {keptDays !== null && !found.more && (
              <p class="soft">Requests that ended more than {countOf(keptDays, 'day')} ago are deleted.</p>
            )}
          </>
        ) : (
          <Nothing visitor={visitor} filtered={filtered} page={page} />
        ))}
    </DashboardPage>,
  )
}

export function hrefOf(values: Record<string, string>, page: number): string {
  const query = new URLSearchParams({ ...values, ...(page > 1 && { page: String(page) }) })
  return query.size === 0 ? RFQS_PATH : `${RFQS_PATH}?${query}`
}

function totalWords({ total, capped }: ReceivedPage): string {
  return capped ? `More than ${formatCount(total)} requests` : countOf(total, 'request')
}

function Filters({ state, found }: Pick<ListPage, 'state' | 'found'>) {
  const products = new Map((found?.rfqs ?? []).map((rfq) => [rfq.productSlug, rfq.productTitle]))
  return (
    <form class="filters" method="get" action={RFQS_PATH} aria-label="Narrow the list">
      <Select
        state={state}
        name="outcome"
        label="Outcome"
        options={[['', 'All'], ...OUTCOMES.map((one) => [one, OUTCOME_WORDS[one].label] as const)]}
      />
      <Field state={state} name="product" label="Product" autocomplete="off" list="products" />
      <datalist id="products">
        {[...products].map(([slug, title]) => (
          <option value={slug}>{title}</option>
        ))}
      </datalist>
      <Field state={state} name="since" label="Since (UTC)" type="date" autocomplete="off" />
      <p class="line">
        <button class="button plain" type="submit">
          Show
        </button>
        {Object.keys(state.values).length > 0 && <a href={RFQS_PATH}>Show all</a>}
      </p>
    </form>
  )
}

const COLUMNS = [
  { label: 'Request' },
  { label: 'Outcome' },
  { label: 'Your price', kind: 'number' as const },
  { label: 'Place', kind: 'number' as const },
  { label: 'Time taken', kind: 'number' as const },
]

function rowOf(rfq: ReceivedRfqRow) {
  const { label, tone } = OUTCOME_WORDS[rfq.outcome]
  const price = rfq.answer?.price_usd
  return [
    <>
      <a href={rfqPath(rfq.id)}>
        {formatCount(rfq.quantity)} × {rfq.productTitle}
      </a>
      <span class="row-note">
        <Moment at={rfq.askedAt} />
        {rfq.deliveryRegion !== null && ` · to ${rfq.deliveryRegion}`}
      </span>
    </>,
    <State tone={tone}>{label}</State>,
    typeof price === 'number' ? usd(price) : '–',
    placeOf(rfq) ?? '–',
    rfq.kind === 'managed' ? 'At once' : rfq.responseMs === null ? '–' : formatMs(rfq.responseMs),
  ]
}

function Nothing({ visitor, filtered, page }: Pick<ListPage, 'visitor' | 'page'> & { filtered: boolean }) {
  if (filtered || page > 1)
    return (
      <Empty>
        <p>No request fits.</p>
        <p>
          <a href={RFQS_PATH}>Show all requests</a>
        </p>
      </Empty>
    )
  return (
    <Empty>
      <p>
        No buyer has asked you for a quote yet. You are asked about every product that you have a proved claim
        to, once your agent is registered or Souk answers for you by your rules.
      </p>
      <ul class="line">
        <li>
          <a href={PRODUCTS_PATH}>See your products</a>
        </li>
        <li>
          <a href={AGENT_PATH}>
            {visitor.may('manage') ? 'Set up and test your agent' : 'See how you answer'}
          </a>
        </li>
        <li>
          <a href="/docs/rfq">How requests work</a>
        </li>
      </ul>
    </Empty>
  )
}
