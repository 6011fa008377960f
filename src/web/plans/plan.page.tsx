/**
 * A kept plan and all that its owner can change about it. Everything is a form with one button, so that it works without
 * scripts; what is seldom needed is folded away. A line is changed where it stands; the money, what may be added and what
 * more money would buy stand beside the lines.
 */
import type { Child } from 'hono/jsx'
import { MAX_PIECES } from '../../bundles/bundles.schema.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import { usd } from '../../lib/words.ts'
import type { PlanResponse } from '../../plans/plans.schema.ts'
import type { LeftToday } from '../../plans/quota.service.ts'
import { Moment } from '../components/moment.tsx'
import { Picture } from '../components/picture.tsx'
import { Rating } from '../components/product-card.tsx'
import { countOf } from '../format.ts'
import { Field, type FormState, Hidden } from '../kit/fields.tsx'
import { Action, LinkLine } from '../kit/parts.tsx'
import { PLANS_PATH, planPath } from './address.ts'
import { type PlanProfiles, RowBody, RowPicture, SpendingBar, Sums } from './plan-parts.tsx'
import { plansLeftWords } from './plans-left.ts'

type Line = PlanResponse['categories'][number]
type Alternative = Line['alternatives'][number]

export type PlanPage = {
  plan: PlanResponse
  /** Of the plan's products and their alternatives. */
  profiles: PlanProfiles
  /** What was typed, and which line it was for. */
  state: FormState
  /** Categories that may be added. */
  categories: ReadonlyArray<{ slug: string; label: string }>
  /** Products like what was typed to be added and is no category. */
  found: ProductProfile[]
  editsLeft: LeftToday
  plansLeft: LeftToday
  /** Sharing and asking sellers. */
  children?: Child
}

const NOTHING: FormState = { values: {}, errors: {} }
/** Of edits left: from here on people should know. */
const FEW = 20
const FIRST_ROWS = 3

export function PlanBody(page: PlanPage) {
  const { plan, state, editsLeft, plansLeft } = page
  const empty = plan.categories.filter(({ product }) => product === null)
  return (
    <div class="plan-page">
      <section class="plan-money" aria-labelledby="money">
        <h2 class="hidden" id="money">
          Budget and total
        </h2>
        <Sums {...plan} />
        <SpendingBar {...plan} />
        <details class="plan-more" open={state.errors.budget !== undefined}>
          <summary>Change the budget</summary>
          <EditForm {...page} does="budget" label="Change budget" kind="main">
            <Field
              state={state.values.do === 'budget' ? state : NOTHING}
              name="budget"
              label="Budget in US dollars"
              hint="Leave empty for no budget."
              autocomplete="off"
              value={plan.budget === null ? '' : String(plan.budget)}
            />
          </EditForm>
        </details>
        {editsLeft.left <= FEW && (
          <p class="soft">
            {editsLeft.left === 0
              ? `You've used all ${editsLeft.of} changes for today. You get more at 00:00 UTC.`
              : `${countOf(editsLeft.left, 'change')} left today.`}
          </p>
        )}
      </section>
      <section class="plan-lines" aria-labelledby="lines">
        <h2 id="lines">{countOf(plan.categories.length, 'thing')} in your plan</h2>
        {empty.length > 0 && (
          <p class="aside">
            Without a product now: {empty.map(({ label }) => label).join(', ')}. Replace to choose one.
          </p>
        )}
        <ul class="plan-editor">
          {plan.categories.map((line, index) => (
            <LineRow {...page} line={line} index={index} />
          ))}
        </ul>
        <Adding {...page} />
        <LeftOut {...page} />
      </section>
      <div class="plan-side">
        <Upgrades {...page} />
        {page.children}
        <section aria-labelledby="about-plan">
          <h2 id="about-plan">About this plan</h2>
          <p class="soft">
            Made <Moment at={new Date(plan.created_at)} />
            {plan.updated_at !== plan.created_at && (
              <>
                , changed <Moment at={new Date(plan.updated_at)} />
              </>
            )}
            . Prices are those of now, at the highest shop price.
          </p>
          <p class="soft">{plansLeftWords(plansLeft)}</p>
          <p class="line">
            <a href={PLANS_PATH}>All your plans</a>
          </p>
          <Action
            to={`${planPath(plan.plan_id)}/delete`}
            label="Delete plan"
            kind="danger"
            ask="Delete this plan"
          >
            <p>Shared links stop working. Requests that you sent to sellers stay in your quotes.</p>
          </Action>
        </section>
      </div>
    </div>
  )
}

