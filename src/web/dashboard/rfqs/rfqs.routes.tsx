/**
 * /dashboard/rfqs: the requests that reached an organization, each from end to end, and tests that ask its own agent the
 * same again. A page shows the organization's own part only. A request it was not asked is not found.
 */
import type { Child } from 'hono/jsx'
import { z } from 'zod'
import { productPath } from '../../../catalog/profile.ts'
import { ProductSlugInput } from '../../../catalog/relationships.schema.ts'
import { STATUS } from '../../../http/error-response.ts'
import { AppError } from '../../../lib/errors.ts'
import { ANY } from '../../../lib/news.ts'
import { regionName } from '../../../lib/regions.ts'
import { usd } from '../../../lib/words.ts'
import { requireProducer } from '../../../orgs/producer.ts'
import { arrivalDay } from '../../../pricing/pricing.schema.ts'
import { adviceOf } from '../../../rfq/advice.ts'
import {
  type InspectedRfq,
  inspectRfq,
  OUTCOMES,
  type OwnPromise,
  pageReceivedRfqs,
  type ReceivedRfqRow,
  waitForReceived,
} from '../../../rfq/inspector.service.ts'
import type { Help } from '../../../rfq/quote.schema.ts'
import { bandWords } from '../../../rfq/rank.ts'
import { deadlineOf, RfqRequest, Since } from '../../../rfq/rfq.schema.ts'
import { type Simulated, simulateQuote } from '../../../rfq/simulate.service.ts'
import { testOwnAgent } from '../../../rfq/test-rfq.service.ts'
import { Day, Moment } from '../../components/moment.tsx'
import { countOf, formatCount } from '../../format.ts'
import type { Page, Stream } from '../../kit/console.tsx'
import { Hidden } from '../../kit/fields.tsx'
import { choice, defineList, type Listed, listHref, readAsked, typed } from '../../kit/list.tsx'
import { sendLive } from '../../kit/live.ts'
import {
  Action,
  asSentences,
  DataTable,
  Facts,
  LinkButton,
  Panel,
  State,
  Submit,
  stateOf,
  Waiting,
} from '../../kit/parts.tsx'
import { VERIFY_PATH } from '../../quotes/proof.tsx'
import { Hole } from '../../stream-page.tsx'
import { Attempt, attemptOfTest, type ShownAttempt } from '../attempts/attempt.tsx'
import { formatMs } from '../attempts/readable.ts'
import { type Dashboard, type DashboardDeps, type Visitor, type VisitorSeen, WhoMay } from '../guard.tsx'
import { AGENT_PATH, PRICING_PATH, PRODUCTS_PATH, RFQS_PATH, rfqPath } from '../paths.ts'
import { Steps } from '../pricing/simulator.tsx'
import { COMPARED, MEASURES, type Measure, OUTCOME_WORDS, outcomeWords, placeOf } from './why.ts'

/** How far pages go; the tool's list goes as far. */
const LAST_PAGE = 400
/** For the last answers to be ranked and stored. */
const GRACE_MS = 5_000

/** A notification may be lost: the list is looked at by itself so often. */
const LIVE_LOOK_MS = 60_000
/** Of the first page. */
const LIVE_ROWS = 25

const LIST = defineList(RFQS_PATH, 'request', {
  ...{ live: `${RFQS_PATH}.events`, search: 'Product or request id', pageSize: LIVE_ROWS },
  filters: {
    outcome: choice('Outcome', OUTCOME_WORDS),
    product: 'text',
    since: typed('Since (UTC)', 'date'),
  },
})

const Filter = z.object({
  outcome: z.enum(OUTCOMES, 'choose one of those listed').optional(),
  product: ProductSlugInput.optional(),
  since: Since.optional(),
})

type Inspection = {
  visitor: Visitor
  inspected: InspectedRfq
  /** For those who set the rules, when managed pricing answered. */
  calculation: Simulated['calculation']
}

