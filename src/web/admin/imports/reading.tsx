/**
 * How a file is read: the first products as they would be imported, and one form with everything that can be corrected,
 * so that every change is kept whichever button is pressed.
 */
import { z } from 'zod'
import type { Category } from '../../../catalog/catalog.schema.ts'
import type { Rates } from '../../../catalog/import/currency.ts'
import { IMPORT_FORMATS } from '../../../catalog/import/rows.ts'
import type { CatalogLook, ImportFile, LookedProduct } from '../../../catalog/import-files.schema.ts'
import {
  type CategoryChoice,
  type Corrections as Said,
  sourceOf,
} from '../../../catalog/import-files.service.ts'
import { formatPriceRange } from '../../../lib/money.ts'
import { Columns } from '../../dashboard/import/reading.tsx'
import { countOf, formatCount, formatDate, isoDay, sentence } from '../../format.ts'
import { Carried, Check, Field, type FormState, Hidden } from '../../kit/fields.tsx'
import { Fields, type FormSpec, filledIn } from '../../kit/form.tsx'
import { DataTable, figure, noted, Panel, State, Stats } from '../../kit/parts.tsx'
import { webUrl } from '../../safe.ts'
import { filePath, inPageWords } from './report.tsx'

/** What the start of a file looks like, and what its values can be mapped to. */
export type Looked = {
  look: CatalogLook
  choices: CategoryChoice[]
  categories: Category[]
  /** Known rates, and those entered for this file. */
  rates: Rates
}

const FORMAT_WORDS: Readonly<Record<string, string>> = {
  csv: 'Table (CSV or TSV)',
  google: 'Google Merchant feed',
  shopify: 'Shopify export',
  jsonl: 'JSONL, one product per line',
}

export function formatWords(format: string): string {
  return FORMAT_WORDS[format] ?? format
}

const ENCODINGS = [
  ['utf-8', 'UTF-8'],
  ['windows-1252', 'Western European (Windows-1252)'],
  ['iso-8859-15', 'Western European (ISO 8859-15)'],
  ['windows-1250', 'Central European (Windows-1250)'],
  ['windows-1251', 'Cyrillic (Windows-1251)'],
  ['utf-16le', 'UTF-16'],
  ['shift_jis', 'Japanese (Shift JIS)'],
  ['gb18030', 'Chinese (GB 18030)'],
] as const

const CURRENCIES = 'USD EUR GBP CAD AUD CHF SEK NOK DKK PLN CZK JPY INR BRL MXN'.split(' ')
const PHOTO = { width: 56, height: 56, loading: 'lazy', referrerpolicy: 'no-referrer' } as const
/** Further categories are mapped by the command, or later. */
const CATEGORIES_SHOWN = 100

const LINE = z
  .string()
  .trim()
  .max(300, 'Use at most 300 characters.')
  .default('')
  .transform((text) => text || null)

export const CorrectionsForm = z
  .looseObject({
    step: z.enum(['preview', 'check']).default('preview'),
    ...{ format: LINE, encoding: LINE, currency: LINE, rate: LINE, source: LINE, store_url: LINE },
    ...{
      default_category: LINE,
      asks_new: LINE,
      make_new: LINE,
      overwrite_edits: LINE,
      restore_deleted: LINE,
    },
  })
  .transform(({ step, ...form }): { step: 'preview' | 'check'; said: Said } => {
    const named = (pattern: RegExp) =>
      Object.entries(form).flatMap(([name, value]) => {
        const key = pattern.exec(name)?.[1]
        return key === undefined ? [] : [[key, String(value)] as const]
      })
    const specs = new Map(named(/^spec_(\d{1,4})$/))
    const columns = named(/^column_(\d{1,4})$/).map(
      ([column, read]) =>
        [Number(column), read === 'spec' ? `spec:${(specs.get(column) ?? '').trim()}` : read] as const,
    )
    const { format, encoding, currency, rate, source } = form
    return {
      step,
      said: {
        ...{ format, encoding, currency, rate, source },
        columns: columns.length > 0 ? new Map(columns) : null,
        rates: Object.fromEntries(named(/^rate_([A-Z]{3})$/)),
        categories: new Map(named(/^category_([0-9a-f]{12})$/)),
        makeNew: form.asks_new === null ? null : form.make_new === 'on',
        defaultCategory: form.default_category,
        storeUrl: form.store_url,
        overwriteEdits: form.overwrite_edits === 'on',
        restoreDeleted: form.restore_deleted === 'on',
      },
    }
  })