type EditFormProps = {
  plan: PlanResponse
  does: string
  label: string
  /** What it is about, for who hears the button without what stands around it. */
  about?: string
  kind?: 'plain' | 'main'
  fields?: Readonly<Record<string, string>>
  children?: Child
}

/** A form with one button that changes the plan. */
function EditForm({ plan, does, label, about, kind = 'plain', fields = {}, children }: EditFormProps) {
  return (
    <form class="plan-edit" method="post" action={planPath(plan.plan_id)}>
      <Hidden name="do" value={does} />
      <Hidden name="revision" value={String(plan.revision)} />
      {Object.entries(fields).map(([name, value]) => (
        <Hidden name={name} value={value} />
      ))}
      {children}
      <button class={kind === 'plain' ? 'button plain' : 'button'} type="submit">
        {label}
        {about && <span class="hidden">{about}</span>}
      </button>
    </form>
  )
}

function LineRow({ line, index, ...page }: PlanPage & { line: Line; index: number }) {
  const { plan, profiles, state } = page
  const { slug, label, kept, quantity, product, reasoning } = line
  const profile = profiles.get(product?.slug ?? '')
  const mine = state.values.line === slug ? state : NOTHING
  const edit = { plan, fields: { line: slug } }
  return (
    <li class={kept ? 'plan-row kept' : 'plan-row'} id={`line-${slug}`}>
      <RowPicture profile={profile} lazy={index >= FIRST_ROWS} />
      <RowBody row={line} index={index} profile={profile}>
        <p class="card-text">{reasoning}</p>
        <div class="plan-actions">
          {product && (
            <EditForm
              {...edit}
              does={kept ? 'release' : 'keep'}
              label={kept ? 'Let it change' : 'Keep'}
              about={` ${label}`}
            />
          )}
          <details class="plan-replace" open={mine.values.do === 'replace'}>
            <summary>
              Replace<span class="hidden"> {label}</span>
            </summary>
            <Alternatives {...page} line={line} own={profile} />
          </details>
          <EditForm {...edit} does="remove" label="Remove" about={` ${label}`} />
          <EditForm {...edit} does="quantity" label="Set quantity" about={` of ${label}`}>
            <Field
              state={mine.values.do === 'quantity' ? mine : NOTHING}
              name="quantity"
              label={`Quantity of ${label}`}
              labelHidden
              type="number"
              min={1}
              max={MAX_PIECES}
              required
              autocomplete="off"
              suffix={mine.values.do === 'quantity' ? undefined : `-${slug}`}
              value={String(quantity)}
            />
          </EditForm>
        </div>
      </RowBody>
      {kept && (
        <p class="plan-kept">
          <span aria-hidden="true">✓ </span>Kept
        </p>
      )}
    </li>
  )
}

type AlternativesProps = Pick<PlanPage, 'plan' | 'profiles'> & {
  line: Line
  own: ProductProfile | undefined
}

function Alternatives({ plan, profiles, line, own }: AlternativesProps) {
  const { slug, label, alternatives } = line
  if (alternatives.length === 0) return <p class="soft">No other product fits here.</p>
  return (
    <>
      <ul class="alternatives">
        {alternatives.map((one) => {
          const profile = profiles.get(one.product.slug)
          return (
            <li>
              {profile && <Picture profile={profile} lazy decorative />}
              <div>
                <LinkLine to={one.product.url}>{one.product.title}</LinkLine>
                <p class="row-note">
                  {profile && <Rating rating={profile.rating} reviewCount={profile.reviewCount} />}{' '}
                  {profile && differs(profile, own)}
                </p>
                {one.product.verdict && <p class="card-text">{one.product.verdict}</p>}
              </div>
              <div class="alternative-end">
                <p class="price">{one.cost === null ? 'See sellers' : usd(one.cost)}</p>
                <Change {...one} over="over budget, others would change" />
                <EditForm
                  {...{ plan, does: 'replace', label: 'Choose', about: ` ${one.product.title}` }}
                  fields={{ line: slug, with: `${slug}/${one.product.slug}` }}
                />
              </div>
            </li>
          )
        })}
      </ul>
      <EditForm
        {...{ plan, does: 'replace', label: 'Pick another for me', about: `: ${label}` }}
        fields={{ line: slug }}
      />
    </>
  )
}