export function mountRfqs(dashboard: Dashboard, { ctx, stopping }: DashboardDeps): void {
  const deadlineMs = ctx.rfqDeadlineMs
  const keptDays = ctx.config.keep.attempts

  dashboard.list<ReceivedRfqRow, typeof LIST.filters>(LIST, 'read', async ({ c, visitor, asked }) => {
    const { limit } = asked
    const offset = Math.min(asked.offset, (LAST_PAGE - 1) * limit)
    const given = Object.entries(c.req.query()).filter(([, value]) => value.trim() !== '')
    const read = Filter.safeParse(Object.fromEntries(given))
    const found = read.success
      ? await pageReceivedRfqs(ctx, visitor, {
          ...{ outcome: read.data.outcome, productSlug: read.data.product, since: read.data.since },
          ...(asked.q !== '' && { search: asked.q }),
          ...{ limit, offset },
        }).catch(besideItsFilter)
      : {
          errors: Object.fromEntries(read.error.issues.map(({ path, message }) => [path[0], message])),
          status: 400 as const,
        }
    const { rfqs, total, capped, more } = 'errors' in found ? NOTHING : found
    const products = new Map(rfqs.map((rfq) => [rfq.productSlug, rfq.productTitle]))
    return {
      title: 'Requests for quotes',
      lead: 'See what buyers asked you for, what you answered and how it went.',
      ...('errors' in found && { errors: asSentences(found.errors), status: found.status }),
      rows: rfqs,
      total: Math.max(total, offset + rfqs.length + (more ? 1 : 0)),
      order: `${capped ? 'and more, ' : ''}newest first`,
      filters: {
        product: { label: 'Product', kind: 'product', options: [...products] },
      },
      columns: COLUMNS,
      empty: [
        <p>
          No requests yet. Buyers can ask you about every product you have a verified claim to, once you
          register an agent or turn on managed pricing.
        </p>,
        <p class="line">
          <a href={PRODUCTS_PATH}>See your products</a>
          <a href={AGENT_PATH}>{visitor.may('manage') ? 'Set up and test your agent' : 'See your agent'}</a>
          <a href="/docs/rfq">How requests work</a>
        </p>,
      ],
      below: keptDays !== null && rfqs.length > 0 && !more && (
        <p class="soft">We delete requests {countOf(keptDays, 'day')} after they end.</p>
      ),
    }
  })

  dashboard.page(`${RFQS_PATH}.events`, 'read', ({ c, visitor }) =>
    sendLive(c, {
      ...{ account: visitor.actor.user.id, stopping },
      // After the page has begun, whether they may is looked up anew.
      look: async () => (await pageReceivedRfqs(ctx, visitor, { limit: LIVE_ROWS, offset: 0 })).rfqs,
      wait: (signal) => ctx.news.wait(ANY, LIVE_LOOK_MS, signal),
    }),
  )

  async function show({ c, visitor }: VisitorSeen): Promise<Page | Response> {
    const id = c.req.param('id') ?? ''
    const inspection = await inspect(visitor, id)
    const { rfq } = inspection.inspected
    const page = (body: Child): Page => ({
      title: titleOf(rfq),
      actions: <LinkButton to={RFQS_PATH} label="All requests" />,
      body: [<Facts facts={askedFacts(rfq)} />, body],
    })
    const findings = (of: Inspection) => <Findings {...of} deadlineMs={deadlineMs} />
    if (rfq.state !== 'submitted' || c.req.method === 'POST') return page(findings(inspection))
    const running = (
      <>
        <Waiting label="Waiting for the request to end">
          <strong>{outcomeWords(rfq).headline}</strong> Sellers have {formatMs(deadlineMs)} to answer. You’ll
          see the result here.
        </Waiting>
        <Hole />
      </>
    )
    const stream: Stream = async (write, gone) => {
      const enough = AbortSignal.any([gone, AbortSignal.timeout(deadlineMs + GRACE_MS)])
      await waitForReceived(ctx, visitor, { id, signal: enough })
      const now = await inspect(visitor, id)
      await write(
        now.inspected.rfq.state === 'submitted' ? (
          <p class="ended">
            Still running. <a href={rfqPath(id)}>Check again</a>
          </p>
        ) : (
          <div class="ended">{findings(now)}</div>
        ),
      )
    }
    return { ...page(running), stream }
  }

  dashboard.page(`${RFQS_PATH}/:id`, 'read', show)

  dashboard.action(`${RFQS_PATH}/:id/test`, {
    async act({ c, act, visitor }) {
      // Refuses before the page begins, while the status can still say so.
      await requireProducer(ctx, act.caller, 'manage')
      const inspected = await inspectRfq(ctx, act, c.req.param('id') ?? '')
      const { rfq, attempts, answersNow } = inspected
      const { productSlug, quantity, deliveryRegion, variant } = rfq
      const page: Page = {
        title: `Test: ${titleOf(rfq)}`,
        actions: <LinkButton to={rfqPath(rfq.id)} label="Back to request" />,
        body: [
          <Waiting label="Waiting for the answer">
            {answersNow === 'managed'
              ? 'Applying your rules.'
              : `Test sent. Your agent has ${formatMs(deadlineMs)} to answer.`}
          </Waiting>,
          <Hole />,
          <TestPanel visitor={visitor} inspected={inspected} title="Test again" />,
        ],
      }
      const stream: Stream = async (write, gone) => {
        const tested = await testOwnAgent(ctx, act, gone, { productSlug, quantity, deliveryRegion, variant })
        const attempt = attemptOfTest(tested)
        const before = attempts.at(-1)
        await write(
          <div class="ended side-by-side">
            <Panel title="Now">
              {attempt === null ? (
                <p>
                  There is nothing to test. <NobodyAnswers />
                </p>
              ) : (
                <Attempt attempt={attempt} title="Test" deadlineMs={deadlineMs} />
              )}
            </Panel>
            {before && (
              <Panel title="Then">
                <Attempt
                  attempt={{ ...before.row, signature: before.signature }}
                  title={tryTitle(before.row.kind, attempts.length - 1)}
                  deadlineMs={deadlineMs}
                />
              </Panel>
            )}
          </div>,
        )
      }
      return { ...page, stream }
    },
  })

  async function inspect(visitor: Visitor, id: string): Promise<Inspection> {
    const inspected = await inspectRfq(ctx, visitor, id)
    return { visitor, inspected, calculation: await calculate(visitor, inspected.rfq) }
  }

  /** Null where managed pricing did not answer, the visitor may not see it, or it can no longer be calculated. */
  async function calculate(visitor: Visitor, rfq: ReceivedRfqRow): Promise<Simulated['calculation']> {
    if (rfq.kind !== 'managed') return null
    const { productSlug: product_slug, quantity, deliveryRegion, deadlineIso, variant } = rfq
    const asked = { product_slug, quantity, delivery_region: deliveryRegion, deadline_iso: deadlineIso }
    try {
      return (await simulateQuote(ctx, visitor, { ...RfqRequest.parse(asked), variant })).calculation
    } catch (error) {
      if (error instanceof AppError && error.kind !== 'internal') return null
      throw error
    }
  }
}

