/** The comparison page: what stands out, products that were not found, the table, and a form to add more. */

import { canonicalSlug, type ProductProfile, productPath, slugOf } from '../../catalog/profile.ts'
import type { ProductRef } from '../../catalog/relationships.service.ts'
import type { SearchResult } from '../../search/search.schema.ts'
import { COMPARE_PATH } from '../components/compare-bar.tsx'
import { countOf } from '../format.ts'
import { LinkLine } from '../kit/parts.tsx'
import { Layout } from '../layout.tsx'
import type { Site } from '../site.ts'
import { type Adding, AddProduct } from './add-product.tsx'
import { type Asked, comparePath, MAX_COMPARED, shownName } from './compare.address.ts'
import { CompareTable, countEqual } from './compare.table.tsx'
import { inWords, shortNames, whatStandsOut } from './compare-facts.ts'
import type { Compared } from './find-compared.ts'

type ComparePage = {
  site: Site
  asked: Asked
  compared: Compared
  adding: Adding
  similar: SearchResult[]
  example: ProductProfile[]
}

const TITLE = 'Compare products'
const TEXT = `See up to ${MAX_COMPARED} products side by side: prices, reviews and every spec, with the differences marked.`

export function renderComparePage(page: ComparePage): string {
  const { site, asked, compared } = page
  const { profiles } = compared
  const names = shortNames(profiles)
  const heading =
    names.length === 0 ? TITLE : names.length === 1 ? `Compare ${names[0]}` : names.join(' vs. ')
  const standsOut = whatStandsOut(profiles)
  return String(
    <Layout
      site={site}
      title={`${heading} · Souk`}
      description={standsOut ?? TEXT}
      path={asked.names.length === 0 && asked.add === null ? COMPARE_PATH : null}
    >
      <header class="page-head compare-head">
        <h1>{heading}</h1>
        {profiles.length === 0 && <p class="lead">{TEXT}</p>}
        {profiles.length === 1 && (
          <p class="lead">
            <a href="#add">Add another product</a> to compare.
          </p>
        )}
        {standsOut !== null && <p class="lead">{standsOut}</p>}
        <Kinds profiles={profiles} />
      </header>
      <Notices compared={compared} differencesOnly={asked.differencesOnly} />
      {profiles.length === 0 ? <Beginning {...page} /> : <Comparison {...page} />}
    </Layout>,
  )
}

function Kinds({ profiles }: { profiles: ProductProfile[] }) {
  const kinds = [...new Set(profiles.map(({ category }) => category.label))]
  if (kinds.length < 2) return null
  return (
    <p class="soft">
      These products are from different categories ({inWords(kinds)}), so some rows don’t apply to all of
      them.
    </p>
  )
}

type NoticesProps = { compared: Compared; differencesOnly: boolean }

function Notices({ compared: { profiles, leftOut, unknown }, differencesOnly }: NoticesProps) {
  if (leftOut.length + unknown.length === 0) return null
  const slugs = profiles.map(slugOf)
  const nearPath = (ref: ProductRef) =>
    slugs.length < MAX_COMPARED
      ? comparePath([...slugs, canonicalSlug(ref)], { differencesOnly })
      : pagePath(ref)
  return (
    <div class="aside compare-notices" role="status">
      {leftOut.length > 0 && (
        <p>
          You can compare up to {MAX_COMPARED} products. Not shown: <Linked refs={leftOut} path={pagePath} />.
          Remove a product to make room.
        </p>
      )}
      {unknown.map(({ name, near }) => (
        <p>
          We couldn’t find <strong>{shownName(name)}</strong>.
          {near.length > 0 && (
            <>
              {' '}
              Did you mean <Linked refs={near} path={nearPath} last="or" />?
            </>
          )}
        </p>
      ))}
    </div>
  )
}

type LinkedProps = { refs: ProductRef[]; path: (ref: ProductRef) => string; last?: string }

function Linked({ refs, path, last = 'and' }: LinkedProps) {
  return (
    <>
      {refs.map((ref, at) => (
        <>
          {at > 0 && (at === refs.length - 1 ? ` ${last} ` : ', ')}
          <a href={path(ref)}>{ref.title}</a>
        </>
      ))}
    </>
  )
}

function pagePath({ category, slug }: ProductRef): string {
  return productPath({ category: { slug: category }, slug })
}

function Comparison({ asked: { differencesOnly }, compared: { profiles }, adding, similar }: ComparePage) {
  const slugs = profiles.map(slugOf)
  const room = profiles.length < MAX_COMPARED
  return (
    <div class={room ? 'comparison' : undefined}>
      <section aria-labelledby="table-title">
        <h2 class="hidden" id="table-title">
          Side by side
        </h2>
        <ul class="line compare-tools">
          {profiles.length > 1 && (
            <li>
              <EqualRows slugs={slugs} differencesOnly={differencesOnly} count={countEqual(profiles)} />
            </li>
          )}
          {room && profiles.length > 1 && (
            <li>
              <a href="#add">Add a product</a>
            </li>
          )}
          <li>
            <a href={COMPARE_PATH}>Start over</a>
          </li>
          {profiles.length > 1 && (
            <li class="soft" aria-hidden="true">
              <span class="compare-differs">≠</span> marks a difference
            </li>
          )}
        </ul>
        <CompareTable profiles={profiles} differencesOnly={differencesOnly && profiles.length > 1} />
      </section>
      {room && (
        <AddProduct adding={adding} slugs={slugs} differencesOnly={differencesOnly} similar={similar} />
      )}
    </div>
  )
}

type EqualRowsProps = { slugs: string[]; differencesOnly: boolean; count: number }

function EqualRows({ slugs, differencesOnly, count }: EqualRowsProps) {
  if (count === 0) return <span class="soft">All rows differ</span>
  if (!differencesOnly)
    return <a href={comparePath(slugs, { differencesOnly: true })}>Hide {countOf(count, 'identical row')}</a>
  return <a href={comparePath(slugs)}>Show {countOf(count, 'identical row')}</a>
}

function Beginning({ adding, example }: ComparePage) {
  const names = shortNames(example)
  return (
    <div class="compare-begin">
      <AddProduct adding={adding} slugs={[]} differencesOnly={false} similar={[]} />
      {example.length > 0 && (
        <section aria-labelledby="example">
          <h2 id="example">Example</h2>
          <LinkLine to={comparePath(example.map(slugOf))}>{names.join(' vs. ')}</LinkLine>
          <p class="soft">You can also select products in any list, or choose Compare on a product’s page.</p>
        </section>
      )}
    </div>
  )
}
