/**
 * What UCP 2026-08-25 demands of a business profile and of the catalog's answers, written down as JSON Schema from the
 * rules that are published at ucp.dev. Stricter in one respect: where the published schemas let unknown fields pass, ours
 * do not, so that a field of another name or another release is found.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

type Schema = Record<string, unknown>

const object = (required: string[], properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
  ...more,
})
const list = (items: Schema, minItems = 0): Schema => ({ type: 'array', items, minItems })
const text: Schema = { type: 'string' }
const words: Schema = { type: 'string', minLength: 1 }
const uri: Schema = { type: 'string', format: 'uri' }
const open: Schema = { type: 'object' }
const version: Schema = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }
const reverseDomain: Schema = {
  type: 'string',
  pattern: '^[a-z][a-z0-9]*(?:\\.[a-z](?:[a-z0-9_-]*[a-z0-9_])?)+$',
}
const registry = (entry: Schema): Schema => ({
  type: 'object',
  propertyNames: reverseDomain,
  additionalProperties: list(entry, 1),
})

/** Minor units: whole, never below nothing. */
const amount: Schema = { type: 'integer', minimum: 0 }
const price = object(['amount', 'currency'], { amount, currency: { type: 'string', pattern: '^[A-Z]{3}$' } })
const priceRange = object(['min', 'max'], { min: price, max: price })
/** In one format at least. */
const description = object([], { plain: text, html: text, markdown: text }, { minProperties: 1 })
const category = object(['value'], { value: words, taxonomy: words })
const media = object(['type', 'url'], {
  type: words,
  url: uri,
  alt_text: text,
  width: { type: 'integer', minimum: 1 },
  height: { type: 'integer', minimum: 1 },
})
const rating = object(['value', 'scale_max'], {
  value: { type: 'number', minimum: 0 },
  scale_min: { type: 'number', minimum: 0 },
  scale_max: { type: 'number', minimum: 1 },
  count: { type: 'integer', minimum: 0 },
})
const selectedOption = object(['name', 'label'], { name: words, id: text, label: words })
const availability = object([], {
  available: { type: 'boolean' },
  status: { enum: ['in_stock', 'low_stock', 'backorder', 'preorder', 'out_of_stock', 'discontinued'] },
})
const seller = object([], {
  name: words,
  links: list(object(['type', 'url'], { type: words, url: uri, title: text })),
})
const input = object(['id'], { id: words, match: { enum: ['exact', 'featured'] } })

const variant = (kind: 'plain' | 'lookup'): Schema =>
  object(['id', 'title', 'description', 'price', ...(kind === 'lookup' ? ['inputs'] : [])], {
    id: words,
    sku: text,
    barcodes: list(object(['type', 'value'], { type: words, value: words })),
    handle: text,
    title: words,
    description,
    url: uri,
    categories: list(category),
    price,
    list_price: price,
    availability,
    options: list(selectedOption),
    media: list(media),
    rating,
    tags: list(text),
    metadata: open,
    seller,
    ...(kind === 'lookup' && { inputs: list(input, 1) }),
  })

const product = (kind: 'plain' | 'lookup' | 'detail'): Schema =>
  object(['id', 'title', 'description', 'price_range', 'variants'], {
    id: words,
    handle: words,
    title: words,
    description,
    url: uri,
    categories: list(category),
    price_range: priceRange,
    list_price_range: priceRange,
    media: list(media),
    options: list(open),
    variants: list(variant(kind === 'lookup' ? 'lookup' : 'plain'), 1),
    rating,
    tags: list(text),
    metadata: open,
    ...(kind === 'detail' && { selected: list(selectedOption) }),
  })

const message: Schema = {
  oneOf: [
    object(['type', 'content'], { type: { const: 'info' }, path: text, code: words, content: words }),
    object(['type', 'code', 'content'], {
      type: { const: 'warning' },
      path: text,
      code: words,
      content: words,
    }),
    object(['type', 'code', 'content', 'severity'], {
      type: { const: 'error' },
      path: text,
      code: words,
      content: words,
      severity: { enum: ['recoverable', 'requires_buyer_input', 'requires_buyer_review', 'unrecoverable'] },
    }),
  ],
}
/** Every response says the version and which capabilities were at work. */
const metadata = (status: 'success' | 'error'): Schema =>
  object(['version', 'capabilities', ...(status === 'error' ? ['status'] : [])], {
    version: { const: '2026-08-25' },
    status: { const: status },
    capabilities: registry(object(['version'], { version })),
  })
const pagination = object(
  ['has_next_page'],
  { cursor: words, has_next_page: { type: 'boolean' }, total_count: { type: 'integer', minimum: 0 } },
  {
    // The cursor must be there when there is a next page.
    if: { properties: { has_next_page: { const: true } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['cursor'] },
  },
)

const entity = { version, spec: uri, schema: uri, id: text, config: open }

const SCHEMAS = {
  search: object(['ucp', 'products'], {
    ucp: metadata('success'),
    products: list(product('plain')),
    pagination,
    messages: list(message),
  }),
  lookup: object(['ucp', 'products'], {
    ucp: metadata('success'),
    products: list(product('lookup')),
    messages: list(message),
  }),
  product: object(['ucp', 'product'], {
    ucp: metadata('success'),
    product: product('detail'),
    messages: list(message),
  }),
  error: object(['ucp', 'messages'], {
    ucp: metadata('error'),
    messages: list(message, 1),
    continue_url: uri,
  }),
  /** Discovery failures and whatever else keeps a request from being handled. */
  refusal: object(['code', 'content'], { code: words, content: words, continue_url: uri }),
  profile: object(['ucp'], {
    ucp: object(['version', 'services', 'payment_handlers'], {
      version,
      supported_versions: open,
      services: registry(
        object(['version', 'transport', 'endpoint'], {
          ...entity,
          transport: { enum: ['rest', 'mcp', 'a2a', 'embedded'] },
          endpoint: uri,
        }),
      ),
      capabilities: registry(object(['version', 'schema'], { ...entity, extends: text })),
      payment_handlers: registry(open),
    }),
    keys: list(object(['kid', 'kty'], { kid: words, kty: words }, { additionalProperties: true })),
  }),
}
export type UcpForm = keyof typeof SCHEMAS

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true })
addFormats.default(ajv)
const compiled = new Map<UcpForm, ValidateFunction>()

/** What is wrong with it, in words; empty for nothing. */
export function ucpProblems(form: UcpForm, value: unknown): string[] {
  const validate = compiled.get(form) ?? ajv.compile(SCHEMAS[form])
  compiled.set(form, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message: said, params }) => `${instancePath} ${said} ${JSON.stringify(params)}`,
  )
}