const NOTHING = { rfqs: [], total: 0, capped: false, more: false }

/** The service names its own fields; a filter that is wrong is said beside it. */
function besideItsFilter(error: unknown) {
  if (!(error instanceof AppError) || error.field === undefined) throw error
  const field = error.field === 'product_slug' ? 'product' : error.field
  return { errors: { [field]: error.message }, status: STATUS[error.kind] }
}

const priceOf = ({ answer }: ReceivedRfqRow) =>
  typeof answer?.price_usd === 'number' ? answer.price_usd : null

const HELP_LABELS: Record<Help, string> = {
  price: 'Lower price',
  shipping: 'Shipping cost',
  delivery: 'Delivery time',
  stock: 'Stock',
  region: 'Delivery region',
  answer: 'Your answer',
}

const COLUMNS: Listed<ReceivedRfqRow>['columns'] = [
  {
    label: 'Request',
    cell: (rfq) => (
      <>
        <a href={rfqPath(rfq.id)}>{titleOf(rfq)}</a>
        <span class="row-note">
          <Moment at={rfq.askedAt} />
          {rfq.deliveryRegion !== null && ` · to ${regionName(rfq.deliveryRegion)}`}
        </span>
      </>
    ),
    csv: ({ id }) => id,
  },
  { label: 'Asked', csv: ({ askedAt }) => askedAt },
  { label: 'Product', csv: ({ productSlug }) => productSlug },
  { label: 'Quantity', csv: ({ quantity }) => quantity },
  { label: 'Deliver to', csv: ({ deliveryRegion }) => deliveryRegion },
  { label: 'Outcome', cell: ({ outcome }) => stateOf(OUTCOME_WORDS[outcome]), csv: ({ outcome }) => outcome },
  {
    ...{ label: 'Your price', kind: 'number' },
    cell: (rfq) => (priceOf(rfq) === null ? '–' : usd(priceOf(rfq) ?? 0)),
    csv: priceOf,
  },
  { label: 'Place', kind: 'number', cell: (rfq) => placeOf(rfq) ?? '–', csv: ({ rank }) => rank },
  {
    ...{ label: 'Response time', kind: 'number' },
    cell: (rfq) => speedWords(rfq) ?? '–',
    csv: ({ responseMs }) => responseMs,
  },
  {
    label: 'Would help most',
    cell: (rfq) => {
      const advice = adviceOf(rfq)
      if (!advice) return '–'
      const gap = advice.gapBand === null ? '' : ` (${bandWords(advice.gapBand)})`
      return (
        <a href={advice.path}>
          {HELP_LABELS[advice.help]}
          {advice.help === 'price' && gap}
        </a>
      )
    },
    csv: (rfq) => adviceOf(rfq)?.help ?? null,
  },
  { label: 'Variant', csv: ({ variant }) => variant?.name ?? null },
]

