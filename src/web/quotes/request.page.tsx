/**
 * The page of one request. While sellers are being asked it is sent in pieces: the question and a bar at once, a card for
 * each answer as it comes, and in the end the ranked quotes, which take the place of the cards by a rule of the stylesheet.
 * No script has a part in it. What a window's title says is settled with the first byte.
 */
import type { Child } from 'hono/jsx'
import { type ProductProfile, productPath } from '../../catalog/profile.ts'
import type { RfqTask } from '../../rfq/rfq.service.ts'
import { Fact } from '../components/fact.tsx'
import { Moment } from '../components/moment.tsx'
import { Picture } from '../components/picture.tsx'
import { formatCount, formatDate } from '../format.ts'
import { placeWords } from '../kit/region.ts'
import { Layout } from '../layout.tsx'
import type { Site } from '../site.ts'
import { Hole } from '../stream-page.tsx'
import { QUOTES_PATH } from './ask-request.ts'
import { type Nothing, Outcome, standingWords } from './outcome.tsx'

type RequestPage = {
  site: Site
  task: RfqTask
  /** Null when the product was removed since. */
  profile: ProductProfile | null
  /** Whether the reader finds it in a list of their own. */
  own: boolean
}

/** The name stands for a product that is gone as well. */
export function titleOf({ task, profile }: Pick<RequestPage, 'task' | 'profile'>): string {
  return profile?.title ?? task.productSlug
}

export function renderEndedRequest(page: RequestPage & { nothing: Nothing | null; now: Date }): string {
  const { task, nothing, now } = page
  return String(
    <Frame page={page}>
      <Outcome task={task} title={titleOf(page)} nothing={nothing} now={now} />
    </Frame>,
  )
}

/** With a hole for what comes. */
export function renderOpenRequest(page: RequestPage): string {
  return String(
    <Frame page={page}>
      <Hole />
    </Frame>,
  )
}

function Frame({ page, children }: { page: RequestPage; children?: Child }) {
  const { site, task, profile, own } = page
  const title = titleOf(page)
  return (
    <Layout
      site={site}
      title={`${standingWords(task, title)} · Souk`}
      description={`Quotes for ${title}.`}
      path={null}
    >
      <article class="request">
        <header class="request-head">
          {profile && <Picture profile={profile} decorative />}
          <div>
            <h1>Quotes for {title}</h1>
            {profile && (
              <p>
                <a href={productPath(profile)}>See the product</a>
              </p>
            )}
            <Question task={task} />
          </div>
        </header>
        {children}
        {own ? (
          <p>
            <a href={QUOTES_PATH}>All your requests</a>
          </p>
        ) : (
          <p class="soft">Keep the address of this page: it is the only way back.</p>
        )}
      </article>
    </Layout>
  )
}

function Question({ task }: { task: RfqTask }) {
  const day = task.deadlineIso?.slice(0, 10) ?? null
  return (
    <dl class="facts">
      <Fact name="Quantity">{formatCount(task.quantity)}</Fact>
      {task.deliveryRegion !== null && <Fact name="Deliver to">{placeWords(task.deliveryRegion)}</Fact>}
      {day !== null && (
        <Fact name="Needed by">
          <time datetime={day}>{formatDate(day)}</time>
        </Fact>
      )}
      <Fact name="Asked">
        <Moment at={task.createdAt} />
      </Fact>
    </dl>
  )
}

const ASKING_END = '</ul></section>'

/** What stands while sellers are being asked; its list is left open for the answers, and closed by `ASKING_END`. */
export function writeAsking(title: string, until: Date): { begin: string; end: string } {
  const whole = String(<Asking title={title} until={until} />)
  return { begin: whole.slice(0, -ASKING_END.length), end: ASKING_END }
}

function Asking({ title, until }: { title: string; until: Date }) {
  return (
    <section class="asking" aria-labelledby="asking-title">
      <h2 id="asking-title">Asking every seller</h2>
      <p role="status">
        Everyone who sells {title} is being asked. Answers are taken until{' '}
        <time datetime={until.toISOString()}>{until.toISOString().slice(11, 19)} UTC</time>, appear here as
        they come, and are ranked at the end.
      </p>
      <progress aria-labelledby="asking-title" />
      <ul class="quotes" aria-live="polite" aria-label="Answers so far" />
    </section>
  )
}

/** The time is up and the request has not ended: a node may be busy, or gone. */
export function StillOpen({ path }: { path: string }) {
  return (
    <section class="ended" aria-labelledby="ended-title">
      <div role="status">
        <h2 id="ended-title">It takes longer than usual</h2>
      </div>
      <p>Nothing is lost: the request goes on.</p>
      <p>
        <a class="button" href={path}>
          See how it stands
        </a>
      </p>
    </section>
  )
}
