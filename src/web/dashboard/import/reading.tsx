/** What the columns of a sheet are read as, chosen one by one; and the fields a file can hold, in words. */
import { COLUMN_FIELDS, type ColumnField } from '../../../catalog/import/csv-columns.ts'
import type { Sheet, SheetColumn } from '../../../catalog/import-drafts.schema.ts'
import { countOf } from '../../format.ts'
import { Field, type FormState, Select } from '../../kit/fields.tsx'
import { DataTable } from '../../kit/parts.tsx'

/** The label of each field, and what goes in it. */
export const FIELD_WORDS: Record<ColumnField, readonly [label: string, about: string]> = {
  title: ['Title', 'Required.'],
  category: ['Category', 'Required: its name or slug in this catalog.'],
  brand: ['Brand', 'The brand name only.'],
  brand_domain: ['Brand domain', 'acme.example'],
  model: ['Model', 'The model name or number.'],
  description: ['Description', 'Plain text or simple HTML, up to 5,000 characters.'],
  verdict: ['Verdict', 'One sentence on who it is for.'],
  price: ['Price', '49.99, or 49 - 59 for a range. US dollars.'],
  sale_price: ['Sale price', 'What it costs now, if less than the price.'],
  full_price: ['Regular price', 'What it costs without a sale.'],
  price_low: ['Lowest price', 'Of a range.'],
  price_high: ['Highest price', 'Of a range.'],
  list_price: ['List price', 'What the manufacturer suggests.'],
  gtin: ['GTIN, EAN or UPC', 'The digits under the barcode.'],
  mpn: ['Manufacturer part number', 'As the manufacturer writes it.'],
  id: ['Id', 'Your shop’s id for it, if not the SKU.'],
  group: ['Product group', 'The same for all variants of a product.'],
  availability: ['Availability', 'Of a variant: in stock, out of stock, preorder or backorder.'],
  currency: ['Currency', 'USD. We don’t accept other currencies.'],
  sku: ['SKU', 'Your own product number.'],
  slug: ['Slug', 'The last part of its address here, if you know it.'],
  images: ['Images', 'https addresses, separated by |.'],
  where_to_buy: ['Where to buy', 'The address of its page in your shop.'],
  specs: ['All specs', 'Weight: 2 kg | Color: red. Or one column per spec: spec:Weight.'],
  best_for: ['Best for', 'small rooms | beginners'],
  not_for: ['Not for', 'As for “Best for”.'],
  rating: ['Rating', 'From 0 to 5.'],
  review_count: ['Number of reviews', 'A whole number.'],
  themes: ['Review themes', 'JSON, as described in the documentation.'],
  released: ['Released', '2025, 2025-03 or 2025-03-14.'],
  discontinued: ['Discontinued', 'Yes or no.'],
}

const OPTIONS = [
  ['', 'Ignore'],
  ['spec', 'A spec'],
  ...COLUMN_FIELDS.map((field) => [field, FIELD_WORDS[field][0]] as const),
] as const

const SPEC = 'spec:'

/** The columns of a sheet with an example of each, and what each is read as. */
export function Columns({ sheet: { columns, columnCount }, state }: { sheet: Sheet; state: FormState }) {
  const left = columnCount - columns.length
  return (
    <>
      <DataTable
        caption="Your columns and what we read them as"
        columns={['Your column', 'Example', 'Read as', 'Spec name'].map((label) => ({ label }))}
        rows={columns.map((column) => cellsOf(column, state))}
      />
      {left > 0 && <p class="soft">{countOf(left, 'more column')}, read by name.</p>}
    </>
  )
}

function cellsOf({ index, name, sample, reading, mappable }: SheetColumn, state: FormState) {
  const title = name === '' ? `Column ${index + 1} (no name)` : name
  const example = <span class="soft">{sample === '' ? 'Empty in the first rows' : sample}</span>
  const spec = reading.startsWith(SPEC) ? reading.slice(SPEC.length) : null
  if (!mappable) {
    const field = COLUMN_FIELDS.find((one) => one === reading)
    const known = field ? FIELD_WORDS[field][0] : reading === '' ? 'Ignored' : reading
    const words = `${spec === null ? known : `The spec ${spec}`}. Give this column a unique name to change it.`
    return [title, example, <span class="soft">{words}</span>, '–']
  }
  return [
    title,
    example,
    <Select
      {...{ state, name: `column_${index}`, label: `Read ${title} as`, labelHidden: true }}
      options={OPTIONS}
      value={spec === null ? reading : 'spec'}
    />,
    <Field
      {...{ state, name: `spec_${index}`, label: `Spec name for ${title}`, labelHidden: true }}
      autocomplete="off"
      maxlength={80}
      value={spec ?? ''}
    />,
  ]
}
