/**
 * What can be said of a file: what its prices are in, where its categories go, what its columns are, and the rest. One
 * form, so that whatever was changed is kept whichever of its buttons is pressed.
 */
import type { Category } from '../../../catalog/catalog.schema.ts'
import type { Rates } from '../../../catalog/import/currency.ts'
import { IMPORT_FORMATS } from '../../../catalog/import/rows.ts'
import type { CatalogLook, ImportFile } from '../../../catalog/import-files.schema.ts'
import type { CategoryChoice } from '../../../catalog/import-files.service.ts'
import { Columns } from '../../dashboard/import/reading.tsx'
import { countOf, formatCount, formatDate, isoDay } from '../../format.ts'
import { Check, Field, type FormState, Hidden, Select } from '../../kit/fields.tsx'
import { DataTable, Panel, State } from '../../kit/parts.tsx'
import { ENCODINGS, filePath, formatWords } from './imports.words.ts'

type Props = {
  file: ImportFile
  look: CatalogLook
  choices: CategoryChoice[]
  categories: Category[]
  rates: Rates
  source: string
  state: FormState
}

/** More than these are mapped by the command, or later. */
const CATEGORIES_SHOWN = 100
const CURRENCIES = [
  'USD',
  'EUR',
  'GBP',
  'CAD',
  'AUD',
  'CHF',
  'SEK',
  'NOK',
  'DKK',
  'PLN',
  'CZK',
  'JPY',
  'INR',
  'BRL',
  'MXN',
]