export function Preview({ look, choices }: Looked) {
  const made = choices.filter(({ ours }) => ours === null).length
  const ours = new Map(choices.map((choice) => [choice.path.join('\n'), choice]))
  const currencies = Object.keys(look.currencies)
  return (
    <Panel
      title="Preview"
      lead={
        look.isWhole
          ? undefined
          : `Based on the first ${countOf(look.rows, 'row')}. The check reads all of them.`
      }
    >
      {look.problem !== null && (
        <p class="aside" role="alert">
          We can't read this file yet. {sentence(inPageWords(look.problem))}
        </p>
      )}
      {look.rows > 0 && (
        <Stats
          items={[
            { label: 'Rows', value: `${formatCount(look.rows)}${look.isWhole ? '' : '+'}` },
            figure('Failed', look.refused),
            {
              label: 'Categories',
              value: `${formatCount(choices.length)}${look.otherCategories > 0 ? '+' : ''}`,
              note: made > 0 ? `${formatCount(made)} new` : 'you have all of them',
            },
            {
              label: 'Currency',
              value: currencies.join(', ') || '–',
              note: currencies.length === 0 && 'no prices found',
            },
          ]}
        />
      )}
      {look.notices.length > 0 && (
        <ul class="import-notices">
          {look.notices.map((notice) => (
            <li>{notice}</li>
          ))}
        </ul>
      )}
      {look.products.length > 0 && (
        <div class="import-preview">
          <DataTable
            caption="First products in the file"
            columns={['Product', 'Category', 'Price', 'Result']}
            rows={look.products.map((product) => cellsOf(product, ours, look.format))}
          />
        </div>
      )}
    </Panel>
  )
}

function cellsOf(product: LookedProduct, ours: Map<string, CategoryChoice>, format: string | null) {
  const notesOf = (notes: Array<{ field: string | null; problem: string; fix: string }>) =>
    notes.map(({ field, problem, fix }) => (
      <span class="row-note">
        {sentence(`${field ?? 'the row'} ${problem}`)} {sentence(inPageWords(fix, { field, format }))}
      </span>
    ))
  if ('problem' in product)
    return [
      `Line ${formatCount(product.line)}`,
      '–',
      '–',
      <>
        <State tone="bad">Failed</State>
        {notesOf([product])}
      </>,
    ]
  const { title, brand, path, image, variants, original, lowCents, highCents } = product
  // A missing rate is said once, under “Prices”.
  const notes = product.notes.filter(({ fix }) => !fix.includes('--rate'))
  const lacksPrice = notes.length < product.notes.length
  const choice = ours.get(path.join('\n'))
  const dollars = formatPriceRange(lowCents, highCents)
  const photo = image === null ? null : webUrl(image)
  return [
    <span class="import-product">
      {photo === null ? (
        <span class="import-photo" aria-hidden="true" />
      ) : (
        <img class="import-photo" src={photo} alt="" {...PHOTO} />
      )}
      {noted(
        title,
        [brand, variants > 0 && countOf(variants, 'variant')].filter(Boolean).join(', ') || 'No brand',
      )}
    </span>,
    choice?.ours
      ? noted(choice.ours.label, choice.isMapped && `in the file: ${path.join(' › ')}`)
      : noted(path.join(' › '), 'New category'),
    noted(
      <span class="whole">{dollars ?? (original === null ? '–' : 'Skipped')}</span>,
      original && <span class="whole">{amountWords(original)}</span>,
    ),
    <>
      <State tone={notes.length > 0 || lacksPrice ? 'mixed' : 'good'}>
        {notes.length > 0 ? 'Ready, with notes' : lacksPrice ? 'Ready, without price' : 'Ready'}
      </State>
      {notesOf(notes)}
    </>,
  ]
}

/** "49.90 EUR", as in the file. */
function amountWords({ currency, low, high }: { currency: string; low: number; high: number }): string {
  const written = (amount: number) =>
    amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  return `${low === high ? written(low) : `${written(low)} – ${written(high)}`} ${currency}`
}

