/**
 * The comparison table: a column for each product, rows in groups. Differences are marked in words, not by color alone.
 * On a narrow screen it scrolls sideways inside its frame, and the names of the rows stay.
 */
import type { Child } from 'hono/jsx'
import type { ReviewTheme } from '../../catalog/catalog.schema.ts'
import { type ProductProfile, productPath, slugOf } from '../../catalog/profile.ts'
import { formatUsd } from '../../lib/money.ts'
import { OfferMark } from '../components/offer-list.tsx'
import { Picture } from '../components/picture.tsx'
import { PriceTag } from '../components/price.tsx'
import { Rating } from '../components/product-card.tsx'
import { verificationWords } from '../components/provenance.tsx'
import { cheapestFirst, ShopName } from '../components/shop-table.tsx'
import { ThemeBars } from '../components/theme-bars.tsx'
import { formatDate } from '../format.ts'
import { comparePath } from './compare.address.ts'
import { cheapest, differ, type Row, shortNames, specRows, themeRows } from './compare-facts.ts'

type TableProps = { profiles: ProductProfile[]; differencesOnly: boolean }
type Line = {
  name: string
  cells: Child[]
  differs: boolean
  /** Always shown, and never marked as different. */
  always?: boolean
  class?: string
}
type Group = { title: string; lines: Line[] }

/** Rows that are identical for every product. */
export function countEqual(profiles: ProductProfile[]): number {
  return hideable(profiles).filter(({ differs }) => !differs).length
}

export function CompareTable({ profiles, differencesOnly }: TableProps) {
  const names = shortNames(profiles)
  const groups = groupsOf(profiles)
    .map(({ title, lines }) => ({
      title,
      lines: lines.filter(({ differs }) => differs || !differencesOnly),
    }))
    .filter(({ lines }) => lines.length > 0)
  return (
    <section class="compare-frame" aria-label="Comparison table" tabindex={0}>
      <table class={`compare of-${profiles.length}`}>
        <caption class="hidden">{names.join(', ')}: prices, reviews and specs side by side</caption>
        <thead>
          <tr>
            <td />
            {profiles.map((profile) => (
              <td>
                <Seat profile={profile} profiles={profiles} differencesOnly={differencesOnly} />
              </td>
            ))}
          </tr>
          <tr class="compare-names">
            <td />
            {profiles.map((profile) => (
              <th scope="col">
                <a href={productPath(profile)}>{profile.title}</a>
              </th>
            ))}
          </tr>
        </thead>
        {groups.map(({ title, lines }) => (
          <tbody>
            <tr>
              <th class="compare-group" scope="rowgroup" colspan={profiles.length + 1}>
                {title}
              </th>
            </tr>
            {lines.map((line) => (
              <TableLine line={line} names={names} />
            ))}
          </tbody>
        ))}
      </table>
    </section>
  )
}

function TableLine({ line, names }: { line: Line; names: string[] }) {
  const { name, cells, differs, always = false } = line
  return (
    <tr class={line.class}>
      <th scope="row">
        {name}
        {differs && !always && names.length > 1 && <Differs />}
      </th>
      {cells.map((cell, at) => (
        <td>
          <span class="compare-of">{names[at]}</span>
          {cell ?? <span class="soft">Not stated</span>}
        </td>
      ))}
    </tr>
  )
}

function Differs() {
  return (
    <>
      {' '}
      <span class="compare-differs" aria-hidden="true">
        ≠
      </span>
      <span class="hidden">(differs)</span>
    </>
  )
}

type SeatProps = TableProps & { profile: ProductProfile }

function Seat({ profile, profiles, differencesOnly }: SeatProps) {
  const others = profiles.filter((other) => other !== profile).map(slugOf)
  return (
    <div class="compare-seat">
      <Picture profile={profile} decorative />
      {profile.discontinued && <p class="badge">Discontinued</p>}
      <OfferMark profile={profile} href={`${productPath(profile)}#offers`} />
      <a href={comparePath(others, { differencesOnly })}>
        Remove<span class="hidden"> {profile.title}</span>
      </a>
    </div>
  )
}