function speedWords({ kind, responseMs }: ReceivedRfqRow): string | null {
  if (kind === 'managed') return 'Instant'
  return responseMs === null ? null : formatMs(responseMs)
}

function titleOf({ quantity, productTitle, variant }: ReceivedRfqRow): string {
  return `${formatCount(quantity)} × ${productTitle}${variant === null ? '' : `, ${variant.name}`}`
}

function askedFacts(rfq: ReceivedRfqRow): Array<[string, Child]> {
  const [category = '', slug = ''] = rfq.productSlug.split('/')
  return [
    ['Product', <a href={productPath({ slug, category: { slug: category } })}>{rfq.productTitle}</a>],
    ...(rfq.variant === null ? [] : [['Variant', rfq.variant.name] satisfies [string, Child]]),
    ['Quantity', formatCount(rfq.quantity)],
    ['Deliver to', rfq.deliveryRegion === null ? 'Not stated' : regionName(rfq.deliveryRegion)],
    [
      'Needed by',
      rfq.deadlineIso === null ? 'Not stated' : <Day at={new Date(rfq.deadlineIso.slice(0, 10))} />,
    ],
    ['Asked', <Moment at={rfq.askedAt} />],
  ]
}

function Findings({ inspected, visitor, calculation, deadlineMs }: Inspection & { deadlineMs: number }) {
  const { rfq, promised } = inspected
  const { headline, sentences } = outcomeWords(rfq)
  const { words: label, tone } = OUTCOME_WORDS[rfq.outcome]
  const place = placeOf(rfq)
  const advice = adviceOf(rfq)
  const attempts = inspected.attempts.map(({ row, signature }) => ({ ...row, signature }))
  const began = attempts[0]?.started_at.getTime() ?? 0
  const byAgent = rfq.kind === 'agent'
  return (
    <>
      <Panel title="Outcome" actions={<State tone={tone}>{place ? `${label}, ${place}` : label}</State>}>
        <div>
          <p>
            <strong>{headline}</strong>
          </p>
          {sentences.map((text) => (
            <p>{text}</p>
          ))}
        </div>
        {inspected.limited && <p>Your price limit raised this quote or stopped it.</p>}
        {advice && (
          <p>
            {advice.text} <a href={advice.path}>Change it</a>
          </p>
        )}
        {promised !== null && <Compared inspected={inspected} promised={promised} />}
        <p class="hint">
          <a href={listHref(LIST, readAsked(LIST, new URLSearchParams()), { product: rfq.productSlug })}>
            All requests for {rfq.productTitle}
          </a>
        </p>
      </Panel>
      {promised !== null && <Promised promised={promised} />}
      <Panel
        title={byAgent ? 'Attempts' : 'Answer'}
        lead={
          byAgent
            ? 'What we sent and what came back, byte for byte. We never store secrets with it.'
            : 'Souk answered for you, with your rules.'
        }
      >
        {attempts.map((attempt, index) => (
          <Attempt
            attempt={attempt}
            title={tryTitle(attempt.kind, index)}
            deadlineMs={deadlineMs}
            afterMs={Math.max(0, attempt.started_at.getTime() - began)}
          >
            {attempt.kind === 'managed' && index === attempts.length - 1 && calculation?.steps.length ? (
              <>
                <Steps calculation={calculation} title="How your rules calculate it now" />
                <p class="hint">
                  Your rules or prices may have changed since this request.{' '}
                  <a href={PRICING_PATH}>See your pricing</a>
                </p>
              </>
            ) : null}
          </Attempt>
        ))}
      </Panel>
      <TestPanel visitor={visitor} inspected={inspected} />
    </>
  )
}

