/** /dashboard/products/claim: find a product of the catalog, say how you are related to it, see what verifies that. */

import { getProfile, getProfiles } from '../../../catalog/catalog.service.ts'
import { claimProduct, findNumbered } from '../../../catalog/claim.service.ts'
import {
  canonicalSlug,
  type ProductProfile,
  priceRange,
  productPath,
  slugOf,
} from '../../../catalog/profile.ts'
import {
  ClaimRequest,
  proofOf,
  RELATIONSHIP_TYPES,
  type RelationshipType,
  type VerifiedVia,
} from '../../../catalog/relationships.schema.ts'
import { findNamedProduct, listRelationshipsTo } from '../../../catalog/relationships.service.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Org } from '../../../orgs/orgs.schema.ts'
import { MAX_QUERY } from '../../../search/search.schema.ts'
import { namedIn } from '../../compare/compare.address.ts'
import { Picture } from '../../components/picture.tsx'
import type { Page, Seen } from '../../kit/console.tsx'
import { Field, Form, Hidden } from '../../kit/fields.tsx'
import { Fields, type FormSpec, formOf, inForm } from '../../kit/form.tsx'
import { optionsOf } from '../../kit/list.tsx'
import { LinkLine, Panel, Submit } from '../../kit/parts.tsx'
import { FIELD_WORDS } from '../../kit/proposal-words.ts'
import type { Dashboard, DashboardDeps, Visitor, VisitorSeen } from '../guard.tsx'
import { CLAIM_PATH, claimPath, NEW_PRODUCT_PATH, ORGANIZATION_PATH, ownProductPath } from '../paths.ts'
import { CLAIM_WORDS, claimWords } from './words.ts'

const MAX_SOUGHT = 300
const MAX_FOUND = 8

const FORM: FormSpec = {
  relationship_type: {
    ...{ kind: 'choice', label: 'Your relationship' },
    options: optionsOf({ sells: 'We sell it', manufactured_by: 'We make it' }),
  },
  evidence_url: {
    ...{ kind: 'url', label: 'Evidence', max: 2_000 },
    hint: 'Optional. A page that shows it, such as the product in your shop.',
  },
  gtin: {
    ...{ kind: 'text', label: FIELD_WORDS.gtin, max: 30 },
    hint: 'We refuse the claim if the product has another number.',
  },
  mpn: { kind: 'text', label: FIELD_WORDS.mpn, max: 100 },
}
const CLAIM: FormSpec = { ...FORM, product_slug: { kind: 'text', label: 'Product' } }

export const PROOF_WORDS: Record<VerifiedVia, string> = {
  brand_domain: 'your domain is the brand’s domain in the catalog',
  shop_link: 'a where-to-buy link of the product goes to your domain',
  operator: 'the operator checked it',
}

export function mountClaim(dashboard: Dashboard, deps: DashboardDeps): void {
  const { ctx } = deps

  async function show({ c, visitor, state }: VisitorSeen): Promise<Page | Response> {
    const named = state.values.product_slug ?? c.req.query('product')
    const ref = named === undefined ? null : await findNamedProduct(ctx, namedIn(named))
    const profile = ref && (await getProfile(ctx, ref))
    const words = (c.req.query('q') ?? '').trim().slice(0, MAX_SOUGHT)
    if (!profile && words.includes('/')) {
      const exact = await findNamedProduct(ctx, namedIn(words))
      if (exact) return c.redirect(claimPath(canonicalSlug(exact)), 303)
    }
    const errors =
      c.req.query('product') !== undefined && !profile
        ? { q: 'We couldn’t find a product at that address. Search for it by name.' }
        : state.errors
    return {
      title: 'Claim a product',
      lead: 'Tell us which products you sell or make. Once a claim is verified, you can publish offers, set prices and propose changes.',
      errors,
      body: profile ? (
        visitor.may('edit') && (await claimForm(visitor, profile, state))
      ) : (
        <Panel title="Find the product">
          <form class="fields" action={CLAIM_PATH}>
            <Field
              state={{ values: { q: words }, errors }}
              name="q"
              label="Which product?"
              hint="Its name, barcode number, brand and part number, or the address of its page here."
              type="search"
              autocomplete="off"
              maxlength={MAX_SOUGHT}
              required
            />
            <Submit line>Find</Submit>
          </form>
          {words !== '' && <Results words={words} {...(await findSought(deps, words))} />}
        </Panel>
      ),
    }
  }

  async function claimForm(
    visitor: Visitor,
    profile: ProductProfile,
    { values, errors }: Seen<object>['state'],
  ) {
    const slug = slugOf(profile)
    const relationships = await listRelationshipsTo(ctx, visitor, { productId: profile.id })
    const waiting = relationships.find(({ status }) => status === 'pending')
    const isMaker = visitor.org.orgType === 'manufacturer'
    const filled = {
      relationship_type: waiting?.type ?? (isMaker ? 'manufactured_by' : 'sells'),
      evidence_url: waiting?.evidenceUrl ?? '',
      ...values,
    }
    const evidence = {
      orgDomain: visitor.org.verificationStatus === 'verified' ? visitor.org.domain : null,
      brandDomain: profile.brand?.domain ?? null,
      shopUrls: profile.whereToBuy.map(({ url }) => url),
    }
    const checking = [values.gtin, values.mpn, errors.gtin, errors.mpn].some(Boolean)
    return (
      <Panel title={profile.title} id="claim">
        <div class="product-name">
          <Picture profile={profile} decorative />
          <p>
            <About profile={profile} />
            <a href={productPath(profile)}>View public page</a>
          </p>
        </div>
        {relationships.length > 0 && (
          <p class="aside">
            You already claimed it: {relationships.map(claimWords).join('; ').toLowerCase()}. Claim it again
            to add evidence. <a href={ownProductPath(slug)}>View your claims</a>
          </p>
        )}
        <Form action={CLAIM_PATH} label="Claim this product">
          <Hidden name="product_slug" value={slug} />
          <Fields of={FORM} state={{ values: filled, errors }} only={['relationship_type', 'evidence_url']} />
          <details open={checking}>
            <summary>Check that it’s the same product (optional)</summary>
            <div class="fields">
              <Fields of={FORM} state={{ values: filled, errors }} only={['gtin', 'mpn']} />
            </div>
          </details>
        </Form>
        <h3>How your claim gets verified</h3>
        <ul class="plain-list">
          {RELATIONSHIP_TYPES.map((type) => {
            const via = proofOf(type, evidence)
            return (
              <li>
                <strong>{CLAIM_WORDS[type]}:</strong>{' '}
                {via === null ? (
                  <ByDomain type={type} org={visitor.org} profile={profile} />
                ) : (
                  `verified right away, because ${PROOF_WORDS[via]}.`
                )}
              </li>
            )
          })}
          <li>If a domain can’t verify it, the operator decides based on your evidence.</li>
        </ul>
        <LinkLine to={CLAIM_PATH}>Find another product</LinkLine>
      </Panel>
    )
  }

  dashboard.page(CLAIM_PATH, 'edit', show)

  dashboard.action(CLAIM_PATH, {
    schema: formOf(CLAIM, ClaimRequest, { product_slug: 'Choose a product first.' }),
    async act({ act, input }) {
      try {
        const { product, status, created } = await claimProduct(ctx, act, input)
        await deps.shown()
        const done = status === 'verified' ? 'claimed' : created ? 'claim_waits' : 'claim_known'
        return `${ownProductPath(canonicalSlug(product))}?done=${done}`
      } catch (error) {
        throw inForm(FORM, error)
      }
    },
  })
}

