/** An organization's offers: how each stands, when it runs and what it brings; what is done often is done right here. */
import { formatUsd } from '../../../lib/money.ts'
import { OFFER_STATUSES } from '../../../offers/offer.model.ts'
import { MOST_OFFERS, type OfferedProduct, type OfferWithClicks } from '../../../offers/offers.service.ts'
import { Day } from '../../components/moment.tsx'
import { countOf, formatCount } from '../../format.ts'
import { Field, type FormState, Select, UNTOUCHED } from '../../kit/fields.tsx'
import { Paging } from '../../kit/paging.tsx'
import { DataTable, Empty, State } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { DashboardPage, type Visitor, WhoMay } from '../page.tsx'
import { NEW_OFFER_PATH, OFFERS_PATH, offerPath } from '../paths.ts'
import { OfferActions } from './actions.tsx'
import {
  CALENDAR_PATH,
  filterQuery,
  isFiltered,
  listPath,
  MOST_CHOICES,
  type OffersFilter,
  PAGE_SIZE,
  WITHIN_DAYS,
} from './offers.filter.ts'
import { STATUS_WORDS, standingOf } from './standing.ts'

type ListPageProps = {
  site: Site
  visitor: Visitor
  filter: OffersFilter
  offers: readonly OfferWithClicks[]
  total: number
  /** Products that the organization has a proved claim to, among those listed. */
  related: ReadonlySet<string>
  survey: { unexpired: number; products: readonly OfferedProduct[] }
  now: Date
  done: string | null
  errors?: FormState['errors']
}

const COLUMNS = [
  { label: 'Offer' },
  { label: 'State' },
  { label: 'Price' },
  { label: 'Runs' },
  { label: 'Clicks', kind: 'number' },
] as const

export function renderList(props: ListPageProps): string {
  const { site, visitor, filter, total, survey, done, errors } = props
  const pages = Math.ceil(total / PAGE_SIZE)
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="Offers"
      lead={`${survey.unexpired} of at most ${MOST_OFFERS} offers that have not ended.`}
      at={OFFERS_PATH}
      done={done}
      errors={errors}
      actions={
        <>
          <a class="button plain" href={CALENDAR_PATH}>
            Calendar
          </a>
          {visitor.may('edit') && (
            <a class="button" href={NEW_OFFER_PATH}>
              New offer
            </a>
          )}
        </>
      }
    >
      {total === 0 && !isFiltered(filter) ? (
        <NoOffers visitor={visitor} />
      ) : (
        <>
          <Filters {...props} />
          {total === 0 ? (
            <Empty>
              <p>No offers match.</p>
              <p>
                <a href={OFFERS_PATH}>Show all offers</a>
              </p>
            </Empty>
          ) : (
            <>
              <p class="soft" role="status">
                {countOf(total, 'offer')}, newest first.
              </p>
              <div class="offer-list">
                <Table {...props} />
              </div>
              <Paging page={filter.page} pages={pages} href={(page) => listPath({ ...filter, page })} />
            </>
          )}
        </>
      )}
    </DashboardPage>,
  )
}

function NoOffers({ visitor }: { visitor: Visitor }) {
  return (
    <Empty>
      <p>
        No offers yet. An offer stands on the page of a product that you sell or make, marked as yours, and
        its clicks are counted here.
      </p>
      {visitor.may('edit') ? (
        <p>
          <a class="button" href={NEW_OFFER_PATH}>
            Make the first offer
          </a>
        </p>
      ) : (
        <WhoMay visitor={visitor} right="edit" what="make one" />
      )}
    </Empty>
  )
}

function Filters({ filter, survey }: ListPageProps) {
  const chosen = filter.product ?? ''
  const known = survey.products.find(
    ({ productSlug }) => productSlug === chosen || productSlug.endsWith(`/${chosen}`),
  )
  return (
    <form class="filters" method="get" action={OFFERS_PATH} aria-label="Filter offers">
      <Select
        state={UNTOUCHED}
        name="status"
        label="State"
        value={filter.status ?? ''}
        options={[['', 'Any'], ...OFFER_STATUSES.map((status) => [status, STATUS_WORDS[status]] as const)]}
      />
      {survey.products.length > MOST_CHOICES ? (
        <Field state={UNTOUCHED} name="product" label="Product" value={chosen} autocomplete="off" />
      ) : (
        <Select
          state={UNTOUCHED}
          name="product"
          label="Product"
          value={known?.productSlug ?? chosen}
          options={[
            ['', 'Any'],
            ...survey.products.map(({ productSlug, title }) => [productSlug, title] as const),
            ...(known || chosen === '' ? [] : [[chosen, chosen] as const]),
          ]}
        />
      )}
      <Select
        state={UNTOUCHED}
        name="ends"
        label="Ends"
        value={filter.endsWithin === null ? '' : String(filter.endsWithin)}
        options={[
          ['', 'At any time'],
          ...WITHIN_DAYS.map((days) => [String(days), `Within ${days} days`] as const),
        ]}
      />
      <p>
        <button class="button plain" type="submit">
          Filter
        </button>
      </p>
    </form>
  )
}

function Table({ visitor, filter, offers, related, now }: ListPageProps) {
  const mayEdit = visitor.may('edit')
  return (
    <DataTable
      caption="Offers"
      columns={mayEdit ? [...COLUMNS, { label: 'What you can do', kind: 'actions' }] : [...COLUMNS]}
      rows={offers.map((offer) => {
        const standing = standingOf(offer, { now, related: related.has(offer.productId) })
        return [
          <>
            <a href={offerPath(offer.id)}>{offer.headline}</a>
            <span class="row-note">{offer.productTitle}</span>
          </>,
          <div>
            <State tone={standing.tone}>{standing.word}</State>
            {standing.tone === 'bad' && <span class="row-note">{standing.note}</span>}
          </div>,
          <Price {...offer} />,
          <Runs {...offer} />,
          <div>
            {formatCount(offer.clicks.recent)}
            <span class="row-note">{formatCount(offer.clicks.ever)} in all</span>
          </div>,
          ...(mayEdit
            ? [<OfferActions {...{ visitor, offer, standing, now }} back={filterQuery(filter)} />]
            : []),
        ]
      })}
    />
  )
}

function Price({ priceCents, listPriceCents }: Pick<OfferWithClicks, 'priceCents' | 'listPriceCents'>) {
  if (priceCents === null) return <span class="soft">No price</span>
  return (
    <div>
      {formatUsd(priceCents)}
      {listPriceCents !== null && <span class="row-note">list {formatUsd(listPriceCents)}</span>}
    </div>
  )
}

/** A line for each of its ends. */
export function Runs({ startsAt, expiresAt }: Pick<OfferWithClicks, 'startsAt' | 'expiresAt'>) {
  return (
    <ul>
      {startsAt !== null && (
        <li>
          from <Day at={startsAt} />
        </li>
      )}
      {expiresAt === null ? (
        <li>no end</li>
      ) : (
        <li>
          until <Day at={expiresAt} />
        </li>
      )}
    </ul>
  )
}
