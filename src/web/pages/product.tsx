/**
 * A product's page: the answer first (verdict, price, rating), then the reasons, then where to buy and where the
 * facts come from. Sections without facts are left out. Order and words follow the Markdown form.
 */
import type { Child } from 'hono/jsx'
import {
  categoryPath,
  contributorWords,
  originalPriceWords,
  type ProductProfile,
  productPath,
  slugOf,
} from '../../catalog/profile.ts'
import { formatUsd } from '../../lib/money.ts'
import { Breadcrumbs } from '../components/breadcrumbs.tsx'
import { Fact } from '../components/fact.tsx'
import { OfferList, OfferMark } from '../components/offer-list.tsx'
import { ownPhoto, Picture } from '../components/picture.tsx'
import { PriceTag } from '../components/price-tag.tsx'
import { ProductCard } from '../components/product-card.tsx'
import { ProvenanceList } from '../components/provenance.tsx'
import { Star } from '../components/rating.tsx'
import { ShopTable } from '../components/shop-table.tsx'
import { hasSpecs, SpecTable } from '../components/spec-table.tsx'
import { ThemeBars } from '../components/theme-bars.tsx'
import { countOf, formatCount, formatDate } from '../format.ts'
import { CATEGORIES_PATH, Layout } from '../layout.tsx'
import { productPreviewPath } from '../previews/preview-path.ts'
import { AskForm } from '../quotes/ask-form.tsx'
import { webUrl } from '../safe.ts'
import type { Site } from '../site.ts'

type ProfileProps = { profile: ProductProfile }

export type ProductPage = {
  profile: ProductProfile
  /** The nearest of the catalog, nearest first. */
  similar: ProductProfile[]
  jsonLd: string
}

export function renderProductPage({ profile, similar, jsonLd }: ProductPage, site: Site): string {
  const path = productPath(profile)
  return String(
    <Layout
      site={site}
      title={`${profile.title} · Souk`}
      description={profile.verdict ?? profile.description ?? `${profile.title}: facts, prices and reviews.`}
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
        <Opening profile={profile} />
        <div class="product-main">
          <Reasons profile={profile} />
        </div>
        <div class="product-rail">
          <Section id="quotes" title="Ask for quotes">
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
          <Section id="sources" title="Where these facts come from">
            <ProvenanceList profile={profile} />
            <Contributors profile={profile} />
          </Section>
          <Section id="forms" title="Other forms of this page">
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
    </Layout>,
  )
}

function Opening({ profile }: ProfileProps) {
  return (
    <header class="product-head">
      <figure>
        <Picture profile={profile} />
        {ownPhoto(profile) === null && <figcaption>Illustration, not a photo of the product</figcaption>}
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
        <Facts profile={profile} />
        <Actions profile={profile} />
      </div>
    </header>
  )
}

/** What can be done with it. Nothing here is personal: the page is the same for everybody. */
function Actions({ profile }: ProfileProps) {
  const shops = profile.whereToBuy.length
  const named = new URLSearchParams({ p: slugOf(profile) })
  return (
    <ul class="actions">
      <li>
        <a class="button" href="#quotes">
          Ask for quotes
        </a>
      </li>
      {shops > 0 && (
        <li>
          <a class="button plain" href="#where-to-buy">
            {shops === 1 ? 'See where to buy' : `See ${countOf(shops, 'shop')}`}
          </a>
        </li>
      )}
      <li>
        <a class="button plain" href={`/saved/add?${named}`}>
          Save
        </a>
      </li>
      <li>
        <a class="button plain" href={`/compare?${named}`}>
          Compare
        </a>
      </li>
    </ul>
  )
}

function Facts({ profile }: ProfileProps) {
  const { listPriceCents, rating, reviewCount, released } = profile
  const stated = originalPriceWords(profile)
  return (
    <dl class="facts">
      <Fact name="Price">
        <PriceTag {...profile} />
      </Fact>
      {stated !== null && <Fact name="Price as stated">{stated}</Fact>}
      {listPriceCents !== null && <Fact name="List price">{formatUsd(listPriceCents)}</Fact>}
      {rating !== null && (
        <Fact name="Rating">
          <Star /> {rating.toFixed(1)} of 5
        </Fact>
      )}
      {reviewCount !== null && <Fact name="Reviews">{formatCount(reviewCount)}</Fact>}
      {released !== null && (
        <Fact name="Released">
          <Released date={released} />
        </Fact>
      )}
    </dl>
  )
}

function Released({ date }: { date: string }) {
  const words = formatDate(date)
  return words === null ? <span>{date}</span> : <time datetime={date}>{words}</time>
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
        <Section id="audience" title="Who it suits">
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
          Nobody has described this product yet. Its sellers may know more: ask them for quotes.
        </p>
      )}
    </>
  )
}

/** True when nothing but a name, a price or a shop is known: the page says so, and is not half empty without a word. */
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

/** Pictures at their producers' own hosts: the page's policy lets https through, and the hosts learn no address. */
function AdditionalImages({ profile }: ProfileProps) {
  const shown = (profile.additionalImages ?? []).filter(({ url }) => webUrl(url)?.startsWith('https:'))
  if (shown.length === 0) return null
  return (
    <Section id="pictures" title="Pictures from the producer">
      <div class="cards">
        {shown.map(({ url, alt }) => (
          <img
            class="picture photo"
            src={webUrl(url) ?? ''}
            alt={alt ?? profile.title}
            width={320}
            height={240}
            loading="lazy"
            referrerpolicy="no-referrer"
          />
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
        <div>
          <dt>Enriched by {contributorWords(contributor)}</dt>
          <dd>
            {contributor.orgType}
            {contributor.verifiedAt !== null &&
              `, since ${formatDate(contributor.verifiedAt.slice(0, 10)) ?? contributor.verifiedAt}`}
          </dd>
        </div>
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
