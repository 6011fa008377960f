/** A person's own requests, newest first; for a stranger, what an account is good for here. */
import { usd } from '../../lib/words.ts'
import type { RfqTask } from '../../rfq/rfq.service.ts'
import { Moment } from '../components/moment.tsx'
import { NarrowPage } from '../components/narrow-page.tsx'
import { SEARCH_PATH } from '../components/search-box.tsx'
import { countOf, formatCount } from '../format.ts'
import { placeWords } from '../kit/region.ts'
import { onward } from '../onward.ts'
import type { Site } from '../site.ts'
import { QUOTES_PATH } from './ask-request.ts'

const TITLE = 'Your quotes'

type ListPage = {
  site: Site
  listed: RfqTask[]
  /** Where older ones begin, if there are any. */
  older: string | null
  /** Whether newer ones were left behind. */
  paged: boolean
}

export function renderQuoteList({ site, listed, older, paged }: ListPage): string {
  return String(
    <NarrowPage site={site} title={TITLE} lead="What you asked sellers, newest first.">
      {listed.length === 0 ? (
        <NoneYet paged={paged} />
      ) : (
        <ul class="rows">
          {listed.map((task) => (
            <Row task={task} />
          ))}
        </ul>
      )}
      {(older !== null || paged) && (
        <p class="line">
          {paged && <a href={QUOTES_PATH}>Newest requests</a>}
          {older !== null && <a href={`${QUOTES_PATH}?before=${older}`}>Older requests</a>}
        </p>
      )}
    </NarrowPage>,
  )
}

function Row({ task }: { task: RfqTask }) {
  const [best] = task.quotes
  return (
    <li>
      <p>
        <a href={`${QUOTES_PATH}/${task.rfqId}`}>{task.productTitle}</a>
        <span class="row-note">
          Quantity {formatCount(task.quantity)}, <Moment at={task.createdAt} />
          {task.deliveryRegion !== null && `, to ${placeWords(task.deliveryRegion)}`}
        </span>
      </p>
      <p class="row-end">
        {best && <span class="price">{usd(best.total_usd)}</span>}
        <span class="row-note">{stateWords(task)}</span>
      </p>
    </li>
  )
}

function stateWords({ state, quotes }: RfqTask): string {
  if (state === 'submitted') return 'Sellers are being asked'
  if (state === 'canceled') return 'Canceled'
  if (state === 'failed') return 'Could not be finished'
  if (quotes.length === 0) return 'No quotes'
  return quotes.length === 1
    ? 'total of the one quote'
    : `total of the best of ${countOf(quotes.length, 'quote')}`
}

function NoneYet({ paged }: { paged: boolean }) {
  if (paged) return <p>There is nothing older.</p>
  return (
    <>
      <p>You have not asked for quotes yet. Find a product, and ask everyone who sells it at once.</p>
      <p>
        <a class="button" href={SEARCH_PATH}>
          Find a product
        </a>
      </p>
    </>
  )
}

export function renderQuotesForStrangers({ site }: { site: Site }): string {
  return String(
    <NarrowPage site={site} title={TITLE} lead="Signed in, you find every quote you asked for here.">
      <p>
        <a class="button" href={onward('/auth/signin', QUOTES_PATH)}>
          Sign in
        </a>
      </p>
      <p>
        No account yet? <a href={onward('/auth/signup', QUOTES_PATH)}>Create one</a>. You can ask without one
        too: <a href={SEARCH_PATH}>find a product</a> and choose “Ask every seller”. Only keep the address of
        the answer.
      </p>
    </NarrowPage>,
  )
}