const ORDINALS = ['First', 'Second', 'Third', 'Fourth']

function tryTitle(kind: ShownAttempt['kind'], index: number): string {
  if (kind === 'managed') return 'With your rules'
  return index < ORDINALS.length ? `${ORDINALS[index]} try` : `Try ${index + 1}`
}

const HEALTH = {
  active: 'Active',
  pending: 'Pending, no valid answer yet',
  unreachable: 'Unreachable',
} as const

/** What quotes are compared by, in order, with the organization's own values. */
function Compared({ inspected, promised: { promise } }: { inspected: InspectedRfq; promised: OwnPromise }) {
  const { rfq, health } = inspected
  const { shipping_cost_usd: shipping, estimated_shipping_days: days } = promise
  const decided = rfq.loss?.measure ?? null
  const own: Record<Measure, Child> = {
    stock: promise.in_stock ? 'Yes' : 'No',
    deadline: <Arrival deadlineIso={rfq.deadlineIso} days={days} from={new Date(promise.issued_at)} />,
    shipping: shipping === undefined ? 'Not stated' : usd(shipping),
    total: `${usd(promise.total_usd)}${shipping === undefined ? ', before shipping' : ''}`,
    days: days === undefined ? 'Not stated' : countOf(days, 'business day'),
    health:
      health === null
        ? 'Unknown'
        : `${HEALTH[health.status]}${health.failuresInARow === 0 ? '' : `, ${formatCount(health.failuresInARow)} failed in a row`}`,
    verified: promise.org.verified ? 'Yes' : 'No',
    link: promise.claim_host === undefined ? 'Yes' : `No, it leads to ${promise.claim_host}`,
    speed: speedWords(rfq) ?? 'Instant',
  }
  return (
    <details>
      <summary>How quotes are ranked, and your values</summary>
      <DataTable
        caption="How quotes are ranked"
        columns={[{ label: 'In this order' }, { label: 'Yours' }]}
        rows={COMPARED.map((measure) => [
          MEASURES[measure].name,
          <span>
            {own[measure]} {measure === decided && <State tone="mixed">Decided here</State>}
          </span>,
        ])}
      />
      <p class="hint">
        The first row where two quotes differ decides. Nobody can pay for a better place.{' '}
        <a href="/docs/rfq#ranking">How quotes are ranked</a>
      </p>
    </details>
  )
}

