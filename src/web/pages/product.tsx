/**
 * A product's page: verdict, price and rating first, then details, shops and sources. Sections without facts are left
 * out. The order follows the Markdown form.
 */

import type { Child } from 'hono/jsx'
import type { Spec } from '../../catalog/catalog.schema.ts'
import type { PriceHistory } from '../../catalog/price-history.ts'
import { priceNow } from '../../catalog/profile.buying.ts'
import {
  categoryPath,
  contributorWords,
  originalPriceWords,
  type ProductProfile,
  picturePath,
  productPath,
  slugOf,
} from '../../catalog/profile.ts'
import {
  availabilityWords,
  ownNumbers,
  type ShownVariant,
  variantsOf,
} from '../../catalog/profile.variants.ts'
import { formatUsd } from '../../lib/money.ts'
import type { SellerCount } from '../../pricing/live-sellers.ts'
import { Breadcrumbs } from '../components/breadcrumbs.tsx'
import { Fact } from '../components/fact.tsx'
import { OfferList, OfferMark } from '../components/offer-list.tsx'
import { ownPhoto, Photograph, Picture, photoOf } from '../components/picture.tsx'
import { PriceChart, PriceNote, PriceTag } from '../components/price.tsx'
import { ProductCard, Star } from '../components/product-card.tsx'
import { ProvenanceList } from '../components/provenance.tsx'
import { SaveButton } from '../components/save-button.tsx'
import { ShopTable } from '../components/shop-table.tsx'
import { ThemeBars } from '../components/theme-bars.tsx'
import { VariantChoices, VariantTable } from '../components/variants.tsx'
import { countOf, formatCount, formatDate } from '../format.ts'
import { LinkButton } from '../kit/parts.tsx'
import { CATEGORIES_PATH, Layout } from '../layout.tsx'
import { ReportMistake } from '../mistakes/mistake-form.tsx'
import { productPreviewPath } from '../previews/preview-path.ts'
import { AskForm } from '../quotes/ask-form.tsx'
import type { Site } from '../site.ts'
import { QuestionForm } from './ask-product.tsx'
import { NearTable } from './near-table.tsx'

type ProfileProps = { profile: ProductProfile }

export type ProductPage = {
  profile: ProductProfile
  /** Most similar first. */
  similar: ProductProfile[]
  /** Null when nobody states a price. */
  history: PriceHistory | null
  /** Who answers requests for quotes of it. */
  sellers: SellerCount
  jsonLd: string
  /** The variant that the address selects. */
  variantId?: string
}

export function renderProductPage(
  { profile, similar, history, sellers, jsonLd, variantId }: ProductPage,
  site: Site,
): string {
  const path = productPath(profile)
  const selected = variantsOf(profile, '').variants.find(({ id }) => id === variantId) ?? null
  return String(
    <Layout
      site={site}
      title={`${selected ? `${profile.title}, ${selected.name}` : profile.title} · Souk`}
      description={profile.verdict ?? profile.description ?? `${profile.title}: specs, prices and reviews.`}
      path={path}
      kind="product"
      image={productPreviewPath(profile)}
      alternates={[
        { type: 'text/markdown', path: `${path}.md` },
        { type: 'application/ld+json', path: `${path}.json` },
      ]}
      jsonLd={jsonLd}
    >
      <Breadcrumbs
        trail={[
          { name: 'Categories', href: CATEGORIES_PATH },
          { name: profile.category.label, href: categoryPath(profile.category) },
        ]}
      />
      <article class="product">
        <Opening profile={profile} history={history} selected={selected} />
        <div class="product-main">
          <Reasons profile={profile} />
          {profile.variants.length > 0 && (
            <Section id="variants" title="Variants">
              <VariantTable profile={profile} selected={selected} />
            </Section>
          )}
        </div>
        <div class="product-rail">
          <Section id="quotes" title="Request quotes">
            {!profile.discontinued && <p>{sellerWords(sellers)}</p>}
            <AskForm profile={profile} />
          </Section>
          {profile.offers && (
            <Section id="offers" title="Offers">
              <OfferList profile={profile} />
            </Section>
          )}
          {profile.whereToBuy.length > 0 && (
            <Section id="where-to-buy" title="Where to buy">
              <ShopTable shops={profile.whereToBuy} />
            </Section>
          )}
          {!isBare(profile) && (
            <Section id="questions" title="Questions">
              <QuestionForm profile={profile} />
            </Section>
          )}
          <Section id="sources" title="Sources">
            <ProvenanceList profile={profile} />
            <Contributors profile={profile} />
            <ReportMistake profile={profile} />
          </Section>
          <Section id="forms" title="Other formats">
            <ul class="forms">
              <li>
                <a href={`${path}.md`}>Markdown</a>
              </li>
              <li>
                <a href={`${path}.json`}>JSON-LD</a>
              </li>
            </ul>
          </Section>
        </div>
        <Near profile={profile} similar={similar} />
        {similar.length > 0 && (
          <Section id="similar" title="Similar products">
            <ul class="cards">
              {similar.map((product) => (
                <ProductCard profile={product} lazy heading="h3" />
              ))}
            </ul>
          </Section>
        )}
      </article>
      <aside class="buy-bar" aria-label="Price and next step">
        <PriceTag {...profile} />
        <NextStep profile={profile} />
      </aside>
    </Layout>,
  )
}

