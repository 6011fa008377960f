/**
 * The fields of an entity, said once. A field's key is its name in the domain (`priceCents`); its column (`price_cents`)
 * and its name on the wire (`price_usd`) follow from it. What a request may say, how an answer shows it and what people
 * and models read of it are all made from the same table.
 */
import { z } from 'zod'
import { centsToDollars } from './money.ts'

export type Field<Stored = unknown> = {
  /** Reads what a request says. */
  input: z.ZodType<Stored>
  /** What it is on the wire: cents are dollars there, unless the raw row is shown. */
  as: 'text' | 'cents' | 'moment' | 'texts'
  /** What one has that was made without it; a field without this is required. */
  absent?: Stored | null
  /** What forms call it. */
  label: string
  /** What those read who send it. */
  sent: { description: string; maxLength?: number }
  /** What the published description says beside that. */
  published?: FieldWords
  /** What those read who are shown it. */
  shown: string
  /** The values that a list may hold. */
  choices?: readonly string[]
}

/** What JSON Schema can say of a field beside what zod shows of it. */
export type FieldWords = {
  description?: string
  format?: 'date-time'
  pattern?: string
  /** Null takes away what zod shows: a length that the route counts only after cleaning. */
  maxLength?: null
}

type Fields = Record<string, Field>
type StoredBy<F extends Field> =
  | z.output<F['input']>
  | (F extends { absent: infer Absent } ? (Absent extends null ? null : never) : never)
/** The entity as services know it. */
export type EntityOf<F extends Fields> = { -readonly [Key in keyof F]: StoredBy<F[Key]> }

export type Entity<F extends Fields = Fields> = {
  fields: F
  keys: Array<keyof F & string>
  /** The wire's name of each field. */
  names: Record<keyof F, string>
  /** What forms call each field, by its name on the wire. */
  labels: Record<string, string>
  published: Record<string, FieldWords>
  /** A request for a new one: null means left out. */
  create: z.core.$ZodLooseShape
  /** A request for a change: left out means unchanged, null takes the value away. */
  edit: z.core.$ZodLooseShape
  /** What an answer holds; `dollars` is what models read, without words. */
  answer(prices: 'dollars' | 'cents'): z.core.$ZodLooseShape
  /** From a parsed request to the domain; what the request left out is left out. */
  read(request: Record<string, unknown>): Partial<EntityOf<F>>
  readNew(request: Record<string, unknown>): EntityOf<F>
  write(entity: EntityOf<F>, prices: 'dollars' | 'cents'): Record<string, unknown>
}

type Snake<Key extends string> = Key extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Key
type WireName<Key extends string> = Key extends `${infer Base}Cents` ? `${Snake<Base>}_usd` : Snake<Key>
type WireValue<Value> = Value extends Date ? string : Value
/** What `toWire` makes of an object. */
export type Wire<Domain> = { [Key in keyof Domain as WireName<Key & string>]: WireValue<Domain[Key]> }

/** An object by the wire's names: cents are dollars, moments are ISO 8601. What is nested stays as it is. */
export function toWire<Domain extends object>(domain: Domain): Wire<Domain> {
  return Object.fromEntries(
    Object.entries(domain).map(([key, value]) => [wireNameOf(key), wireValue(value, key, 'dollars')]),
  ) as Wire<Domain>
}

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name
type KeyOf<Name extends string> = Camel<Name extends `${infer Base}_usd` ? `${Base}_cents` : Name>
/** What `fromWire` makes of an object whose texts are no moments. */
export type FromWire<Sent> = {
  [Name in keyof Sent as KeyOf<Name & string>]-?: Exclude<Sent[Name], undefined> | null
}

/** What `toWire` wrote by these names; what is not there is null. */
export function fromWire<Domain>(wire: Readonly<Record<string, unknown>>, names: readonly string[]): Domain {
  const read = (name: string, value: unknown) => {
    if (typeof value === 'number' && name.endsWith('_usd')) return Math.round(value * 100)
    return typeof value === 'string' && name.endsWith('_at') ? new Date(value) : value
  }
  return Object.fromEntries(names.map((name) => [keyOf(name), read(name, wire[name] ?? null)])) as Domain
}

function keyOf(name: string): string {
  return name.replace(/_usd$/, '_cents').replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

export function columnOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Keys are names of the code, so they are few. A request to a thousand sellers needs each a thousand times. */
const wireNames = new Map<string, string>()

export function wireNameOf(key: string): string {
  const known = wireNames.get(key)
  if (known !== undefined) return known
  const name = columnOf(key).replace(/_cents$/, '_usd')
  wireNames.set(key, name)
  return name
}

export function defineEntity<const F extends Fields>(fields: F): Entity<F> {
  const entries = Object.entries(fields).map(([key, field]) => ({ key, name: wireNameOf(key), ...field }))
  type Entry = (typeof entries)[number]
  const byKey = (value: (entry: Entry) => unknown) =>
    Object.fromEntries(entries.map((entry) => [entry.key, value(entry)]))
  const byName = (value: (entry: Entry) => z.ZodType) =>
    Object.fromEntries(entries.map((entry) => [entry.name, value(entry)]))
  const read = (request: Record<string, unknown>) =>
    Object.fromEntries(
      entries.flatMap(({ key, name }) => (request[name] === undefined ? [] : [[key, request[name]]])),
    )
  return {
    fields,
    keys: entries.map(({ key }) => key),
    names: byKey(({ name }) => name) as Record<keyof F, string>,
    labels: Object.fromEntries(entries.map(({ name, label }) => [name, label])),
    published: Object.fromEntries(
      entries.flatMap(({ name, published }) => (published ? [[name, published]] : [])),
    ),
    create: byName(({ input, absent, sent }) =>
      (absent === undefined ? input : input.nullish().transform((value) => value ?? absent)).meta(sent),
    ),
    edit: byName(({ input, absent, sent }) =>
      (absent === null ? input.nullable().optional() : input.optional()).meta(sent),
    ),
    answer: (prices) => byName((field) => answerSchema(field, prices)),
    read: (request) => read(request) as Partial<EntityOf<F>>,
    readNew: (request) => read(request) as EntityOf<F>,
    write: (entity, prices) =>
      Object.fromEntries(
        entries.map(({ key, name }) => [name, wireValue(entity[key as keyof F], key, prices)]),
      ),
  }
}

function answerSchema({ as, absent, shown }: Field, prices: 'dollars' | 'cents'): z.ZodType {
  const raw = prices === 'cents'
  const schema = {
    text: z.string(),
    texts: z.array(z.string()),
    moment: raw ? z.iso.datetime() : z.string(),
    cents: raw ? z.number().int().min(0) : z.number(),
  }[as]
  const nullable = absent === null ? schema.nullable() : schema
  return raw ? nullable.describe(as === 'cents' ? `${shown}, in cents` : shown) : nullable
}

function wireValue(value: unknown, key: string, prices: 'dollars' | 'cents'): unknown {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'number' && prices === 'dollars' && key.endsWith('Cents')
    ? centsToDollars(value)
    : value
}

/** These values of a row, by their names on the wire. */
export function wireOf<Row extends object, Key extends keyof Row & string>(
  row: Row,
  keys: readonly Key[],
): Wire<Pick<Row, Key>> {
  return toWire(Object.fromEntries(keys.map((key) => [key, row[key]])) as Pick<Row, Key>)
}
