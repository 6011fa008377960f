/** One offer: how it stands, what it says, and the form that changes it for who may. */
import type { Child } from 'hono/jsx'
import { productPath } from '../../../catalog/profile.ts'
import { OFFER, type OfferTerms } from '../../../offers/offer.model.ts'
import type { OfferWithClicks } from '../../../offers/offers.service.ts'
import { Moment } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import { type FormState, Hidden } from '../../kit/fields.tsx'
import { DataTable, Panel, State, Stats } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { DashboardPage, type Visitor, whoMay } from '../page.tsx'
import { claimPath, OFFERS_PATH, offerPath } from '../paths.ts'
import { OfferActions } from './actions.tsx'
import { draftFor, FORM_ID, OfferFields } from './offer.fields.tsx'
import { valuesOf } from './offer.form.ts'
import { Preview } from './preview.tsx'
import { standingOf } from './standing.ts'
import { termText } from './terms.ts'

type Clash = {
  /** What was typed, and could not be saved over what somebody else had saved meanwhile. */
  mine: OfferTerms
  who: string
}

export type OfferPageProps = {
  site: Site
  visitor: Visitor
  offer: OfferWithClicks
  related: boolean
  /** What was typed, when it was refused or is only looked at; else what is stored. */
  state: FormState | null
  now: Date
  done?: string | null
  clash?: Clash | null
  /** Of what is not the form: a state that could not be set. */
  errors?: FormState['errors']
}

export function renderOffer(props: OfferPageProps): string {
  const { site, visitor, offer, related, now, done = null, clash = null } = props
  const standing = standingOf(offer, { now, related })
  const state = props.state ?? { values: valuesOf(offer), errors: {} }
  const [category = '', slug = ''] = offer.productSlug.split('/')
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title={offer.headline}
      lead={
        <>
          For <a href={productPath({ slug, category: { slug: category } })}>{offer.productTitle}</a>
        </>
      }
      at={OFFERS_PATH}
      done={done}
      errors={props.errors ?? state.errors}
    >
      {clash && <Differences {...clash} theirs={offer} />}
      <Stats
        items={[
          {
            label: 'State',
            value: (
              <Plain>
                <State tone={standing.tone}>{standing.word}</State>
              </Plain>
            ),
            note: standing.note ?? undefined,
          },
          { label: 'Clicks in 30 days', value: formatCount(offer.clicks.recent) },
          { label: 'Clicks in all', value: formatCount(offer.clicks.ever) },
          {
            label: 'Last changed',
            value: (
              <Plain>
                <Moment at={offer.updatedAt} />
              </Plain>
            ),
          },
        ]}
      />
      {standing.kind === 'unrelated' && (
        <p class="aside">
          Buyers do not see this offer, because your claim to the product is not proved any more.{' '}
          {visitor.may('edit') && <a href={claimPath(offer.productSlug)}>Claim the product again</a>}
        </p>
      )}
      <OfferActions visitor={visitor} offer={offer} standing={standing} now={now} />
      {visitor.may('edit') ? (
        <OfferFields
          visitor={visitor}
          action={offerPath(offer.id)}
          state={state}
          now={now}
          product={
            <>
              <Hidden name="product_slug" value={offer.productSlug} />
              <Hidden
                name="version"
                value={clash ? offer.updatedAt.toISOString() : versionIn(state, offer)}
              />
            </>
          }
          buttons={
            <>
              <button class="button" type="submit" name="save" value="terms">
                {clash ? 'Save mine anyway' : 'Save'}
              </button>
              {standing.kind === 'draft' && (
                <button class="button plain" type="submit" name="save" value="show">
                  Save and show
                </button>
              )}
            </>
          }
        />
      ) : (
        <Facts {...props} />
      )}
    </DashboardPage>,
  )
}

/** A form that is shown again still was opened with the version that it was opened with. */
function versionIn({ values }: FormState, offer: OfferWithClicks): string {
  return values.version ?? offer.updatedAt.toISOString()
}

/** What is no number, among figures. */
function Plain({ children }: { children: Child }) {
  return <span class="plain-figure">{children}</span>
}

function Facts({ visitor, offer, now }: OfferPageProps) {
  return (
    <div class="side-by-side offer-sides">
      <Panel title="Terms" lead={`${whoMay('edit')} can change these.`}>
        <DataTable
          caption="What the offer says"
          columns={[{ label: 'Term' }, { label: 'Value' }]}
          rows={OFFER.keys.map((key) => [OFFER.labels[OFFER.names[key]] ?? key, termText(offer, key)])}
        />
      </Panel>
      <Panel title="Preview" lead="As the product's page shows it.">
        <Preview draft={draftFor(visitor, { values: valuesOf(offer) })} now={now} typing={false} />
      </Panel>
    </div>
  )
}

/** Two versions, field by field; below stands the form with one's own, to save as it is or to change first. */
function Differences({ mine, who, theirs }: Clash & { theirs: OfferWithClicks }) {
  const differing = OFFER.keys.filter((key) => !sameTerm(mine[key], theirs[key]))
  return (
    <section class="panel" role="alert" aria-labelledby="clash-title">
      <h2 id="clash-title">{who} changed this offer since you opened it</h2>
      <p>
        What was saved on <Moment at={theirs.updatedAt} /> stands. Yours was not saved yet; it is still in the
        form below.
      </p>
      {differing.length === 0 ? (
        <p>The terms are the same as yours; only the state was changed.</p>
      ) : (
        <DataTable
          caption="What was saved beside what you typed"
          columns={[{ label: 'Term' }, { label: 'Saved' }, { label: 'Yours' }]}
          rows={differing.map((key) => [
            OFFER.labels[OFFER.names[key]] ?? key,
            termText(theirs, key),
            termText(mine, key),
          ])}
        />
      )}
      <div class="console-actions">
        <button class="button" type="submit" form={FORM_ID} name="save" value="terms">
          Save mine anyway
        </button>
        <a class="button plain" href={offerPath(theirs.id)}>
          Take theirs
        </a>
      </div>
    </section>
  )
}

function sameTerm(a: OfferTerms[keyof OfferTerms], b: OfferTerms[keyof OfferTerms]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
