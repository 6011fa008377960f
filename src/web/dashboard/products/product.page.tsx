/** One product as its producer sees it: how the claim stands, what is wrong, who said what, and what was proposed. */
import { PROPOSABLE_FIELDS, type ProposableField } from '../../../catalog/enrichment.schema.ts'
import type { EnrichmentStanding } from '../../../catalog/enrichment.service.ts'
import { type ProductProfile, priceRange, productPath, slugOf } from '../../../catalog/profile.ts'
import type { Relationship } from '../../../catalog/relationships.service.ts'
import { formatUsd } from '../../../lib/money.ts'
import { shorten } from '../../../lib/text.ts'
import type { CatalogIssues } from '../../../producers/issues.service.ts'
import { Picture } from '../../components/picture.tsx'
import { countOf, formatDate } from '../../format.ts'
import { type FormState, Hidden } from '../../kit/fields.tsx'
import { Confirm, DataTable, Panel, State } from '../../kit/parts.tsx'
import { availabilityWords, FIELD_WORDS, partWords } from '../../kit/proposal-words.ts'
import type { Site } from '../../site.ts'
import { remedyOf, SEVERITY_WORDS, whatIsWrong } from '../issue-words.ts'
import { ActionForm, DashboardPage, type Visitor, WhoMay } from '../page.tsx'
import {
  changePath,
  claimPath,
  newOfferFor,
  offersOf,
  ownProductPath,
  PRODUCTS_PATH,
  pricingPath,
} from '../paths.ts'
import { Standing } from './claims.part.tsx'
import { Proposals } from './proposals.part.tsx'
import { CLAIM_WORDS, PROFILE_WORDS } from './words.ts'

export const PROPOSALS_PER_PAGE = 10

export type OwnProduct = {
  profile: ProductProfile
  relationships: Relationship[]
  issues: CatalogIssues
  standing: EnrichmentStanding
  /** Of its proposals. */
  page: number
}

type ProductPage = OwnProduct & {
  site: Site
  visitor: Visitor
  done: string | null
  errors: FormState['errors']
}

export function renderProduct(view: ProductPage): string {
  const { site, visitor, profile, relationships, done, errors } = view
  const proved = relationships.some(({ status }) => status === 'verified')
  const slug = slugOf(profile)
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title={profile.title}
      at={PRODUCTS_PATH}
      done={done}
      errors={errors}
      actions={
        proved &&
        visitor.may('edit') && (
          <>
            <a class="button" href={changePath(slug)}>
              Propose a change
            </a>
            <a class="button plain" href={newOfferFor(slug)}>
              Create an offer
            </a>
          </>
        )
      }
    >
      <Head profile={profile} proved={proved} />
      <WhoMay visitor={visitor} right="edit" what="change what is on this page" />
      <Claims {...view} />
      <Issues {...view} />
      <Profile {...view} />
      <Proposals
        visitor={visitor}
        slug={slug}
        proposals={view.standing.proposals}
        page={view.page}
        pages={Math.ceil(view.standing.total / PROPOSALS_PER_PAGE)}
        mayPropose={proved && visitor.may('edit')}
      />
    </DashboardPage>,
  )
}

function Head({ profile, proved }: { profile: ProductProfile; proved: boolean }) {
  const slug = slugOf(profile)
  const { tone, words } = PROFILE_WORDS[profile.verificationStatus]
  return (
    <div class="product-name product-head">
      <Picture profile={profile} />
      <div>
        <p>
          {[profile.brand?.name, profile.category.label, priceRange(profile)]
            .filter((fact) => fact != null)
            .join(' · ')}
        </p>
        <p>
          Profile: <State tone={tone}>{words}</State>
        </p>
        {profile.discontinued && <p class="badge">Discontinued</p>}
        <p class="line">
          <a href={productPath(profile)}>See its public page</a>
          <a href={offersOf(slug)}>Its offers</a>
          {proved && <a href={pricingPath(slug)}>Its pricing</a>}
        </p>
      </div>
    </div>
  )
}

function Claims({ visitor, profile, relationships }: ProductPage) {
  const slug = slugOf(profile)
  const mayEdit = visitor.may('edit')
  const proved = relationships.filter(({ status }) => status === 'verified')
  return (
    <Panel
      title="Your claim"
      id="claims"
      actions={
        relationships.length < 2 && mayEdit && <a href={claimPath(slug)}>Claim another relationship</a>
      }
    >
      {relationships.map((relationship) => (
        <>
          <Standing relationship={relationship} org={visitor.org} profile={profile} mayEdit={mayEdit} />
          {mayEdit && (
            <Confirm ask={`Withdraw the claim “${CLAIM_WORDS[relationship.type].toLowerCase()}”`}>
              <p>{withdrawal(relationship, proved)}</p>
              <ActionForm
                visitor={visitor}
                action={`${ownProductPath(slug)}/claims/withdraw`}
                label="Withdraw the claim"
                kind="danger"
              >
                <Hidden name="relationship_id" value={relationship.id} />
              </ActionForm>
            </Confirm>
          )}
        </>
      ))}
    </Panel>
  )
}

