/**
 * Asking the sellers of everything in a plan: the part of the plan's page that asks, and the page with the answers, which
 * is followed live without scripts, as that of a single request is. Beside each best quote stands what the plan has for
 * the line, and beside their total that of the plan.
 */

import { z } from 'zod'
import { usd } from '../../lib/words.ts'
import { shownName } from '../../orgs/shown-org.ts'
import type { PlanQuotes } from '../../plans/ask.service.ts'
import type { PlanResponse } from '../../plans/plans.schema.ts'
import { Moment } from '../components/moment.tsx'
import { Picture } from '../components/picture.tsx'
import { capital, countOf } from '../format.ts'
import type { FormState } from '../kit/fields.tsx'
import { Form } from '../kit/fields.tsx'
import { Fields } from '../kit/form.tsx'
import { LinkButton, LinkLine } from '../kit/parts.tsx'
import { ASK_FORM, AskRequest, QUOTES_PATH } from '../quotes/ask-form.tsx'
import { planPath, planQuotesPath } from './address.ts'
import type { PlanProfiles } from './plan-parts.tsx'

type Line = PlanQuotes['lines'][number]

const WHERE = ['delivery_region', 'deadline_iso'] as const

/** Where and by when, as the form of a single request reads it. */
export const AskAllRequest = z.record(z.string(), z.string()).transform((form, ctx) => {
  const read = AskRequest.safeParse({ ...form, product_slug: 'any', quantity: '1' })
  if (read.success) {
    const { delivery_region, deadline_iso } = read.data
    return { delivery_region, deadline_iso }
  }
  for (const { path, message } of read.error.issues) ctx.addIssue({ code: 'custom', path, message })
  return z.NEVER
})

type AskProps = { plan: PlanResponse; quotes: PlanQuotes; state: FormState }

export function AskSection({ plan, quotes, state }: AskProps) {
  const isAsked = quotes.lines.some(({ request_id }) => request_id !== null)
  return (
    <section id="ask" aria-labelledby="ask-title">
      <h2 id="ask-title">Ask all sellers</h2>
      {isAsked && (
        <>
          <Totals {...quotes} />
          <p>
            <LinkButton to={planQuotesPath(plan.plan_id)} label="See the quotes" />
          </p>
        </>
      )}
      <Asking plan={plan} quotes={quotes} state={state} again={isAsked} />
    </section>
  )
}

function Asking({ plan, quotes, state, again }: AskProps & { again: boolean }) {
  const open = quotes.lines.filter(
    ({ line, state: standing }) => standing === 'not_asked' && productOf(plan, line) !== null,
  )
  if (again && open.length === 0) return null
  return (
    <>
      <p class="soft">
        We send {countOf(open.length, 'request')}, one for each thing{again && ' that was not asked for'}, to
        everyone who sells it, and show the best quotes beside your plan. You don't commit to buying anything.
        Each counts as a request of yours.
      </p>
      <Form action={planQuotesPath(plan.plan_id)} label="Ask all sellers">
        <details class="plan-more" open={WHERE.some((name) => state.errors[name] !== undefined)}>
          <summary>Where and by when (optional)</summary>
          <div class="fields">
            <Fields of={ASK_FORM} state={state} only={WHERE} />
          </div>
        </details>
      </Form>
    </>
  )
}

/** The best quotes together, and what the plan has for the same things. */
function Totals({ lines, quoted_usd, plan_usd, total_usd }: PlanQuotes) {
  const quoted = lines.filter(({ best }) => best !== null).length
  if (quoted === 0) return null
  const saved = plan_usd - quoted_usd
  const whole = total_usd - plan_usd + quoted_usd
  return (
    <>
      <dl class="facts sums">
        <div>
          <dt>
            Best quotes for {quoted} of {countOf(lines.length, 'thing')}
          </dt>
          <dd>
            <span class="price">{usd(quoted_usd)}</span>
          </dd>
        </div>
        <div>
          <dt>Listed price of the same</dt>
          <dd>
            <span class="price">{usd(plan_usd)}</span>
          </dd>
        </div>
        <div>
          <dt>{saved < 0 ? 'Quotes cost more by' : 'You save'}</dt>
          <dd>
            <span class={saved > 0 ? 'price sale' : 'price'}>{usd(Math.abs(saved))}</span>
          </dd>
        </div>
      </dl>
      <p class="soft">
        With these quotes the whole plan costs {usd(whole)} instead of {usd(total_usd)}. Quotes include
        shipping where a seller states it.
      </p>
    </>
  )
}