function groupsOf(profiles: ProductProfile[]): Group[] {
  const lowest = cheapest(profiles)
  const { shared, own } = themeRows(profiles)
  return [
    {
      title: 'Overview',
      lines: [
        always('Price', profiles, (profile) => (
          <>
            <PriceTag {...profile} />
            {lowest.has(profile) && <span class="lowest">Lowest</span>}
          </>
        )),
        ...anyOf('Rating', profiles, ({ rating, reviewCount }) =>
          rating === null && reviewCount === null ? null : (
            <Rating rating={rating} reviewCount={reviewCount} />
          ),
        ),
        ...anyOf('Verdict', profiles, ({ verdict }) => verdict),
      ],
    },
    {
      title: 'Who it’s for',
      lines: [
        ...anyOf('Best for', profiles, ({ bestFor }) => phrases('pro', bestFor)),
        ...anyOf('Not for', profiles, ({ notFor }) => phrases('con', notFor)),
      ],
    },
    {
      title: 'What reviews say',
      lines: [
        ...shared.map(({ name, values, differs }) => ({
          name,
          differs,
          class: 'compare-theme',
          cells: values.map((theme) => theme && <ThemeBars themes={[theme]} />),
        })),
        ...ownThemes(own, shared.length > 0),
      ],
    },
    { title: 'Specs', lines: specRows(profiles).map(lineOf) },
    {
      title: 'Buying',
      lines: [
        ...anyOf('Where to buy', profiles, (profile) => <CheapestShop profile={profile} />),
        ...factRows(profiles).map(lineOf),
      ],
    },
  ]
}

function ownThemes(own: ReviewTheme[][], besides: boolean): Line[] {
  if (own.every((themes) => themes.length === 0)) return []
  const cells = own.map((themes) => (themes.length === 0 ? null : <ThemeBars themes={themes} />))
  return [{ name: besides ? 'Other themes' : 'Themes', cells, differs: true, always: true }]
}

function CheapestShop({ profile }: { profile: ProductProfile }) {
  const [shop] = cheapestFirst(profile.whereToBuy)
  if (!shop) return <span class="soft">No shops listed</span>
  return (
    <>
      <span class="price">{shop.priceCents === null ? 'See shop' : formatUsd(shop.priceCents)}</span> at{' '}
      <ShopName {...shop} />
    </>
  )
}

function factRows(profiles: ProductProfile[]): Array<Row<string>> {
  const row = (name: string, value: (profile: ProductProfile) => string | null) => {
    const values = profiles.map(value)
    return { name, values, differs: differ(values) }
  }
  return [
    row('Released', ({ released }) => released && formatDate(released)),
    row('Availability', ({ discontinued }) => (discontinued ? 'Discontinued' : 'In production')),
    row('Verification', ({ verificationStatus }) => verificationWords(verificationStatus)),
  ].filter(({ values }) => values.some((value) => value !== null))
}

function hideable(profiles: ProductProfile[]): Array<{ differs: boolean }> {
  return [...specRows(profiles), ...factRows(profiles), ...themeRows(profiles).shared]
}

function lineOf({ name, values, differs }: Row<string>): Line {
  return { name, cells: values, differs }
}

function always(name: string, profiles: ProductProfile[], cell: (profile: ProductProfile) => Child): Line {
  return { name, cells: profiles.map(cell), differs: true, always: true }
}

/** Like `always`, but left out if every cell is empty. */
function anyOf(name: string, profiles: ProductProfile[], cell: (profile: ProductProfile) => Child): Line[] {
  const line = always(name, profiles, cell)
  return line.cells.some((value) => value !== null) ? [line] : []
}

function phrases(kind: 'pro' | 'con', all: string[]): Child {
  if (all.length === 0) return null
  return (
    <ul class={`plain-list ${kind}`}>
      {all.map((phrase) => (
        <li>{phrase}</li>
      ))}
    </ul>
  )
}
