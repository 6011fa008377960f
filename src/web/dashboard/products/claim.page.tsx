/** Claiming a product of the catalog: find it, say how one is related to it, and see what will prove it. */
import { type ProductProfile, priceRange, productPath, slugOf } from '../../../catalog/profile.ts'
import type { Relationship } from '../../../catalog/relationships.service.ts'
import { Picture } from '../../components/picture.tsx'
import { Field, type FormState, Hidden, Select, UNTOUCHED } from '../../kit/fields.tsx'
import { Empty, Panel } from '../../kit/parts.tsx'
import { FIELD_WORDS } from '../../kit/proposal-words.ts'
import type { Site } from '../../site.ts'
import { ActionForm, DashboardPage, type Visitor } from '../page.tsx'
import { CLAIM_PATH, claimPath, NEW_PRODUCT_PATH, ownProductPath, PRODUCTS_PATH } from '../paths.ts'
import { Outlook } from './claims.part.tsx'
import { CLAIM_WORDS } from './words.ts'

export const MAX_SOUGHT = 300

type Found = {
  profiles: ProductProfile[]
  /** Whether the text names the first of them; else they are what is nearest to it. */
  exact: boolean
  /** False while only numbers and addresses can be looked up. */
  ready: boolean
}

export type Sought = {
  words: string
  /** Null when nobody asked. */
  found: Found | null
}

export type Chosen = { profile: ProductProfile; relationships: Relationship[] }

type ClaimPage = {
  site: Site
  visitor: Visitor
  sought: Sought
  chosen: Chosen | null
  /** What an address named that is no product. */
  unknown: boolean
  state: FormState
}

export function renderClaim(page: ClaimPage): string {
  const { site, visitor, sought, chosen, state } = page
  const errors = page.unknown
    ? { q: 'The catalog has no product at that address. Look for it by its name.' }
    : state.errors
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="Claim a product"
      lead="Say which products of the catalog you sell or make. A proved claim lets you make offers, set prices and propose changes."
      at={PRODUCTS_PATH}
      errors={errors}
    >
      {chosen === null ? (
        <Find sought={sought} errors={errors} />
      ) : visitor.may('edit') ? (
        <ClaimForm visitor={visitor} chosen={chosen} state={state} />
      ) : null}
    </DashboardPage>,
  )
}

function Find({ sought: { words, found }, errors }: { sought: Sought; errors: FormState['errors'] }) {
  return (
    <Panel title="Find the product">
      <form class="fields" action={CLAIM_PATH}>
        <Field
          state={{ values: { q: words }, errors }}
          name="q"
          label="Which product?"
          hint="Its name, the number under its bar code, brand and part number, or the address of its page here"
          type="search"
          autocomplete="off"
          maxlength={MAX_SOUGHT}
          required
        />
        <p>
          <button class="button" type="submit">
            Find
          </button>
        </p>
      </form>
      {found !== null && <Results words={words} {...found} />}
    </Panel>
  )
}

function Results({ words, profiles, exact, ready }: Found & { words: string }) {
  if (profiles.length === 0)
    return (
      <Empty>
        <p role="status">
          {ready
            ? `The catalog has nothing for “${words}”.`
            : `No number or address is “${words}”, and the search by words is still loading. Try again in a moment.`}
        </p>
        {ready && (
          <p class="line">
            <a href={NEW_PRODUCT_PATH}>Propose it as a new product</a>
          </p>
        )}
      </Empty>
    )
  return (
    <>
      <p role="status">
        {exact ? 'Found for' : 'The nearest in the catalog to'} <strong>“{words}”</strong>
      </p>
      <ul class="rows">
        {profiles.map((profile) => (
          <li>
            <span class="product-name">
              <Picture profile={profile} lazy decorative />
              <span>
                <a href={claimPath(slugOf(profile))}>{profile.title}</a>
                <Facts profile={profile} />
              </span>
            </span>
          </li>
        ))}
      </ul>
      <p>
        Not among them? <a href={NEW_PRODUCT_PATH}>Propose it as a new product</a>
      </p>
    </>
  )
}

function Facts({ profile }: { profile: ProductProfile }) {
  const facts = [profile.brand?.name, profile.model, profile.category.label, priceRange(profile)]
  return <span class="row-note">{facts.filter((fact) => fact != null).join(' · ')}</span>
}

function ClaimForm({ visitor, chosen, state }: { visitor: Visitor; chosen: Chosen; state: FormState }) {
  const { profile, relationships } = chosen
  const slug = slugOf(profile)
  const waiting = relationships.find(({ status }) => status === 'pending')
  const checking = state.values.gtin || state.values.mpn || state.errors.gtin || state.errors.mpn
  return (
    <Panel title={profile.title} id="claim">
      <div class="product-name">
        <Picture profile={profile} decorative />
        <p>
          <Facts profile={profile} />
          <a href={productPath(profile)}>See its public page</a>
        </p>
      </div>
      {relationships.length > 0 && (
        <p class="aside">
          You have claimed it already:{' '}
          {relationships
            .map(
              ({ type, status }) =>
                `${CLAIM_WORDS[type].toLowerCase()} (${status === 'verified' ? 'proved' : 'waits'})`,
            )
            .join(', ')}
          . Claiming it again can add evidence to what waits.{' '}
          <a href={ownProductPath(slug)}>See how it stands</a>
        </p>
      )}
      <ActionForm visitor={visitor} action={CLAIM_PATH} label="Claim this product">
        <Hidden name="product_slug" value={slug} />
        <Select
          state={state}
          name="relationship_type"
          label="How are you related to it?"
          value={waiting?.type ?? (visitor.org.orgType === 'manufacturer' ? 'manufactured_by' : 'sells')}
          options={[
            ['sells', 'We sell it'],
            ['manufactured_by', 'We make it'],
          ]}
        />
        <Field
          state={state}
          name="evidence_url"
          label="Evidence (optional)"
          hint="A page the operator can look at, such as the product in your shop"
          type="url"
          autocomplete="off"
          maxlength={2_000}
          value={waiting?.evidenceUrl ?? undefined}
        />
        <details open={Boolean(checking)}>
          <summary>Make sure that it is the same product (optional)</summary>
          <div class="fields">
            <Field
              state={state}
              name="gtin"
              label={FIELD_WORDS.gtin}
              hint="The claim is refused if the product has another one"
              autocomplete="off"
              maxlength={30}
            />
            <Field state={state} name="mpn" label={FIELD_WORDS.mpn} autocomplete="off" maxlength={100} />
          </div>
        </details>
      </ActionForm>
      <h3>What will prove it</h3>
      <Outlook org={visitor.org} profile={profile} />
      <p>
        <a href={CLAIM_PATH}>Find another product</a>
      </p>
    </Panel>
  )
}

export const NOTHING_SOUGHT = {
  sought: { words: '', found: null },
  chosen: null,
  unknown: false,
  state: UNTOUCHED,
}