type Props = Looked & {
  file: ImportFile
  state: FormState
  /** Where the form is sent; the page of the file unless it is a source's. */
  to?: string
}

export function Corrections(props: Props) {
  const { file, look, categories, to = filePath(file) } = props
  return (
    <form class="fields import-corrections" method="post" action={to}>
      <Carried />
      <datalist id="categories">
        {categories.map(({ slug, label, path }) => (
          <option value={slug}>{[...path, label].join(' › ')}</option>
        ))}
      </datalist>
      {look.rows > 0 && <Prices {...props} />}
      {look.categories.length > 0 && <Categories {...props} />}
      {look.sheet && <Sheet {...props} sheet={look.sheet} />}
      <More {...props} />
      <div class="import-go">
        {look.problem === null && look.format !== null && (
          <button class="button" type="submit" name="step" value="check">
            Check {look.isWhole ? countOf(look.rows, 'row') : 'every row'}
          </button>
        )}
        <button class="button plain" type="submit" name="step" value="preview">
          Update preview
        </button>
        <p class="soft">
          The check is a trial run: it shows what would be new, updated and failed, and saves nothing.
        </p>
      </div>
    </form>
  )
}

function Prices({ file, look, rates, state }: Props) {
  const codes = [...new Set([...Object.keys(look.currencies), look.currency])].filter(
    (code) => code !== 'USD' && /^[A-Z]{3}$/.test(code),
  )
  const missing = codes.filter((code) => rates[code] === undefined && (look.currencies[code] ?? 0) > 0)
  const says = look.saidCurrencies.length > 0
  const said = says
    ? `The file uses ${look.saidCurrencies.join(', ')}${look.someSayNone ? ', and some prices have no currency' : ''}.`
    : "The file doesn't name a currency."
  const asks = look.someSayNone || !says || file.rules.currency !== null
  const options = [...new Set([...CURRENCIES, look.currency])].map((code) => [code, code] as const)
  const fields: FormSpec = {
    ...(asks && {
      currency: {
        ...{ kind: 'choice', label: says ? 'Currency of unmarked prices' : 'Currency' },
        options: [['', `Detected: ${look.currency}`], ...options],
      },
    }),
    ...(asks &&
      !codes.includes(look.currency) && {
        rate: {
          ...{ kind: 'text', label: 'US dollars per unit' },
          hint: 'For another currency than detected. Leave empty to use the rate we know.',
        },
      }),
  }
  const stated: Record<string, unknown> = { currency: file.rules.currency }
  for (const code of codes) {
    const hint = rateHint(rates[code]?.at)
    fields[`rate_${code}`] = { kind: 'text', label: `US dollars per 1 ${code}`, hint }
    stated[`rate_${code}`] = rates[code]?.rate
  }
  return (
    <Panel title="Prices" lead={`${said} The catalog is in US dollars.`}>
      {missing.length > 0 && (
        <p class="aside">
          We'd skip{' '}
          {missing.map((code) => `${countOf(look.currencies[code] ?? 0, 'price')} in ${code}`).join(', ')},
          because there is no exchange rate yet. Enter it below.
        </p>
      )}
      <div class="import-pairs">
        <Fields of={fields} state={filledIn(state, fields, stated)} />
      </div>
    </Panel>
  )
}

function rateHint(at: string | undefined): string {
  const day = at === undefined ? null : formatDate(isoDay(new Date(at)))
  return `${day === null ? 'Such as 1.08.' : `As of ${day}.`} We keep it for the next import.`
}

