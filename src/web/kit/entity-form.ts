/**
 * An entity's fields between what people type and what a request says. Prices are read as people write them, times are
 * UTC, and each choice of a list is a box of its own.
 */
import type { Entity, EntityOf, Field } from '../../lib/entity.ts'
import { centsToDollars, readDollars, typedDollars } from '../../lib/money.ts'

type Form = Record<string, string>
type Fields = Record<string, Field>

export const choiceField = (name: string, choice: string) => `${name}_${choice}`

/** What is not understood is passed on as what the schema refuses. */
export function requestOf<F extends Fields>(
  { fields, names }: Entity<F>,
  form: Form,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, field]) => [
      names[key] ?? key,
      readValue(field, names[key] ?? key, form),
    ]),
  )
}

function readValue({ as, absent, choices = [] }: Field, name: string, form: Form): unknown {
  const typed = form[name] ?? ''
  if (as === 'cents') return dollars(typed)
  if (as === 'moment') return utc(typed)
  if (as === 'texts') return choices.filter((choice) => form[choiceField(name, choice)] === 'on')
  return absent === null ? typed || null : typed
}

function dollars(typed: string): number | null {
  if (typed.trim() === '') return null
  const cents = readDollars(typed)
  return cents === null ? Number.NaN : centsToDollars(cents)
}

/** As `datetime-local` sends it, or as somebody types it where there is no such field. */
function utc(typed: string): string | null {
  const text = typed.trim().replace(' ', 'T')
  if (text === '') return null
  return /T\d\d:\d\d$/.test(text) ? `${text}:00Z` : `${text}Z`
}

/** What the form is filled in with. */
export function typedOf<F extends Fields>({ keys, names }: Entity<F>, entity: EntityOf<F>): Form {
  return Object.assign({}, ...keys.map((key) => typedAs(names[key], entity[key], key)))
}

function typedAs(name: string, value: unknown, key: string): Form {
  if (Array.isArray(value))
    return Object.fromEntries(value.map((choice) => [choiceField(name, String(choice)), 'on']))
  if (value instanceof Date) return { [name]: localTime(value) }
  return {
    [name]: typeof value === 'number' && key.endsWith('Cents') ? typedDollars(value) : String(value ?? ''),
  }
}

/** To the minute, unless it is set to a part of one: saving an untouched form changes nothing. */
function localTime(at: Date): string {
  return at
    .toISOString()
    .slice(0, -1)
    .replace(/:00\.000$/, '')
    .replace(/\.000$/, '')
}