/** Counted as the ranking does, from when the quotes were ranked. */
function Arrival(props: { deadlineIso: string | null; days: number | undefined; from: Date }) {
  const { deadlineIso, days, from } = props
  if (deadlineIso === null) return <>No deadline</>
  if (days === undefined) return <>Delivery time not stated, which counts as too late</>
  const arrives = arrivalDay(from, days)
  return (
    <>
      {arrives <= deadlineOf(deadlineIso) ? 'Yes' : 'No'}, on <Day at={arrives} />
    </>
  )
}

/** The quote as the buyer has it. The signature covers how it compares with others, so it is shown only without any. */
function Promised({ promised: { promise, expired, signature } }: { promised: OwnPromise }) {
  const { quantity, shipping_cost_usd: shipping, estimated_shipping_days: days } = promise
  return (
    <Panel title="Your quote, as the buyer sees it">
      <Facts
        facts={[
          ['Unit price', usd(promise.price_usd)],
          [
            `Total for ${formatCount(quantity)}`,
            `${usd(promise.total_usd)}${shipping === undefined ? ' + shipping' : ''}`,
          ],
          ['Shipping', shipping === undefined ? 'Not stated' : shipping === 0 ? 'Free' : usd(shipping)],
          ['Delivery', days === undefined ? 'Not stated' : countOf(days, 'business day')],
          ['Stock', promise.in_stock ? 'In stock' : 'Out of stock'],
          [expired ? 'Expired' : 'Valid until', <Moment at={new Date(promise.offer_expires_at)} />],
        ]}
      />
      {promise.terms !== undefined && <p>Your terms: {promise.terms}</p>}
      <p class="hint">
        Signed by this service <Moment at={new Date(promise.issued_at)} />.{' '}
        {signature === null && (
          <>
            The buyer has the signature, because it also covers how your quote compares with others. If a
            buyer shows it to you, <a href={VERIFY_PATH}>check the quote</a>.
          </>
        )}
      </p>
      {signature !== null && (
        <form method="post" action={VERIFY_PATH}>
          <Hidden name="quote" value={signature} />
          <Submit kind="plain">Check the signed quote</Submit>
        </form>
      )}
    </Panel>
  )
}

const TEST_WORDS = {
  agent: {
    lead: 'Ask your agent the same again, signed like a real request. Buyers don’t see it, and a wrong answer doesn’t count against you.',
    label: 'Send a test',
  },
  managed: {
    lead: 'Souk answers for you now, so nothing is sent. See what your rules would answer.',
    label: 'Run your rules',
  },
} as const

type TestPanelProps = { visitor: Visitor; inspected: InspectedRfq; title?: string }

function TestPanel({ visitor, inspected: { rfq, answersNow }, title = 'Test it now' }: TestPanelProps) {
  if (answersNow === null)
    return (
      <Panel title={title}>
        <p>
          Buyers get no answer from you now. <NobodyAnswers />
        </p>
      </Panel>
    )
  const { lead, label } = TEST_WORDS[answersNow]
  return (
    <Panel title={title} lead={rfq.deadlineIso === null ? lead : `${lead} The test has no delivery date.`}>
      {visitor.may('manage') ? (
        <Action to={`${rfqPath(rfq.id)}/test`} label={label} />
      ) : (
        <WhoMay visitor={visitor} right="manage" what="send a test" />
      )}
    </Panel>
  )
}

function NobodyAnswers() {
  return <a href={AGENT_PATH}>Register your agent or turn on managed pricing</a>
}