function Categories({ look, choices, file, state }: Props) {
  const made = choices.filter(({ ours }) => ours === null).length
  const left = choices.length - CATEGORIES_SHOWN + look.otherCategories
  const hasError = Object.keys(state.errors).some((name) => name.startsWith('category_'))
  return (
    <Panel
      title="Categories"
      lead="We use your category of the same name, or create a new category. Choose another of yours to change that."
    >
      <details open={made > 0 || hasError}>
        <summary>
          {countOf(choices.length, 'category')}, {formatCount(made)} new
        </summary>
        <DataTable
          caption="Categories in the file"
          columns={['In the file', { label: 'Rows', kind: 'number' }, 'Goes into', 'Change to']}
          rows={choices
            .slice(0, CATEGORIES_SHOWN)
            .map(({ key, path, rows, ours, isMapped, near, likely }) => [
              path.join(' › '),
              formatCount(rows),
              ours ? (
                <State tone="good">{ours.label}</State>
              ) : (
                <>
                  <State tone="mixed">New category</State>
                  {near.length > 0 && (
                    <span class="row-note">Similar: {near.map(({ slug }) => slug).join(', ')}</span>
                  )}
                  {likely && <span class="row-note">Its products look like {likely.slug}</span>}
                </>
              ),
              <Field
                state={state}
                name={`category_${key}`}
                label={`Change ${path.join(' › ')} to`}
                labelHidden
                autocomplete="off"
                list="categories"
                value={isMapped ? (ours?.slug ?? '') : ''}
              />,
            ])}
        />
        {left > 0 && <p class="soft">{formatCount(left)} more, matched by name.</p>}
      </details>
      <Hidden name="asks_new" value="yes" />
      <Check
        state={state}
        name="make_new"
        label="Create new categories. If you turn this off, their rows fail."
        checked={file.rules.makeNew}
      />
    </Panel>
  )
}

function Sheet({ sheet, look, state }: Props & { sheet: NonNullable<CatalogLook['sheet']> }) {
  const isDoubtful = look.problem !== null || sheet.missing.includes('title')
  const hasError = Object.keys(state.errors).some((name) => /^(column|spec)_/.test(name))
  return (
    <Panel title="Columns" lead="We matched columns by name. Change any that are wrong, or skip them.">
      <details open={isDoubtful || hasError}>
        <summary>
          {countOf(sheet.columnCount, 'column')}
          {sheet.unusedCount > 0 && `, ${formatCount(sheet.unusedCount)} not used`}
        </summary>
        <div class="import-columns">
          <Columns sheet={sheet} state={state} />
        </div>
      </details>
    </Panel>
  )
}

function More({ file, look, state }: Props) {
  const { rules } = file
  const encoding = ENCODINGS.find(([name]) => name === look.encoding)?.[1] ?? look.encoding
  const pairs: FormSpec = {
    format: {
      ...{ kind: 'choice', label: 'Format' },
      options: [
        ['', look.format === null ? 'Not detected' : `Detected: ${formatWords(look.format)}`],
        ...IMPORT_FORMATS.map((format) => [format, formatWords(format)] as const),
      ],
    },
    encoding: {
      ...{ kind: 'choice', label: 'Encoding' },
      options: [['', encoding === null ? 'Detect automatically' : `Detected: ${encoding}`], ...ENCODINGS],
    },
    ...(file.sourceId === null && {
      source: {
        ...{ kind: 'text', label: 'Source name', max: 100 },
        hint: 'Use the same name next time to update the same products.',
      },
    }),
    store_url: {
      ...{ kind: 'text', label: 'Store URL', max: 200 },
      hint: 'Completes product links the file leaves out. Example: https://shop.example',
    },
    default_category: {
      ...{ kind: 'text', label: 'Default category', list: 'categories' },
      hint: 'For rows without a category. Uncategorized if left empty.',
    },
  }
  const boxes: FormSpec = {
    overwrite_edits: { kind: 'check', label: 'Overwrite fields that were edited by hand or approved' },
    restore_deleted: { kind: 'check', label: 'Restore products that were deleted' },
  }
  const stated = {
    ...{
      ...rules,
      source: sourceOf(file),
      store_url: rules.storeUrl,
      default_category: rules.defaultCategory,
    },
    ...{ overwrite_edits: rules.overwriteEdits, restore_deleted: rules.restoreDeleted },
  }
  const filled = filledIn(state, { ...pairs, ...boxes }, stated)
  return (
    <Panel title="File settings">
      <details
        open={look.problem !== null || Object.keys(pairs).some((name) => state.errors[name] !== undefined)}
      >
        <summary>Format, source, store URL, manual edits</summary>
        <div class="import-pairs">
          <Fields of={pairs} state={filled} />
        </div>
        <Fields of={boxes} state={filled} />
      </details>
    </Panel>
  )
}
