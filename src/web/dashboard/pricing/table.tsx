/**
 * /dashboard/pricing/table: prices, stock, shipping and regions of many products, like a spreadsheet. Only cells that were
 * changed are saved, by the code that reads a file of prices: so what a file may say a cell may say, and what somebody else
 * changed meanwhile in other cells stays. When a cell is wrong, nothing is saved and everything typed stays.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { getProfiles } from '../../../catalog/catalog.service.ts'
import { findNamedProduct } from '../../../catalog/relationships.service.ts'
import { writeCsv } from '../../../lib/csv.ts'
import { AppError } from '../../../lib/errors.ts'
import { formatUsd } from '../../../lib/money.ts'
import { basePriceOf } from '../../../pricing/base-price.ts'
import type { ShownRules } from '../../../pricing/pricing.schema.ts'
import {
  listProductRules,
  type PricedProducts,
  pagePricedProducts,
} from '../../../pricing/pricing.service.ts'
import { type ImportedPricing, importPricing } from '../../../pricing/pricing-import.service.ts'
import { countOf, humanized, sentence } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { Carried, Check, type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { Fields, type FormSpec } from '../../kit/form.tsx'
import { choice, defineList, type ListColumn, listHref, pickedIn, readAsked } from '../../kit/list.tsx'
import { LinkButton, Submit } from '../../kit/parts.tsx'
import type { Dashboard, DashboardDeps, Visitor } from '../guard.tsx'
import { AGENT_PATH, FOUND_PATH, PRICE_TABLE_PATH, PRICING_PATH, pricingPath } from '../paths.ts'
import { FILE_PATH } from './file.tsx'

const LIST = defineList(PRICE_TABLE_PATH, 'product', {
  search: 'Search products',
  pageSize: 100,
  filters: { price: choice('Price', { own: 'With a price of yours', quoted: 'Without one' }) },
})
const BULK_PATH = `${PRICE_TABLE_PATH}/selected`
const FORM = 'price-table'
/** A cell that holds more than this is edited on the product's own page. */
const LONGEST_CELL = 200

type Row = PricedProducts['products'][number] & { at: number; quotedAs: string | null }
type Cells = 'price_usd' | 'stock' | 'shipping_cost_usd' | 'lead_time_days' | 'delivery_regions'

const COLUMNS: Record<Cells, { label: string; written: (rules: ShownRules) => string; numeric?: boolean }> = {
  price_usd: { label: 'Price (USD)', written: ({ price_usd }) => textOf(price_usd), numeric: true },
  stock: { label: 'Units in stock', written: ({ stock }) => textOf(stock), numeric: true },
  shipping_cost_usd: {
    ...{ label: 'Shipping (USD)', numeric: true },
    written: ({ shipping_cost_usd }) => textOf(shipping_cost_usd),
  },
  lead_time_days: { label: 'Days', written: ({ lead_time_days }) => textOf(lead_time_days), numeric: true },
  delivery_regions: {
    label: 'Delivers to',
    written: ({ delivery_regions: regions }) =>
      regions?.length === 0 ? 'everywhere' : (regions ?? []).join('; '),
  },
}
const NAMES = Object.keys(COLUMNS) as Cells[]
const textOf = (value: number | null | undefined) => (value == null ? '' : String(value))
const cellName = (at: number, name: string) => `p.${at}.${name}`
/** Tells whether a cell was changed, without sending what was in it. */
const markOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 8)