function sellerWords({ all, atOnce }: SellerCount): string {
  if (all === 0) return 'No seller answers requests for this product yet.'
  if (all === 1) return atOnce === 1 ? 'Its seller answers at once.' : '1 seller answers requests.'
  const quick = atOnce === all ? 'at once' : atOnce === 0 ? 'requests' : `requests, ${atOnce} of them at once`
  return `${formatCount(all)} sellers answer ${quick}.`
}

function Near({ profile, similar }: Pick<ProductPage, 'profile' | 'similar'>) {
  const table = NearTable({ profile, similar })
  if (table === null) return null
  return (
    <Section id="near" title="Beside its nearest alternatives">
      {table}
    </Section>
  )
}

type OpeningProps = Pick<ProductPage, 'profile' | 'history'> & { selected: ShownVariant | null }

function Opening({ profile, history, selected }: OpeningProps) {
  const pictured = selected === null ? profile : withPicture(profile, selected)
  return (
    <header class="product-head">
      <figure>
        <Picture profile={pictured} />
        {ownPhoto(pictured) === null && <figcaption>Illustration, not a photo of the product</figcaption>}
      </figure>
      <div>
        {profile.brand !== null && <p class="brand">{profile.brand.name}</p>}
        <h1>{profile.title}</h1>
        {profile.verificationStatus === 'manufacturer_verified' && (
          <p class="soft">Verified by the manufacturer</p>
        )}
        {profile.discontinued && <p class="badge">Discontinued</p>}
        <OfferMark profile={profile} href="#offers" />
        {profile.verdict !== null && <p class="lead">{profile.verdict}</p>}
        <Facts profile={profile} selected={selected} />
        {history && <PriceChart {...history} />}
        {profile.variants.length > 0 && <VariantChoices profile={profile} selected={selected} />}
        <Actions profile={profile} />
      </div>
    </header>
  )
}

/** The picture of a variant comes before those of the product. */
function withPicture(profile: ProductProfile, { id, name }: ShownVariant): ProductProfile {
  const url = profile.variants.find((variant) => variant.id === id)?.image
  const own = url === undefined ? [] : [{ url, alt: `${profile.title}, ${name}` }]
  return { ...profile, images: [...own, ...profile.images] }
}

/** Sellers are not asked for what is no longer made: shops may have some left, or there is something else. */
function NextStep({ profile }: ProfileProps) {
  const { discontinued, whereToBuy, category } = profile
  if (!discontinued) return <LinkButton to="#quotes" primary label="Request quotes" />
  if (whereToBuy.length === 0) return <LinkButton to={categoryPath(category)} primary label="See others" />
  return (
    <a class="button" href="#where-to-buy">
      See {countOf(whereToBuy.length, 'shop')}
    </a>
  )
}

/** Nothing here is personal, because the page is cached for everyone. */
function Actions({ profile }: ProfileProps) {
  const shops = profile.whereToBuy.length
  const named = new URLSearchParams({ p: slugOf(profile) })
  return (
    <ul class="actions">
      <li>
        <NextStep profile={profile} />
      </li>
      {shops > 0 && !profile.discontinued && (
        <li>
          <a class="button plain" href="#where-to-buy">
            See {countOf(shops, 'shop')}
          </a>
        </li>
      )}
      <li>
        <SaveButton profile={profile} kind="button plain" />
      </li>
      <li>
        <LinkButton to={`/compare?${named}`} label="Compare" />
      </li>
      <li>
        <button class="button plain" type="button" data-share="">
          Share
        </button>
      </li>
    </ul>
  )
}

function Facts({ profile, selected }: Omit<OpeningProps, 'history'>) {
  const { rating, reviewCount, released } = profile
  const { listPriceCents } = selected ?? profile
  const stated = selected === null ? originalPriceWords(profile) : null
  const price = selected && {
    ...{ priceLowCents: selected.priceCents, priceHighCents: selected.priceCents },
    listPriceCents,
  }
  return (
    <dl class="facts">
      <Fact name="Price">
        <PriceTag {...(price ?? profile)} /> <PriceNote prices={price ?? profile} />
      </Fact>
      {selected !== null && <Fact name="Availability">{availabilityWords(selected.availability)}</Fact>}
      {selected?.sku && <Fact name="SKU">{selected.sku}</Fact>}
      {selected?.gtin && <Fact name="GTIN">{selected.gtin}</Fact>}
      {stated !== null && <Fact name="Price in original currency">{stated}</Fact>}
      {listPriceCents !== null && priceNow(profile)?.wasCents !== listPriceCents && (
        <Fact name="List price">
          <span data-usd>{formatUsd(listPriceCents)}</span>
        </Fact>
      )}
      {rating !== null && (
        <Fact name="Rating">
          <Star /> {rating.toFixed(1)} of 5
        </Fact>
      )}
      {reviewCount !== null && <Fact name="Reviews">{formatCount(reviewCount)}</Fact>}
      {released !== null && (
        <Fact name="Released">
          <time datetime={released}>{formatDate(released)}</time>
        </Fact>
      )}
    </dl>
  )
}