type QuotesProps = { plan: PlanResponse; quotes: PlanQuotes; profiles: PlanProfiles }

/** Stands while sellers are asked; what is written after it takes its place. */
export function AskingAll({ plan, quotes }: Omit<QuotesProps, 'profiles'>) {
  return (
    <section class="asking" aria-labelledby="asking-title">
      <h2 id="asking-title">Asking every seller</h2>
      <p role="status">
        We're asking for {countOf(quotes.lines.filter(isWaiting).length, 'thing')}. The quotes appear here
        when everyone has answered or the time is up. You can leave: they'll be in your plan.
      </p>
      <progress aria-labelledby="asking-title" />
      <LinkLine to={planPath(plan.plan_id)}>Back to the plan</LinkLine>
    </section>
  )
}

export function isWaiting({ state }: Line): boolean {
  return state === 'waiting'
}

export function QuotedPlan({ plan, quotes, profiles, state }: QuotesProps & { state: FormState }) {
  const isOpen = quotes.lines.some(isWaiting)
  return (
    <section class="ended quoted-plan" aria-labelledby="ended-title">
      <div role="status">
        <h2 id="ended-title">
          {isOpen
            ? 'Some sellers have not answered yet'
            : `Quotes for ${quotes.lines.length - quotes.without_quote.length} of ${countOf(quotes.lines.length, 'thing')}`}
        </h2>
      </div>
      {isOpen && (
        <LinkLine to={planQuotesPath(plan.plan_id)} button>
          Check again
        </LinkLine>
      )}
      <Totals {...quotes} />
      <ul class="quoted-rows">
        {quotes.lines.map((line) => (
          <QuotedRow line={line} plan={plan} profiles={profiles} />
        ))}
      </ul>
      <Asking plan={plan} quotes={quotes} state={state} again />
      <LinkLine to={planPath(plan.plan_id)}>Back to the plan</LinkLine>
    </section>
  )
}

const STANDING: Record<Line['state'], string> = {
  not_asked: 'Not asked yet',
  waiting: 'Asking sellers',
  quoted: 'Best quote',
  no_quote: 'No seller gave a quote',
  no_sellers: 'Nobody sells this here yet',
}

function QuotedRow({ line, plan, profiles }: { line: Line; plan: PlanResponse; profiles: PlanProfiles }) {
  const row = plan.categories.find(({ slug }) => slug === line.line)
  const profile = profiles.get(row?.product?.slug ?? '')
  const { best, plan_usd, request_id } = line
  return (
    <li>
      <div class="quoted-picture">{profile && <Picture profile={profile} lazy decorative />}</div>
      <div>
        <p class="row-note">{capital(row?.role ?? line.line)}</p>
        <h3>{row?.product?.title ?? 'No product'}</h3>
        {best && (
          <p class="row-note">
            {shownName(best.seller)}, until <Moment at={new Date(best.offer_expires_at)} />
          </p>
        )}
        {request_id !== null && (
          <LinkLine to={`${QUOTES_PATH}/${request_id}`}>
            All quotes<span class="hidden"> for {row?.product?.title}</span>
          </LinkLine>
        )}
      </div>
      <dl class="quoted-money">
        <div>
          <dt>{STANDING[line.state]}</dt>
          <dd class={best && plan_usd !== null && best.total_usd < plan_usd ? 'price sale' : 'price'}>
            {best ? usd(best.total_usd) : '–'}
          </dd>
        </div>
        <div>
          <dt>Listed</dt>
          <dd>{plan_usd === null ? 'Not stated' : usd(plan_usd)}</dd>
        </div>
      </dl>
    </li>
  )
}

function productOf({ categories }: PlanResponse, line: string) {
  return categories.find(({ slug }) => slug === line)?.product ?? null
}