export function mountTable(dashboard: Dashboard, { ctx }: DashboardDeps): void {
  const show = dashboard.list<Row, typeof LIST.filters>(
    LIST,
    'manage',
    async ({ c, visitor, state, asked }) => {
      const { q, filters, limit, offset } = asked
      const priced = filters.price === '' ? null : filters.price === 'own'
      const page = { search: q || null, priced, limit, offset }
      const { products, total } = await pagePricedProducts(ctx, visitor, page)
      const profiles = new Map(
        (
          await getProfiles(
            ctx,
            products.map(({ id }) => id),
          )
        ).map((profile) => [profile.id, profile]),
      )
      const { org } = visitor
      const domain = org.verificationStatus === 'verified' ? org.domain : null
      const rows = products.map((product, at): Row => {
        const profile = profiles.get(product.id)
        const base = profile && basePriceOf({ domain, offerPriceCents: null }, null, profile)
        return { ...product, at, quotedAs: base ? formatUsd(base.priceCents).replace('$', '') : null }
      })
      const manages = visitor.may('manage')
      return {
        title: 'Price table',
        lead: 'Prices, stock, shipping and regions of many products. Leave a cell empty to use your defaults.',
        said: {
          claimed: (
            <>
              Products claimed. Check their prices below, or <a href={`${FOUND_PATH}#batches`}>undo it</a>.
            </>
          ),
          saved: (
            <>
              {countOf(Number(c.req.query('changed')) || 0, 'product')} saved. New quotes use the new rules.{' '}
              <a href={`${AGENT_PATH}#test`}>Send a test request</a>
            </>
          ),
          same: 'Nothing was changed, so nothing was saved.',
        },
        errors: state.errors,
        status: Object.keys(state.errors).length > 0 ? 400 : 200,
        actions: [
          <LinkButton to={`${AGENT_PATH}#test`} label="Send a test request" />,
          <LinkButton to={FILE_PATH} label="Import a file" />,
          <LinkButton to={PRICING_PATH} label="Defaults and discounts" />,
        ],
        above: manages && total > 0 && (
          <form
            id={FORM}
            class="console-actions"
            method="post"
            action={listHref(LIST, readAsked(LIST, new URL(c.req.url).searchParams))}
          >
            <Carried />
            <Submit>Save the table</Submit>
            {state.errors.confirm !== undefined && (
              <Check state={state} name="confirm" label="Save rows whose limits are above the price too" />
            )}
            <p class="soft" id="price-table-help" role="status">
              Grey figures are what we quote without a price of your own. Where scripts are allowed, rows
              pasted from a spreadsheet fill the table.
            </p>
          </form>
        ),
        ...{ rows, total, columns: columnsFor(manages, state) },
        bulk: manages
          ? {
              action: BULK_PATH,
              key: ({ productSlug }) => productSlug,
              name: ({ title }) => title,
              buttons: (
                <details class="folded">
                  <summary>Change the selected together</summary>
                  <div class="filters">
                    <Fields of={BULK} state={c.req.path === BULK_PATH ? state : UNTOUCHED} />
                    <Submit line kind="plain">
                      Change the selected
                    </Submit>
                  </div>
                </details>
              ),
            }
          : undefined,
        empty: [
          <p>
            You have no verified claim to a product yet. Claim the products you make or sell to set prices.
          </p>,
          <LinkButton to={FOUND_PATH} primary label="Find your products" />,
        ],
      }
    },
  )

  dashboard.action(PRICE_TABLE_PATH, {
    schema: z.record(z.string(), z.string()),
    async act({ c, act, visitor, input: form }) {
      const changed = changedRows(form)
      const confirmed = form.confirm === 'on'
      const sheet = (dryRun: boolean) =>
        importPricing(ctx, act, { content: Readable.from([Buffer.from(csvOf(changed))]), dryRun, confirmed })
      const { failed } = await sheet(true)
      if (failed.length > 0)
        return pageOf(await show({ c, visitor, state: { values: form, errors: errorsOf(failed, changed) } }))
      const saved = changed.length === 0 ? 0 : (await sheet(false)).changed.length
      const url = new URL(c.req.url)
      url.searchParams.set('done', saved > 0 ? 'saved' : 'same')
      url.searchParams.set('changed', String(saved))
      return `${url.pathname}${url.search}`
    },
  })

  dashboard.action(BULK_PATH, {
    schema: BulkForm,
    async act({ act, visitor, input: { slugs, pct, cells } }) {
      const rows = await Promise.all(
        slugs.map(async (slug, at): Promise<ChangedRow> => {
          const priceCents = pct === null ? null : await priceOf(visitor, slug)
          const price =
            priceCents === null || pct === null ? null : Math.round(priceCents * (1 + pct / 100)) / 100
          return { at, slug, cells: { ...cells, ...(price !== null && { price_usd: String(price) }) } }
        }),
      )
      const content = () => Readable.from([Buffer.from(csvOf(rows))])
      const tried = await importPricing(ctx, act, { content: content(), dryRun: true, confirmed: false })
      const [problem] = tried.failed
      if (problem)
        throw new AppError('invalid', `${problem.product ?? ''}: ${problem.problem}; nothing was changed`, {
          ...(problem.field !== null && problem.field in BULK && { field: problem.field }),
        })
      const { changed } = await importPricing(ctx, act, {
        content: content(),
        dryRun: false,
        confirmed: false,
      })
      return `${PRICE_TABLE_PATH}?done=${changed.length > 0 ? 'saved' : 'same'}&changed=${changed.length}`
    },
  })

  /** Its own, or what it is quoted at; null for neither, which leaves it as it is. */
  async function priceOf(visitor: Visitor, slug: string): Promise<number | null> {
    const ref = await findNamedProduct(ctx, slug)
    if (!ref) return null
    const own = (await listProductRules(ctx, visitor, [ref.id])).get(ref.id)?.rules.price_usd
    if (own != null) return Math.round(own * 100)
    const [profile] = await getProfiles(ctx, [ref.id])
    const { org } = visitor
    const domain = org.verificationStatus === 'verified' ? org.domain : null
    return (profile && basePriceOf({ domain, offerPriceCents: null }, null, profile)?.priceCents) ?? null
  }
}