function Reasons({ profile }: ProfileProps) {
  const { description, bestFor, notFor, themes } = profile
  return (
    <>
      {description !== null && (
        <Section id="summary" title="Summary">
          {description.split(/\n\s*\n/).map((paragraph) => (
            <p>{paragraph}</p>
          ))}
        </Section>
      )}
      {bestFor.length + notFor.length > 0 && (
        <Section id="audience" title="Who it’s for">
          <div class="audience">
            <Phrases title="Best for" kind="pro" phrases={bestFor} />
            <Phrases title="Not for" kind="con" phrases={notFor} />
          </div>
        </Section>
      )}
      {themes.length > 0 && (
        <Section id="reviews" title="What reviews say">
          <ThemeBars themes={themes} />
        </Section>
      )}
      {hasSpecs(profile) && (
        <Section id="specs" title="Specs">
          <SpecTable profile={profile} />
        </Section>
      )}
      <AdditionalImages profile={profile} />
      {isBare(profile) && (
        <p class="soft">
          We don’t have any details about this product yet.
          {!profile.discontinued && ' Request quotes to hear from its sellers.'}
        </p>
      )}
    </>
  )
}

/** True when nothing but a name, a price or a shop is known. */
function isBare(profile: ProductProfile): boolean {
  const { description, bestFor, notFor, themes, additionalImages = [] } = profile
  const said = bestFor.length + notFor.length + themes.length + additionalImages.length
  return description === null && said === 0 && !hasSpecs(profile)
}

function Phrases({ title, kind, phrases }: { title: string; kind: 'pro' | 'con'; phrases: string[] }) {
  if (phrases.length === 0) return null
  return (
    <div>
      <h3>{title}</h3>
      <ul class={kind}>
        {phrases.map((phrase) => (
          <li>{phrase}</li>
        ))}
      </ul>
    </div>
  )
}

/** Our copies, or images on producers' own hosts. The page's policy allows https only; no referrer is sent. */
function AdditionalImages({ profile }: ProfileProps) {
  const shown = (profile.additionalImages ?? []).flatMap((image) => photoOf(profile, image) ?? [])
  if (shown.length === 0) return null
  return (
    <Section id="pictures" title="More images">
      <div class="cards">
        {shown.map((photo) => (
          <Photograph photo={photo} instead={picturePath(profile)} lazy sizes="320px" />
        ))}
      </div>
    </Section>
  )
}

function Contributors({ profile: { enrichedBy = [] } }: ProfileProps) {
  if (enrichedBy.length === 0) return null
  return (
    <dl class="provenance">
      {enrichedBy.map((contributor) => (
        <Fact name={`Details added by ${contributorWords(contributor)}`}>
          {contributor.orgType}
          {contributor.verifiedAt !== null && `, since ${formatDate(contributor.verifiedAt)}`}
        </Fact>
      ))}
    </dl>
  )
}

function Section({ id, title, children }: { id: string; title: string; children?: Child }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </section>
  )
}

/** Specs, then the product's identifiers. */
function SpecTable({ profile }: { profile: ProductProfile }) {
  const numbers = identifiers(profile)
  return (
    <table class="specs">
      <caption class="hidden">Specifications</caption>
      {profile.specs.length > 0 && <Rows specs={profile.specs} />}
      {numbers.length > 0 && <Rows specs={numbers} />}
    </table>
  )
}

function hasSpecs(profile: ProductProfile): boolean {
  return profile.specs.length > 0 || identifiers(profile).length > 0
}

function Rows({ specs }: { specs: Spec[] }) {
  return (
    <tbody>
      {specs.map(({ name, value }) => (
        <tr>
          <th scope="row">{name}</th>
          <td>{value}</td>
        </tr>
      ))}
    </tbody>
  )
}

function identifiers(profile: ProductProfile): Spec[] {
  const { model, mpn } = profile
  const { gtin, sku } = ownNumbers(profile)
  const all = [
    { name: 'Model', value: model },
    { name: 'Part number', value: mpn },
    { name: 'GTIN', value: gtin },
    { name: 'SKU', value: sku },
  ]
  return all.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))
}