export function Corrections(props: Props) {
  const { file, look, categories } = props
  const canRun = look.problem === null && look.format !== null
  return (
    <form class="fields import-corrections" method="post" action={filePath(file)}>
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
        {canRun && (
          <button class="button" type="submit" name="step" value="check">
            Check {look.isWhole ? countOf(look.rows, 'row') : 'every row'}
          </button>
        )}
        <button class="button plain" type="submit" name="step" value="preview">
          Update the preview
        </button>
        <p class="soft">
          The check does all of it and keeps nothing: you see what would be new, changed and refused.
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
  const said =
    look.saidCurrencies.length === 0
      ? 'The file does not say what its amounts are in.'
      : `The file says ${look.saidCurrencies.join(', ')}${look.someSayNone ? ', and some amounts name none' : ''}.`
  const asks = look.someSayNone || look.saidCurrencies.length === 0 || file.rules.currency !== null
  const options = [...new Set([...CURRENCIES, look.currency])].map((code) => [code, code] as const)
  return (
    <Panel title="Prices" lead={`${said} The catalog is in US dollars.`}>
      {missing.length > 0 && (
        <p class="aside">
          {missing.map((code) => `${countOf(look.currencies[code] ?? 0, 'price')} in ${code}`).join(', ')}{' '}
          would be left out: there is no rate yet. Give it here.
        </p>
      )}
      <div class="import-pairs">
        {asks && (
          <Select
            state={state}
            name="currency"
            label={look.saidCurrencies.length > 0 ? 'Amounts that name none are in' : 'Amounts are in'}
            options={[['', `As found: ${look.currency}`], ...options]}
            value={file.rules.currency ?? ''}
          />
        )}
        {asks && !codes.includes(look.currency) && (
          <Field
            state={state}
            name="rate"
            label="US dollars for one unit"
            autocomplete="off"
            hint="If you choose another currency. Left empty, the rate that is known is taken."
          />
        )}
        {codes.map((code) => (
          <Field
            state={state}
            name={`rate_${code}`}
            label={`US dollars for 1 ${code}`}
            autocomplete="off"
            value={rates[code] === undefined ? '' : String(rates[code].rate)}
            hint={rateHint(rates[code]?.at)}
          />
        ))}
      </div>
    </Panel>
  )
}

function rateHint(at: string | undefined): string {
  const day = at === undefined ? null : formatDate(isoDay(new Date(at)))
  return day === null ? 'Such as 1.08. Kept for the next import.' : `As of ${day}. Kept for the next import.`
}

function Categories({ look, choices, file, state }: Props) {
  const made = choices.filter(({ ours }) => ours === null).length
  const left = choices.length - CATEGORIES_SHOWN + look.otherCategories
  const hasError = Object.keys(state.errors).some((name) => name.startsWith('category_'))
  return (
    <Panel
      title="Categories"
      lead="Each goes into the one of yours with its name, or becomes a new one. To put it elsewhere, choose one of yours."
    >
      <details open={made > 0 || hasError}>
        <summary>
          {choices.length === 1 ? '1 category' : `${formatCount(choices.length)} categories`},{' '}
          {formatCount(made)} new
        </summary>
        <DataTable
          caption="Categories of the file and where they go"
          columns={[
            { label: 'In the file' },
            { label: 'Rows', kind: 'number' },
            { label: 'Goes into' },
            { label: 'Put it into' },
          ]}
          rows={choices
            .slice(0, CATEGORIES_SHOWN)
            .map(({ key, path, rows, ours, isMapped, near, likely }) => {
              const name = path.join(' › ')
              return [
                name,
                formatCount(rows),
                ours ? (
                  <State tone="good">{ours.label}</State>
                ) : (
                  <>
                    <State tone="mixed">New category</State>
                    {near.length > 0 && (
                      <span class="row-note">Near: {near.map(({ slug }) => slug).join(', ')}</span>
                    )}
                    {likely && <span class="row-note">By its products perhaps {likely.slug}</span>}
                  </>
                ),
                <Field
                  state={state}
                  name={`category_${key}`}
                  label={`Put ${name} into`}
                  labelHidden
                  autocomplete="off"
                  list="categories"
                  value={isMapped ? (ours?.slug ?? '') : ''}
                />,
              ]
            })}
        />
        {left > 0 && <p class="soft">{formatCount(left)} more, which go by their names.</p>}
      </details>
      <Hidden name="asks_new" value="yes" />
      <Check
        state={state}
        name="make_new"
        label="Make categories that are new. Without it, their rows are refused."
        checked={file.rules.makeNew}
      />
    </Panel>
  )
}

function Sheet({ sheet, look, state }: Props & { sheet: NonNullable<CatalogLook['sheet']> }) {
  const isDoubtful = look.problem !== null || sheet.missing.includes('title')
  const hasError = Object.keys(state.errors).some((name) => /^(column|spec)_/.test(name))
  const unused = sheet.unusedCount > 0 ? `, ${formatCount(sheet.unusedCount)} not used` : ''
  return (
    <Panel title="Columns" lead="Found by their names. Change what is wrong, or leave a column out.">
      <details open={isDoubtful || hasError}>
        <summary>
          {countOf(sheet.columnCount, 'column')}
          {unused}
        </summary>
        <div class="import-columns">
          <Columns sheet={sheet} state={state} />
        </div>
      </details>
    </Panel>
  )
}

function More({ file, look, source, state }: Props) {
  const { rules } = file
  const fields = ['format', 'encoding', 'source', 'store_url', 'default_category']
  const hasError = fields.some((name) => state.errors[name] !== undefined)
  const found = look.format === null ? 'Not found out' : `As found: ${formatWords(look.format)}`
  const encoding = ENCODINGS.find(([name]) => name === look.encoding)?.[1] ?? look.encoding
  return (
    <Panel title="The file">
      <details open={look.problem !== null || hasError}>
        <summary>Format, source, store address, edits by hand</summary>
        <div class="import-pairs">
          <Select
            state={state}
            name="format"
            label="Format"
            options={[['', found], ...IMPORT_FORMATS.map((format) => [format, formatWords(format)] as const)]}
            value={rules.format ?? ''}
          />
          <Select
            state={state}
            name="encoding"
            label="Encoding"
            options={[['', encoding === null ? 'As found' : `As found: ${encoding}`], ...ENCODINGS]}
            value={rules.encoding ?? ''}
          />
          <Field
            state={state}
            name="source"
            label="Name of the source"
            autocomplete="off"
            maxlength={100}
            value={source}
            hint="Whose ids these are. The same name finds the same products again next time."
          />
          <Field
            state={state}
            name="store_url"
            label="Address of the store"
            autocomplete="off"
            maxlength={200}
            value={rules.storeUrl ?? ''}
            hint="For links to products that the file leaves out, such as https://shop.example"
          />
          <Field
            state={state}
            name="default_category"
            label="Category for rows that name none"
            autocomplete="off"
            list="categories"
            value={rules.defaultCategory ?? ''}
            hint="Uncategorized when left empty."
          />
        </div>
        <Check
          state={state}
          name="overwrite_edits"
          label="Take what the file says even where a field was edited by hand."
          checked={rules.overwriteEdits}
        />
        <Check
          state={state}
          name="restore_deleted"
          label="Bring back products that were deleted here."
          checked={rules.restoreDeleted}
        />
      </details>
    </Panel>
  )
}