/** The same for many: a share of each one's own price, or of what it is quoted at now. */
const BULK: FormSpec = {
  change_pct: {
    ...{ kind: 'number', label: 'Change price by (%)', min: -99, max: 1_000, step: 0.01 },
    hint: 'Such as -5 or 3. From your price, else from the one we quote now.',
  },
  stock: { kind: 'text', label: 'Units in stock', max: 20 },
  shipping_cost_usd: { kind: 'text', label: 'Shipping (USD)', max: 20 },
  lead_time_days: { kind: 'text', label: 'Days', max: 20 },
  delivery_regions: {
    ...{ kind: 'text', label: 'Delivers to', max: LONGEST_CELL },
    hint: 'Such as US; Canada. The word none clears a cell.',
  },
}
const BulkForm = z.record(z.string(), z.string()).transform((form, check) => {
  const slugs = pickedIn(form)
  const text = (name: string) => (form[name] ?? '').trim()
  const pct = text('change_pct') === '' ? null : Number(text('change_pct'))
  const cells = Object.fromEntries(
    NAMES.flatMap((name) => (name !== 'price_usd' && text(name) ? [[name, text(name)]] : [])),
  )
  const refuse = (field: string, message: string) =>
    check.issues.push({ code: 'custom', path: [field], message, input: form })
  if (slugs.length === 0) refuse('', 'Select at least one product.')
  if (pct !== null && !(pct > -100 && pct <= 1_000)) refuse('change_pct', 'Enter a number from -99 to 1,000.')
  if (pct === null && Object.keys(cells).length === 0) refuse('change_pct', 'Fill in what to change.')
  return { slugs: slugs.slice(0, LIST.pageSize), pct, cells: cells as ChangedRow['cells'] }
})

function pageOf(shown: Page | Response): Page {
  if (shown instanceof Response) throw new Error('a refused table has a page')
  return shown
}

