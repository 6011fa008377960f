/**
 * The page of a request. While sellers are being asked it is sent in pieces: the question and a bar first, a card for each
 * answer as it comes with a line of how many have answered, and in the end the ranked quotes. Each line takes the place of
 * the one before and the quotes that of the cards, by rules of the stylesheet. No script has a part in it. The window's
 * title is settled with the first byte.
 */

import type { Child } from 'hono/jsx'
import type { AgentsContext } from '../../agents/context.ts'
import { type ProductProfile, productPath } from '../../catalog/profile.ts'
import { regionName } from '../../lib/regions.ts'
import type { RfqContext } from '../../rfq/context.ts'
import { streamUntilLate } from '../../rfq/follow.ts'
import type { RfqTask } from '../../rfq/rfq.service.ts'
import { quotesSeen } from '../../rfq/rfq-notices.service.ts'
import { Fact } from '../components/fact.tsx'
import { Moment } from '../components/moment.tsx'
import { Picture } from '../components/picture.tsx'
import { formatCount, formatDate } from '../format.ts'
import { LinkLine } from '../kit/parts.tsx'
import { Layout } from '../layout.tsx'
import type { Site } from '../site.ts'
import { QUOTES_PATH } from './ask-form.tsx'
import { ArrivedCard, answeredWords, SHOWN_QUOTES, standingWords } from './outcome.tsx'

type RequestPage = {
  site: Site
  task: RfqTask
  /** Null when the product was removed since. */
  profile: ProductProfile | null
  /** The name in addresses stands for a product that is gone. */
  title: string
  /** Whether the reader finds it in a list of their own. */
  own: boolean
  children: Child
}

export function RequestPage({ site, task, profile, title, own, children }: RequestPage) {
  const day = task.deadlineIso?.slice(0, 10) ?? null
  return (
    <Layout
      site={site}
      title={`${standingWords(task, title)} · Souk`}
      description={`Quotes for ${title}.`}
      path={null}
      secret
    >
      <article class="request">
        <header class="request-head">
          {profile && <Picture profile={profile} decorative />}
          <div>
            <h1>Quotes for {title}</h1>
            {profile && <LinkLine to={productPath(profile)}>See the product</LinkLine>}
            <dl class="facts">
              {task.variant !== null && <Fact name="Variant">{task.variant.name}</Fact>}
              <Fact name="Quantity">{formatCount(task.quantity)}</Fact>
              {task.deliveryRegion !== null && (
                <Fact name="Deliver to">{regionName(task.deliveryRegion)}</Fact>
              )}
              {day !== null && (
                <Fact name="Needed by">
                  <time datetime={day}>{formatDate(day)}</time>
                </Fact>
              )}
              <Fact name="Asked">
                <Moment at={task.createdAt} />
              </Fact>
            </dl>
          </div>
        </header>
        {children}
        <p class="soft">
          Sellers know this request as <code>{task.sessionId}</code>, which leads nobody to this page.
        </p>
        {own ? (
          <LinkLine to={QUOTES_PATH}>All your requests</LinkLine>
        ) : (
          <p class="soft">Save this page's address. It's the only way back.</p>
        )}
      </article>
    </Layout>
  )
}

type Live = {
  task: RfqTask
  userId: string | null
  title: string
  /** The last piece. */
  ending(task: RfqTask): Promise<string>
  write(html: string): Promise<void>
  /** Aborted when the reader has gone. */
  gone: AbortSignal
}

const ASKING_END = '</ul></section>'

/**
 * Writes a card for each answer on arrival, then the ranked whole. It ends when the request does, when the reader has gone,
 * when the sellers' time is up and a little more, or when the node stops; the request itself goes on in every case.
 */
export async function followLive(
  { rfq, a2a }: { rfq: RfqContext; a2a: Pick<AgentsContext, 'stopping'> },
  live: Live,
): Promise<void> {
  const { task, userId, title, write } = live
  const until = new Date(task.createdAt.getTime() + rfq.rfqDeadlineMs)
  await write(String(<Asking title={title} until={until} />).slice(0, -ASKING_END.length))
  let ended: RfqTask | null
  try {
    ended = await writeArriving(rfq, live, [live.gone, a2a.stopping])
  } finally {
    await write(ASKING_END)
  }
  if (ended === null) return write(String(<StillOpen path={`${QUOTES_PATH}/${task.rfqId}`} />))
  await write(await live.ending(ended))
  if (!live.gone.aborted) await quotesSeen(rfq, { ...ended, userId })
}

/** The task when it has ended; null when following it has. */
async function writeArriving(
  rfq: RfqContext,
  { task: { rfqId: id, quantity }, userId, write }: Live,
  signals: AbortSignal[],
): Promise<RfqTask | null> {
  let shown = 0
  for await (const event of streamUntilLate(rfq, { id, userId, signals })) {
    if (event.kind === 'ended') return event.task
    if (event.kind === 'progress') {
      await write(String(<Answered {...event} />))
      continue
    }
    shown += 1
    if (shown <= SHOWN_QUOTES) await write(String(<ArrivedCard quote={event.quote} quantity={quantity} />))
  }
  return null
}

/** Its list is sent open, for the answers, and closed by `ASKING_END`. */
function Asking({ title, until }: { title: string; until: Date }) {
  return (
    <section class="asking" aria-labelledby="asking-title">
      <h2 id="asking-title">Asking every seller</h2>
      <p role="status">
        We're asking everyone who sells {title}. They have until{' '}
        <time datetime={until.toISOString()}>{until.toISOString().slice(11, 19)} UTC</time>. Answers appear
        here as they arrive, and we rank them at the end.
      </p>
      <progress aria-labelledby="asking-title" />
      <ul class="quotes" aria-live="polite" aria-label="Answers so far" />
    </section>
  )
}

/** Among the answers, which are read aloud as they come; the last one is shown, above them. */
function Answered(progress: { answered: number; asked: number }) {
  return <li class="answered">{answeredWords(progress)}</li>
}

/** The time is up and the request has not ended: a node may be busy, or gone. */
export function StillOpen({ path }: { path: string }) {
  return (
    <section class="ended" aria-labelledby="ended-title">
      <div role="status">
        <h2 id="ended-title">This is taking longer than usual</h2>
      </div>
      <p>Nothing is lost. We're still collecting answers.</p>
      <LinkLine to={path} button>
        Check again
      </LinkLine>
    </section>
  )
}