function withdrawal({ id, status }: Relationship, proved: Relationship[]): string {
  const last = status === 'verified' && proved.every((one) => one.id === id)
  return last
    ? 'It is your only proved claim to this product: your offers for it are paused, you are no longer asked for quotes, and you cannot propose changes until you claim it again. What was approved stays in the profile.'
    : 'Your offers for this product stay as they are. You can claim it again at any time.'
}

function Issues({ issues: { issues }, standing, visitor }: ProductPage) {
  return (
    <Panel title="Issues" lead={issues.length === 0 ? 'Nothing is wrong with it.' : undefined}>
      {issues.length > 0 && (
        <ul class="rows">
          {issues.map((issue) => {
            const { tone, one } = SEVERITY_WORDS[issue.severity]
            const { fix, href, label } = remedyOf(issue, visitor.may('edit'))
            return (
              <li>
                <p>
                  <State tone={tone}>{one}</State> {whatIsWrong(issue)}
                  {issue.reviewNote !== null && ` The operator wrote: “${issue.reviewNote}”`}
                  <span class="row-note">{fix}</span>
                </p>
                {href !== ownProductPath(standing.productSlug) && <a href={href}>{label}</a>}
              </li>
            )
          })}
        </ul>
      )}
    </Panel>
  )
}

function Profile({ profile, standing, relationships, visitor }: ProductPage) {
  const saidOf = new Map(standing.fields.map((said) => [said.field, said]))
  const today = todayWords(profile)
  const isStated = (field: ProposableField) => today[field] !== null || saidOf.has(field)
  const stated = PROPOSABLE_FIELDS.filter(isStated)
  const unsaid = PROPOSABLE_FIELDS.filter((field) => !isStated(field))
  const others = standing.fields.filter(({ field }) => !Object.hasOwn(FIELD_WORDS, field))
  const mayPropose = visitor.may('edit') && relationships.some(({ status }) => status === 'verified')
  return (
    <Panel
      title="Who said what"
      id="profile"
      lead="What the profile says today, and whose word each part is."
      actions={mayPropose && <a href={changePath(slugOf(profile))}>Change the profile</a>}
    >
      <DataTable
        caption="The profile today and who said it"
        columns={[{ label: 'Field' }, { label: 'Today' }, { label: 'Said by' }]}
        rows={stated.map((field) => {
          const said = saidOf.get(field)
          return [
            FIELD_WORDS[field],
            today[field] ?? <span class="soft">Nothing</span>,
            said === undefined ? (
              <span class="soft">Nobody</span>
            ) : (
              <>
                {said.source}
                {said.verifiedAt !== null && (
                  <span class="row-note">Approved {formatDate(said.verifiedAt.slice(0, 10))}</span>
                )}
              </>
            ),
          ]
        })}
      />
      {unsaid.length > 0 && (
        <p class="soft">Nobody has said yet: {unsaid.map((field) => FIELD_WORDS[field]).join(', ')}.</p>
      )}
      {others.length > 0 && (
        <p class="soft">
          Not for producers to change: {others.map(({ field }) => partWords(field).toLowerCase()).join(', ')}.
        </p>
      )}
    </Panel>
  )
}

const MAX_SHOWN = 140

/** Null where nothing is said. */
function todayWords(profile: ProductProfile): Record<ProposableField, string | null> {
  const text = (value: string | null) => (value ? shorten(value, MAX_SHOWN) : null)
  const list = (entries: string[]) => text(entries.join(', '))
  return {
    title: text(profile.title),
    model: text(profile.model),
    description: text(profile.description),
    specs: profile.specs.length === 0 ? null : countOf(profile.specs.length, 'spec'),
    best_for: list(profile.bestFor),
    not_for: list(profile.notFor),
    where_to_buy: list(profile.whereToBuy.map(({ name }) => name)),
    price: priceRange(profile),
    list_price: profile.listPriceCents === null ? null : formatUsd(profile.listPriceCents),
    released: profile.released === null ? null : formatDate(profile.released),
    discontinued: availabilityWords(profile.discontinued),
    gtin: text(profile.gtin),
    mpn: text(profile.mpn),
    sku: text(profile.sku),
  }
}