function columnsFor(manages: boolean, state: FormState): ListColumn<Row>[] {
  return [
    {
      label: 'Product',
      cell: ({ at, productSlug, title }) => (
        <>
          <a href={pricingPath(productSlug)}>{title}</a>
          {manages && <input type="hidden" form={FORM} name={cellName(at, 'slug')} value={productSlug} />}
        </>
      ),
    },
    { label: 'product_slug', csv: ({ productSlug }) => productSlug },
    ...NAMES.map(
      (name): ListColumn<Row> => ({
        label: COLUMNS[name].label,
        kind: undefined,
        cell: (row) => <Cell {...{ row, name, manages, state }} />,
      }),
    ),
    ...NAMES.map(
      (name): ListColumn<Row> => ({ label: name, csv: ({ rules }) => COLUMNS[name].written(rules) || null }),
    ),
  ]
}

type CellProps = { row: Row; name: Cells; manages: boolean; state: FormState }

function Cell({ row: { at, title, productSlug, rules, quotedAs }, name, manages, state }: CellProps) {
  const { label, written, numeric } = COLUMNS[name]
  const stored = written(rules)
  if (!manages) return <>{stored || <span class="soft">Default</span>}</>
  if (stored.length > LONGEST_CELL) return <a href={pricingPath(productSlug)}>Edit {label.toLowerCase()}</a>
  const cell = cellName(at, name)
  const error = state.errors[cell]
  // What was typed belongs to the product it was typed for, wherever that stands now.
  const isSame = state.values[cellName(at, 'slug')] === productSlug
  const value = (isSame ? state.values[cell] : undefined) ?? stored
  const mark = (isSame ? state.values[cellName(at, `${name}_was`)] : undefined) ?? markOf(stored)
  return (
    <span class="cell">
      {error && (
        <span class="field-error" id={`field-${cell}-error`}>
          {error}
        </span>
      )}
      <input
        form={FORM}
        id={error ? `field-${cell}` : undefined}
        name={cell}
        value={value}
        aria-label={`${label}: ${title}`}
        aria-invalid={error ? 'true' : undefined}
        aria-describedby={error ? `field-${cell}-error` : undefined}
        placeholder={name === 'price_usd' ? (quotedAs ?? undefined) : undefined}
        inputmode={numeric ? 'decimal' : undefined}
        autocomplete="off"
        maxlength={LONGEST_CELL * 2}
        data-cell={productSlug}
      />
      <input type="hidden" form={FORM} name={cellName(at, `${name}_was`)} value={mark} />
    </span>
  )
}

type ChangedRow = { at: number; slug: string; cells: Partial<Record<Cells, string>> }

function changedRows(form: Record<string, string>): ChangedRow[] {
  return Object.keys(form).flatMap((key) => {
    const at = /^p\.(\d{1,4})\.slug$/.exec(key)?.[1]
    if (at === undefined) return []
    const cells = NAMES.flatMap((name) => {
      const typed = form[cellName(Number(at), name)]?.trim()
      const was = form[cellName(Number(at), `${name}_was`)]
      return typed === undefined || was === undefined || markOf(typed) === was
        ? []
        : [[name, typed || 'none']]
    })
    return cells.length === 0
      ? []
      : [{ at: Number(at), slug: form[key] ?? '', cells: Object.fromEntries(cells) as ChangedRow['cells'] }]
  })
}

function csvOf(rows: readonly ChangedRow[]): string {
  return writeCsv([
    ['product_slug', ...NAMES],
    ...rows.map(({ slug, cells }) => [slug, ...NAMES.map((name) => cells[name] ?? null)]),
  ])
}

/** By cell; what concerns no cell of the table stands for all of it. */
function errorsOf(failed: ImportedPricing['failed'], rows: readonly ChangedRow[]): FormState['errors'] {
  return Object.fromEntries(
    failed.map(({ line, field, problem, product }) => {
      // The first line names the columns.
      const row = rows[line - 2]
      if (field === 'confirm') return ['confirm', `${product ?? ''}: ${sentence(problem)}`]
      const name = NAMES.find((one) => one === field)
      return row && name
        ? [cellName(row.at, name), `${humanized(name.replace(/_usd$/, ''))} ${problem}`]
        : [`p.${row?.at ?? line}`, `${product ?? `Row ${line}`}: ${problem}`]
    }),
  )
}