/** "+$40 → $1,120" */
function Change({
  change,
  total,
  fits,
  over,
}: Pick<Alternative, 'change' | 'total' | 'fits'> & { over: string }) {
  if (change === null || total === null) return null
  return (
    <p class="row-note">
      <span class="hidden">Changes the total by </span>
      {signed(change)} <span aria-hidden="true">→</span>
      <span class="hidden"> to</span> {usd(total)}
      {!fits && <span class="plan-over"> {over}</span>}
    </p>
  )
}

function signed(dollars: number): string {
  if (dollars === 0) return '±$0'
  return `${dollars < 0 ? '−' : '+'}${usd(Math.abs(dollars))}`
}

const CLEARLY = 0.2

/** How its reviews compare with those of the product in the plan. */
function differs(one: ProductProfile, own: ProductProfile | undefined): string | null {
  if (!own || one.rating === null || own.rating === null) return null
  const gap = one.rating - own.rating
  const rated = gap >= CLEARLY ? 'rated higher' : gap <= -CLEARLY ? 'rated lower' : 'rated about the same'
  const same = one.brand !== null && one.brand === own.brand ? ', same brand' : ''
  return `${rated}${same}`
}

function Adding(page: PlanPage) {
  const { plan, state, categories, found } = page
  const typed = state.values.do === 'add' ? state : NOTHING
  return (
    <section class="plan-add" aria-labelledby="add-title">
      <h3 id="add-title">Add something</h3>
      <EditForm plan={plan} does="add" label="Add" kind="main">
        <Field
          state={typed}
          name="add"
          label="What else do you need?"
          labelHidden
          autocomplete="off"
          list="add-choices"
          suggest="categories,products"
          maxlength={300}
          required
        />
      </EditForm>
      <datalist id="add-choices">
        {categories.map(({ label }) => (
          <option value={label} />
        ))}
      </datalist>
      {found.length > 0 && (
        <ul class="alternatives" aria-label="Products like what you typed">
          {found.map((profile) => (
            <li>
              <Picture profile={profile} lazy decorative />
              <div>
                <p>{profile.title}</p>
                <p class="row-note">
                  {profile.category.label}{' '}
                  <Rating rating={profile.rating} reviewCount={profile.reviewCount} />
                </p>
              </div>
              <div class="alternative-end">
                <EditForm
                  {...{ plan, does: 'add', label: 'Add', about: ` ${profile.title}` }}
                  fields={{ add: `${profile.category.slug}/${profile.slug}` }}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const WHY = { removed: 'you removed it', dropped: 'the budget has no good one' }

function LeftOut({ plan }: PlanPage) {
  if (plan.left_out.length === 0) return null
  return (
    <section aria-labelledby="left-title">
      <h3 id="left-title">Left out</h3>
      <ul class="rows">
        {plan.left_out.map(({ slug, label, why }) => (
          <li>
            <p>
              {label}
              <span class="row-note">{WHY[why]}</span>
            </p>
            <EditForm
              {...{ plan, does: 'add', label: 'Put back', about: ` ${label}` }}
              fields={{ add: slug }}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

const MOST_UPGRADES = 3

/** What more money would buy. What does not fit the budget raises it in the same step. */
function Upgrades({ plan, profiles }: PlanPage) {
  const { upgrades, budget } = plan
  if (upgrades.length === 0 || budget === null) return null
  const labelOf = (slug: string) => plan.categories.find((line) => line.slug === slug)?.label ?? slug
  return (
    <section aria-labelledby="more-title">
      <h2 id="more-title">What more money would buy</h2>
      <ul class="upgrades">
        {upgrades.slice(0, MOST_UPGRADES).map(({ line, product, total, fits, change, cost }) => {
          const profile = profiles.get(product.slug)
          const raised = Math.max(budget, Math.ceil(total ?? 0))
          return (
            <li>
              {profile && <Picture profile={profile} lazy decorative />}
              <div>
                <p class="row-note">{labelOf(line)}</p>
                <LinkLine to={product.url}>{product.title}</LinkLine>
                <p class="row-note">
                  {profile && <Rating rating={profile.rating} reviewCount={profile.reviewCount} />}{' '}
                  {cost !== null && <span class="price">{usd(cost)}</span>}
                </p>
                <Change change={change} total={total} fits={fits} over="over budget" />
                <EditForm
                  plan={plan}
                  does={fits ? 'replace' : 'upgrade'}
                  label={fits ? 'Choose' : `Raise budget to ${usd(raised)}`}
                  about={` for ${product.title}`}
                  fields={{
                    line,
                    with: `${line}/${product.slug}`,
                    ...(!fits && { budget: String(raised) }),
                  }}
                />
              </div>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
