/**
 * What came of a request: the ranked quotes, or why there are none and what can be done instead. The same piece ends a page
 * that was followed live and makes up one that is opened later.
 */
import type { Child } from 'hono/jsx'
import { usd } from '../../lib/words.ts'
import type { Elsewhere } from '../../rfq/find-retailers.service.ts'
import type { Asked, RfqTask } from '../../rfq/rfq.service.ts'
import { countOf } from '../format.ts'
import { webUrl } from '../safe.ts'
import { askAgainPath } from './ask-request.ts'
import { RankedCard } from './quote-card.tsx'

/** Only for a request that brought no quote. */
export type Nothing = { asked: Asked | null; elsewhere: Elsewhere[] }

/** A product may have a thousand sellers; nobody compares more than these, and a signature alone is a kilobyte. */
export const SHOWN_QUOTES = 50

type OutcomeProps = { task: RfqTask; title: string; nothing: Nothing | null; now: Date }

/** As the window's title has it. */
export function standingWords({ state, quotes }: Pick<RfqTask, 'state' | 'quotes'>, title: string): string {
  if (state === 'submitted') return `Asking for quotes: ${title}`
  if (state === 'canceled') return `Canceled: quotes for ${title}`
  if (state === 'failed') return `Failed: quotes for ${title}`
  return quotes.length === 0 ? `No quotes for ${title}` : `${countOf(quotes.length, 'quote')} for ${title}`
}

export function Outcome({ task, title, nothing, now }: OutcomeProps) {
  const words = standingWords(task, title)
  const left = task.quotes.length - SHOWN_QUOTES
  if (task.state === 'canceled')
    return (
      <Ended title="This request was canceled" words={words} task={task}>
        <p>Sellers were told to stop. No quotes were kept.</p>
      </Ended>
    )
  if (task.state === 'failed')
    return (
      <Ended title="This request could not be finished" words={words} task={task}>
        <p>That is our fault, not the sellers’. Ask again in a moment.</p>
      </Ended>
    )
  if (task.quotes.length === 0) return <NoQuotes task={task} title={title} nothing={nothing} />
  return (
    <Ended title={`${countOf(task.quotes.length, 'quote')}, best first`} words={words} task={task}>
      <p class="soft">
        Ranked by stock, your date, total price and delivery. Nobody can pay for a better place.
      </p>
      <ol class="quotes">
        {task.quotes.slice(0, SHOWN_QUOTES).map((quote) => (
          <RankedCard quote={quote} quantity={task.quantity} now={now} />
        ))}
      </ol>
      {left > 0 && <p class="soft">{countOf(left, 'more quote')} with a lower rank not shown.</p>}
    </Ended>
  )
}

function Ended({ title, words, task, children }: EndedProps) {
  return (
    <section class="ended" aria-labelledby="ended-title" data-page-title={words}>
      <div class="section-head">
        <div role="status">
          <h2 id="ended-title">{title}</h2>
        </div>
        <a href={askAgainPath(task)}>Ask again</a>
      </div>
      {children}
    </section>
  )
}

type EndedProps = { title: string; words: string; task: RfqTask; children?: Child }

function NoQuotes({ task, title, nothing }: Pick<OutcomeProps, 'task' | 'title' | 'nothing'>) {
  const asked = nothing ? nothing.asked : { asked: 0, declined: 0 }
  const elsewhere = nothing?.elsewhere ?? []
  return (
    <Ended
      title={asked?.asked === 0 ? 'Nobody sells this here yet' : 'No seller gave a quote'}
      words={standingWords(task, title)}
      task={task}
    >
      <p>{asked ? reason(asked) : 'This was long ago: who was asked is no longer known. Ask again.'}</p>
      {elsewhere.length > 0 && <ShopList elsewhere={elsewhere} />}
      <p>
        <a href={`/p/${task.productSlug}#similar`}>See similar products</a>
      </p>
    </Ended>
  )
}

function reason({ asked, declined }: Asked): string {
  if (asked === 0) return 'No seller of this product takes requests here, so there was nobody to ask.'
  const sellers = countOf(asked, 'seller')
  if (declined === asked)
    return `We asked ${sellers}, and ${asked === 1 ? 'it' : 'all'} declined. Another quantity, place or date may help.`
  const silent = asked - declined
  const rest = declined === 0 ? '' : ` ${declined} declined, and`
  return `We asked ${sellers}:${rest} ${silent} gave no answer that we could use. Ask again later.`
}

function ShopList({ elsewhere }: { elsewhere: Elsewhere[] }) {
  return (
    <>
      <h3>Where else to buy it</h3>
      <ul class="rows">
        {elsewhere.map((one) => (
          <li>
            <p>
              <ShopLink {...one} />
            </p>
            <span class="price">{one.price_usd === null ? 'See shop' : usd(one.price_usd)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function ShopLink({ seller, url, promoted }: Elsewhere) {
  const href = webUrl(url)
  return (
    <>
      {href === null ? (
        seller
      ) : (
        <a href={href} rel={promoted ? 'sponsored nofollow noopener' : 'nofollow noopener'}>
          {seller}
        </a>
      )}
      <span class="row-note">{promoted ? 'Sponsored offer' : href !== null && new URL(href).host}</span>
    </>
  )
}