type Found = Awaited<ReturnType<typeof findSought>>

function Results({ words, profiles, isExact, isReady }: Found & { words: string }) {
  const found = `${isExact ? 'Results' : 'Closest matches'} for “${words}”`
  const none = isReady
    ? `No results for “${words}”.`
    : `No number or address matches “${words}”, and search is still loading. Try again in a moment.`
  return (
    <>
      <p role="status">{profiles.length > 0 ? found : none}</p>
      <ul class="rows">
        {profiles.map((profile) => (
          <li>
            <span class="product-name">
              <Picture profile={profile} lazy decorative />
              <span>
                <a href={claimPath(slugOf(profile))}>{profile.title}</a>
                <About profile={profile} />
              </span>
            </span>
          </li>
        ))}
      </ul>
      {isReady && (
        <p>
          Not here? <a href={NEW_PRODUCT_PATH}>Propose it as a new product</a>
        </p>
      )}
    </>
  )
}

function About({ profile }: { profile: ProductProfile }) {
  const facts = [profile.brand?.name, profile.model, profile.category.label, priceRange(profile)]
  return <span class="row-note">{facts.filter((fact) => fact != null).join(' · ')}</span>
}

/** Which domain would verify a claim, and what is missing for that. */
export function ByDomain({
  type,
  org,
  profile,
}: {
  type: RelationshipType
  org: Org
  profile: ProductProfile
}) {
  const { brand, whereToBuy } = profile
  const ways = [
    brand?.domain ? `the brand’s domain, ${brand.domain}` : null,
    type === 'sells' && whereToBuy.length > 0 ? 'the domain of a shop in its where-to-buy links' : null,
  ].filter((way) => way !== null)
  if (ways.length === 0)
    return <>The catalog has no domain for this brand, so a domain can’t verify your claim.</>
  if (org.domain !== null && org.verificationStatus === 'verified')
    return (
      <>
        Your verified domain, {org.domain}, isn’t {ways.join(', or ')}.
      </>
    )
  return (
    <>
      {org.domain === null ? 'Add and verify your domain' : `Verify your domain, ${org.domain}`}. Your claim
      is verified right away if it’s {ways.join(', or ')}. <a href={ORGANIZATION_PATH}>Verify your domain</a>
    </>
  )
}

/**
 * What the text names exactly comes first: a slug, a barcode number, a part number; then what is like it. `isReady` is
 * false while only numbers and addresses can be looked up.
 */
async function findSought({ ctx, search: { search } }: DashboardDeps, words: string) {
  const names = [words, ...(await findNumbered(ctx, words))]
  const named = await Promise.all(names.map((name) => findNamedProduct(ctx, name)))
  const exact = named.flatMap((ref) => (ref ? [ref.id] : []))
  // Not logged: a seller who looks for their own product is not a buyer who saw it.
  const asked = { query: words.slice(0, MAX_QUERY), limit: MAX_FOUND, face: 'web', unlogged: true } as const
  const like = await search.search(asked).catch((error: unknown) => {
    if (error instanceof AppError && error.kind === 'unavailable') return null
    throw error
  })
  // Half a product's name finds nothing exactly, but something close.
  const near = await Promise.all((like?.nearest ?? []).map(({ slug }) => findNamedProduct(ctx, slug)))
  const found = [...(like?.productIds ?? []), ...near.flatMap((ref) => ref?.id ?? [])]
  const ids = [...new Set([...exact, ...found])].slice(0, MAX_FOUND)
  const byId = new Map((await getProfiles(ctx, ids)).map((one) => [one.id, one]))
  const profiles = ids.flatMap((id) => byId.get(id) ?? [])
  return { profiles, isExact: exact.length > 0, isReady: like !== null }
}
