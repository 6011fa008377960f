/**
 * Forms from a table of fields. A field says what it is called and what may be typed; the kit draws it, reads what was
 * sent into the values of a request, and fills it in again. The schema of REST and tools judges the request, so a page
 * repeats no rule. Lists have a row for each entry and work without scripts: a button asks the server for another row.
 */
import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import { z } from 'zod'
import type { Entity } from '../../lib/entity.ts'
import { AppError } from '../../lib/errors.ts'
import { centsToDollars, readDollars, typedDollars } from '../../lib/money.ts'
import { suggestedRegions, typedRegion } from '../../lib/regions.ts'
import { invalidInput } from '../../lib/validate.ts'
import { humanized, sentence } from '../format.ts'
import { webUrl } from '../safe.ts'
import { Check, Field, Form, type FormProps, type FormState, Select, TextArea } from './fields.tsx'
import { Panel } from './parts.tsx'
import { placeChoices, readPlace } from './region.ts'

type Typed = Record<string, string>

type Kind =
  | 'text'
  | 'long'
  | 'url'
  | 'email'
  | 'number'
  | 'money'
  | 'date'
  | 'moment'
  | 'choice'
  | 'choices'
  | 'check'
  | 'region'
  | 'product'
  /** Never filled in again, and read exactly as typed. */
  | 'secret'
  /** One text a row. */
  | 'texts'
  /** A row has the parts that `parts` names; with two of them it may be read as a record. */
  | 'rows'

type PartSpec = {
  label: string
  kind?: 'text' | 'url' | 'money' | 'number' | 'region' | 'image'
  /** Of a number, else of its length. */
  max?: number
  min?: number
  step?: number
  /** What is suggested for it. */
  known?: readonly string[]
}

export type FieldSpec = {
  kind: Kind
  label: string
  hint?: string
  required?: boolean
  max?: number
  min?: number
  /** For `number`: 0.01 where two decimals may be typed. */
  step?: number
  /** For `choice` and `choices`, and what `text` suggests: value and words. */
  options?: ReadonlyArray<readonly [value: string, words: string]>
  /** For `text`: the id of a datalist on the page. */
  list?: string
  /** For `rows`: the parts of a row. `texts` may say what its only part, `value`, is. */
  parts?: Record<string, PartSpec>
  /** For `rows`: the order counts, so rows have a number and are moved by buttons, or dragged. */
  ordered?: boolean
  /** For `rows`: two parts become the name and the value of a record. */
  asRecord?: boolean
  /** For `texts` and `rows`: offers a box for pasted lines, with this hint. It is sent under the field's own name. */
  paste?: string
  /** By default `off`. */
  autocomplete?: string
  /** What an empty field means in the request: by default it is left out. */
  empty?: 'null' | 'text'
}

export type FormSpec = Record<string, FieldSpec>

const choiceField = (name: string, choice: string) => `${name}_${choice}`
const partName = (name: string, row: number, part: string) => `${name}.${row}.${part}`
/** The part of a row that has no name of its own. */
const ONLY = 'value'
const partsOf = ({ parts, label }: FieldSpec): NonNullable<FieldSpec['parts']> =>
  parts ?? { [ONLY]: { label } }

/** Draws the fields, in the order of the table; `only` picks some. */
export function Fields({
  of,
  state,
  only = Object.keys(of),
  suffix,
}: {
  of: FormSpec
  state: FormState
  only?: readonly string[]
  suffix?: string
}) {
  return (
    <>
      {only.map((name) => {
        const field = of[name]
        return field ? <Input name={name} field={field} state={state} suffix={suffix} /> : null
      })}
    </>
  )
}

/** Draws the fields below the headings that `groups` gives them. */
export function FieldGroups({
  groups,
  ...fields
}: {
  of: FormSpec
  state: FormState
  groups: Readonly<Record<string, readonly string[]>>
}) {
  return (
    <>
      {Object.entries(groups).map(([heading, only]) => (
        <fieldset class="field-group">
          <legend>{heading}</legend>
          <Fields {...fields} only={only} />
        </fieldset>
      ))}
    </>
  )
}

type FormPanelProps = Omit<Parameters<typeof Panel>[0], 'children'> & {
  action: string
  label: string
  kind?: FormProps['kind']
  of: FormSpec
  state: FormState
  only?: readonly string[]
  /** Before the fields. */
  children?: Child
}

/** FormPanel is a panel that is one form. */
export function FormPanel({ action, label, kind, of, state, only, children, ...panel }: FormPanelProps) {
  return (
    <Panel {...panel}>
      <Form action={action} label={label} kind={kind}>
        {children}
        <Fields of={of} state={state} only={only} />
      </Form>
    </Panel>
  )
}

type InputProps = { name: string; field: FieldSpec; state: FormState; suffix?: string }

const TYPES = {
  url: 'url',
  email: 'email',
  number: 'number',
  date: 'date',
  moment: 'datetime-local',
  secret: 'password',
} as const
const HINTS: Partial<Record<Kind, string>> = {
  money: 'In US dollars, such as 24.99.',
  moment: 'In UTC.',
  region: 'A state or country, such as California, Ontario or Germany.',
}

function Input({ name, field, state: typed, suffix }: InputProps) {
  const { kind, label, required = false, max, min, step, options = [] } = field
  const hint = field.hint ?? HINTS[kind]
  // The script sends a moment with its zone, which the browser's own field does not take back.
  const value = typed.values[name] ?? ''
  const isZoned = kind === 'moment' && value.endsWith('Z')
  const state = isZoned ? { ...typed, values: { ...typed.values, [name]: value.slice(0, -1) } } : typed
  const labelled = { state, name, label, hint, suffix }
  if (kind === 'long') return <TextArea {...labelled} rows={3} maxlength={max} required={required} />
  if (kind === 'choice') return <Select {...labelled} options={options} />
  if (kind === 'check') return <Check state={state} name={name} label={label} suffix={suffix} />
  if (kind === 'choices')
    return (
      <fieldset class="boxes">
        <legend>{label}</legend>
        {options.map(([value, words]) => (
          <Check state={state} name={choiceField(name, value)} label={words} suffix={suffix} />
        ))}
      </fieldset>
    )
  if (kind === 'texts' || kind === 'rows') return <RowEditor name={name} field={field} state={state} />
  const input = {
    ...labelled,
    required,
    maxlength: kind === 'number' ? undefined : max,
    ...{ autocomplete: field.autocomplete ?? 'off', list: field.list },
  }
  const places = kind === 'region' ? placeChoices(value) : []
  if (places.length > 0) return <Select {...labelled} options={places} />
  if (kind === 'region')
    return (
      <>
        <Field {...input} list={`${name}-regions`} />
        <Regions id={`${name}-regions`} />
      </>
    )
  if (kind === 'product')
    return (
      <>
        <Field {...input} list={`${name}-found`} suggest="products" />
        <datalist id={`${name}-found`} />
      </>
    )
  if (kind === 'text' && options.length > 0)
    return (
      <>
        <Field {...input} list={`${name}-known`} />
        <datalist id={`${name}-known`}>
          {options.map(([value, words]) => (
            <option value={value}>{words}</option>
          ))}
        </datalist>
      </>
    )
  if (kind === 'text' || kind === 'money') return <Field {...input} />
  return (
    <Field {...input} type={TYPES[kind]} min={min} max={kind === 'number' ? max : undefined} step={step} />
  )
}

function Regions({ id }: { id: string }) {
  return (
    <datalist id={id}>
      {suggestedRegions().map((state) => (
        <option value={state} />
      ))}
    </datalist>
  )
}

/** How many rows a form holds of a list. */
function rowsIn(form: Typed, name: string): number {
  let rows = 0
  for (const key of Object.keys(form)) {
    const match = key.startsWith(`${name}.`) ? /^\.(\d{1,3})\./.exec(key.slice(name.length)) : null
    if (match) rows = Math.max(rows, Number(match[1]) + 1)
  }
  return rows
}

const MOVES = [
  ['_up', 'Move up'],
  ['_down', 'Move down'],
] as const

/** The rows of a list, one empty one below them. The script adds and removes rows in place. */
function RowEditor({ name, field, state }: Omit<InputProps, 'suffix'>) {
  const parts = Object.entries(partsOf(field))
  const rows = rowsIn(state.values, name)
  const error = state.errors[name]
  const lastIsEmpty =
    rows > 0 && parts.every(([part]) => (state.values[partName(name, rows - 1, part)] ?? '') === '')
  const id = `field-${name}`
  const pasted = state.values[name] ?? ''
  const described = [field.hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <fieldset class="row-editor" id={id} data-rows={name} aria-describedby={described || undefined}>
      <legend>{field.label}</legend>
      {field.hint && (
        <p class="hint" id={`${id}-hint`}>
          {field.hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {/* Enter in a field presses the first button of a form, which must not be one that removes a row. */}
      <button class="hidden" type="submit" tabindex={-1}>
        Submit the form
      </button>
      {Array.from({ length: rows + (lastIsEmpty ? 0 : 1) }, (_, row) => (
        <div class="row-edit">
          {field.ordered && (
            <span class="row-grip" aria-hidden="true" draggable="true">
              <span class="row-number">{row + 1}</span>
            </span>
          )}
          {parts.map(([part, { kind }]) =>
            kind === 'image' ? <Thumbnail url={state.values[partName(name, row, part)]} /> : null,
          )}
          {parts.map(([part]) => (
            <CellError cell={partName(name, row, part)} state={state} />
          ))}
          {parts.map(([part, spec]) => (
            <Cell
              cell={partName(name, row, part)}
              list={spec.known ? `${name}-${part}-known` : `${name}-regions`}
              spec={spec}
              row={row}
              state={state}
            />
          ))}
          {field.ordered &&
            MOVES.map(([move, label]) => (
              <button class="button plain" type="submit" name={move} value={`${name}.${row}`} formnovalidate>
                {label}
                <span class="hidden"> row {row + 1}</span>
              </button>
            ))}
          <button class="button plain" type="submit" name="_remove" value={`${name}.${row}`} formnovalidate>
            Remove<span class="hidden"> row {row + 1}</span>
          </button>
        </div>
      ))}
      <p>
        <button class="button plain" type="submit" name="_add" value={name} formnovalidate>
          Add a row
        </button>
      </p>
      {field.paste !== undefined && (
        <details open={pasted !== ''}>
          <summary>Paste a list</summary>
          <TextArea
            state={{ values: state.values, errors: {} }}
            name={name}
            label={`${field.label}, one per line`}
            hint={field.paste}
            suffix="-pasted"
          />
        </details>
      )}
      {parts.some(([, { kind }]) => kind === 'region') && <Regions id={`${name}-regions`} />}
      {parts.map(
        ([part, { known }]) =>
          known && (
            <datalist id={`${name}-${part}-known`}>
              {known.map((value) => (
                <option value={value} />
              ))}
            </datalist>
          ),
      )}
    </fieldset>
  )
}

function Thumbnail({ url = '' }: { url?: string }) {
  const address = webUrl(url)
  if (!address?.startsWith('https:')) return null
  return <img src={address} alt="" width={48} height={48} loading="lazy" referrerpolicy="no-referrer" />
}

function CellError({ cell, state: { errors } }: { cell: string; state: FormState }) {
  if (!errors[cell]) return null
  return (
    <p class="field-error" id={`field-${cell}-error`}>
      {errors[cell]}
    </p>
  )
}

type CellProps = { cell: string; list: string; spec: PartSpec; row: number; state: FormState }

/** Only a cell with an error has an id: the script copies rows. */
function Cell({ cell, list, spec: { label, kind = 'text', min, max, step, known }, row, state }: CellProps) {
  const isNumber = kind === 'number'
  const wrong = state.errors[cell] !== undefined
  const value = state.values[cell] ?? ''
  const control = {
    ...{ id: wrong ? `field-${cell}` : undefined, name: cell, 'aria-label': `${label}, row ${row + 1}` },
    ...{ 'aria-invalid': wrong ? ('true' as const) : undefined, autocomplete: 'off' },
    'aria-describedby': wrong ? `field-${cell}-error` : undefined,
  }
  const places = kind === 'region' ? placeChoices(value) : []
  if (places.length > 0)
    return (
      <select {...control}>
        {places.map(([choice, words]) => (
          <option value={choice}>{words}</option>
        ))}
      </select>
    )
  return (
    <input
      {...control}
      value={value}
      type={isNumber ? 'number' : kind === 'url' || kind === 'image' ? 'url' : 'text'}
      inputmode={kind === 'money' ? 'decimal' : undefined}
      list={kind === 'region' || known ? list : undefined}
      placeholder={label}
      maxlength={isNumber ? undefined : max}
      {...(isNumber && { min, max, step })}
    />
  )
}

/** What a form holds after a button of its rows was pressed; null when it was sent to be saved. */
export function rowsChanged(form: Typed): Typed | null {
  const { _add: add, _remove: remove, _up: up, _down: down, ...values } = form
  const moved = /^(.+)\.(\d{1,3})$/.exec(up ?? down ?? '')
  // One that moves down changes places with the row below it.
  if (moved) return swapped(values, moved[1] ?? '', Number(moved[2]) + (up === undefined ? 1 : 0))
  if (add !== undefined) return { ...values, [partName(add, rowsIn(values, add), ONLY)]: '' }
  const match = /^(.+)\.(\d{1,3})$/.exec(remove ?? '')
  if (!match) return null
  const [, name = '', gone = ''] = match
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => {
      const at = key.startsWith(`${name}.`) ? /^\.(\d{1,3})\.(.*)$/s.exec(key.slice(name.length)) : null
      if (!at) return [[key, value]]
      const row = Number(at[1])
      if (row === Number(gone)) return []
      return [[partName(name, row > Number(gone) ? row - 1 : row, at[2] ?? ''), value]]
    }),
  )
}

/** With a row before the one above it. */
function swapped(form: Typed, name: string, row: number): Typed {
  const place = (at: number) => (at === row ? row - 1 : at === row - 1 ? row : at)
  return Object.fromEntries(
    Object.entries(form).map(([key, value]) => {
      const at = key.startsWith(`${name}.`) ? /^\.(\d{1,3})\.(.*)$/s.exec(key.slice(name.length)) : null
      return at && row > 0 ? [partName(name, place(Number(at[1])), at[2] ?? ''), value] : [key, value]
    }),
  )
}

/** The request that a form makes. What cannot be read is passed on as what the schema refuses. */
export function requestOf(of: FormSpec, form: Typed): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(of).flatMap(([name, field]) => {
      const value = readField(field, name, form)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function readField(field: FieldSpec, name: string, form: Typed): unknown {
  const { kind, options = [], empty } = field
  if (kind === 'check') return form[name] === 'on'
  if (kind === 'choices')
    return options.flatMap(([value]) => (form[choiceField(name, value)] === 'on' ? [value] : []))
  if (kind === 'texts') {
    const texts = readRows(field, name, form).map((row) => row[ONLY])
    return texts.length === 0 && empty === 'null' ? null : texts
  }
  if (kind === 'rows') {
    const rows = readRows(field, name, form)
    return field.asRecord
      ? Object.fromEntries(rows.map((row) => Object.values(row) as [string, string]))
      : rows
  }
  const typed = (form[name] ?? '').trim()
  if (typed === '') return empty === undefined ? undefined : empty === 'null' ? null : ''
  if (kind === 'money') return dollars(typed)
  if (kind === 'number') return Number(typed.replace(/^(\d{1,3}),(\d{3})$/, '$1$2'))
  if (kind === 'moment') return utc(typed)
  if (kind === 'region') return regionOf(typed)
  return kind === 'long' || kind === 'secret' ? (form[name] ?? '') : typed
}

/** typedRows returns what was typed into each row of a list, empty rows too. */
export function typedRows(field: FieldSpec, name: string, form: Typed): Typed[] {
  const parts = Object.keys(partsOf(field))
  return Array.from({ length: rowsIn(form, name) }, (_, row) =>
    Object.fromEntries(parts.map((part) => [part, (form[partName(name, row, part)] ?? '').trim()])),
  )
}

const isFilled = (row: Typed) => Object.values(row).some((text) => text !== '')

/** Without the rows that are empty. */
function readRows(field: FieldSpec, name: string, form: Typed): Array<Record<string, unknown>> {
  const parts = partsOf(field)
  return typedRows(field, name, form)
    .filter(isFilled)
    .map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([part, text]) => [part, readPart(parts[part]?.kind, text)]),
      ),
    )
}

function readPart(kind: PartSpec['kind'], text: string): unknown {
  if (kind === 'money') return text === '' ? null : dollars(text)
  if (kind === 'number') return text === '' ? undefined : Number(text)
  return kind === 'region' ? regionOf(text) : text
}

/** As typed where it is no region, for the schema to refuse. */
function regionOf(typed: string): string {
  const place = readPlace(typed)
  return 'region' in place ? place.region : typed
}

function dollars(typed: string): number {
  const cents = readDollars(typed)
  return cents === null ? Number.NaN : centsToDollars(cents)
}

/** As `datetime-local` sends it, as somebody types it where there is no such field, or with `Z` from the script. */
function utc(typed: string): string {
  const text = typed.replace(' ', 'T')
  if (text.endsWith('Z')) return text
  return /T\d\d:\d\d$/.test(text) ? `${text}:00Z` : `${text}Z`
}

/** What the form is filled in with: the values of a request or an answer, by the same names. */
export function typedOf(of: FormSpec, values: Readonly<Record<string, unknown>>): Typed {
  return Object.assign(
    {},
    ...Object.entries(of).map(([name, field]) => typedField(field, name, values[name])),
  )
}

/** What was typed when the form comes back, else what is stored. */
export function filledIn(
  state: FormState,
  of: FormSpec,
  stored: Readonly<Record<string, unknown>>,
): FormState {
  return Object.keys(state.values).length > 0 ? state : { ...state, values: typedOf(of, stored) }
}

function typedField(field: FieldSpec, name: string, value: unknown): Typed {
  const { kind } = field
  if (value === null || value === undefined) return {}
  if (kind === 'choices' && Array.isArray(value))
    return Object.fromEntries(value.map((choice) => [choiceField(name, String(choice)), 'on']))
  if (kind === 'texts' && Array.isArray(value))
    return filledRows(
      field,
      name,
      value.map((text) => ({ [ONLY]: text })),
    )
  if (kind === 'rows') return filledRows(field, name, value)
  if (kind === 'check') return value === true ? { [name]: 'on' } : {}
  if (kind === 'money' && typeof value === 'number') return { [name]: typedDollars(Math.round(value * 100)) }
  if (kind === 'moment') return { [name]: localTime(new Date(String(value))) }
  if (kind === 'region') return { [name]: typedRegion(String(value)) }
  return { [name]: String(value) }
}

function filledRows(field: FieldSpec, name: string, value: unknown): Typed {
  const parts = Object.entries(partsOf(field))
  const rows: unknown[] = Array.isArray(value)
    ? value
    : Object.entries(value as object).map((pair) =>
        Object.fromEntries(parts.map(([part], index) => [part, pair[index]])),
      )
  return Object.fromEntries(
    rows.flatMap((row, at) =>
      parts.map(([part, { kind }]) => {
        const held = (row as Record<string, unknown>)[part]
        return [partName(name, at, part), typedPart(kind, held)]
      }),
    ),
  )
}

function typedPart(kind: PartSpec['kind'], held: unknown): string {
  if (kind === 'money' && typeof held === 'number') return typedDollars(Math.round(held * 100))
  return kind === 'region' ? typedRegion(String(held ?? '')) : String(held ?? '')
}

/** To the minute, unless it is set to a part of one: saving an untouched form changes nothing. */
function localTime(at: Date): string {
  return at
    .toISOString()
    .slice(0, -1)
    .replace(/:00\.000$/, '')
    .replace(/\.000$/, '')
}

/**
 * formOf reads a form with a schema of the interface. Each problem names its field as people see it; `words` are for
 * problems that need other words than the schema's.
 */
export function formOf<Output>(
  of: FormSpec,
  schema: z.ZodType<Output>,
  words: Readonly<Record<string, string>> = {},
): z.ZodType<Output, Typed> {
  const read = z.record(z.string(), z.string()).transform((form, check): Output => {
    const parsed = schema.safeParse(requestOf(of, form), { reportInput: true })
    if (parsed.success) return parsed.data
    for (const issue of parsed.error.issues)
      check.issues.push({
        code: 'custom',
        ...placed(issue, of, form, words),
        input: undefined,
      })
    return z.NEVER
  })
  SPECS.set(read, of)
  return read
}

/** The fields behind a schema that `formOf` made. */
const SPECS = new WeakMap<z.ZodType, FormSpec>()

/** The form that a request sends, for those who learn only from its answer that it was not taken. */
const SENT = new WeakMap<Request, FormSpec>()

export function noteForm(c: Context, schema: z.ZodType): void {
  const of = SPECS.get(schema)
  if (of) SENT.set(c.req.raw, of)
}

export function sentForm(c: Context): FormSpec | undefined {
  return SENT.get(c.req.raw)
}

/** What a field of a sent form is, as its reader knows it; null for one that no person typed. */
export function saidField(
  of: FormSpec,
  name: string,
  value: string,
): { label: string; value: string } | null {
  const [list = '', row = '', part = ''] = name.split('.')
  const field = of[name] ?? of[list]
  if (field === undefined) {
    const choices = Object.entries(of).find(
      ([of, { kind }]) => kind === 'choices' && name.startsWith(`${of}_`),
    )
    if (!choices) return null
    const [key, { label, options = [] }] = choices
    const words = options.find(([option]) => choiceField(key, option) === name)?.[1]
    return words === undefined ? null : { label, value: words }
  }
  const label = field.label.replace(/ \(optional\)$/, '')
  if (name === list) {
    if (field.kind === 'check') return { label, value: 'Yes' }
    return { label, value: field.options?.find(([option]) => option === value)?.[1] ?? value }
  }
  const own = part === ONLY && !field.parts ? undefined : partsOf(field)[part]?.label
  return { label: `${label}, row ${Number(row) + 1}${own === undefined ? '' : `: ${own}`}`, value }
}

/** Where a problem is shown, and how it is said: beside the cell where a row of a list is wrong. */
function placed(
  issue: z.core.$ZodIssue,
  of: FormSpec,
  form: Typed,
  words: Readonly<Record<string, string>>,
): { path: PropertyKey[]; message: string } {
  const [first, at, part] = issue.path
  const name = String(first ?? '')
  const field = of[name]
  const row =
    field && !field.asRecord && typeof at === 'number' ? rowNumber(field, name, form, at) : undefined
  const place = field?.kind === 'region' && words[name] === undefined ? readPlace(form[name] ?? '') : null
  if (place && 'problem' in place) return { path: [name], message: place.problem }
  if (field === undefined || row === undefined)
    return { path: [...issue.path], message: issueWords(issue, of, words) }
  const parts = Object.entries(partsOf(field))
  const [cell, { kind, label }] = parts.find(([key]) => key === part) ?? parts[0] ?? [ONLY, field]
  const typed = kind === 'region' ? readPlace(form[partName(name, row, cell)] ?? '') : null
  if (typed && 'problem' in typed) return { path: [partName(name, row, cell)], message: typed.problem }
  return {
    path: [partName(name, row, cell)],
    message: issueWords(issue, of, words, `${label}, row ${row + 1}`),
  }
}

/** The number of the row that is read as the entry `at`: rows that are empty are not read. */
function rowNumber(field: FieldSpec, name: string, form: Typed, at: number): number | undefined {
  return typedRows(field, name, form).flatMap((row, number) => (isFilled(row) ? [number] : []))[at]
}

/** issueWords says what is wrong with a field; `words` are for problems that need other words than the schema’s. */
export function issueWords(
  issue: z.core.$ZodIssue,
  of: FormSpec,
  words: Readonly<Record<string, string>>,
  label = of[String(issue.path[0] ?? '')]?.label,
): string {
  const name = String(issue.path[0] ?? '')
  if (words[name] !== undefined) return words[name]
  // A schema that speaks to people says whole sentences.
  if (/^[A-Z].*\.$/.test(issue.message)) return issue.message
  const { field = '', message } = invalidInput(new z.ZodError([issue]))
  const problem = (field === '' ? message : message.slice(`${field}: `.length))
    .replace(/^must not be empty$/, 'is required')
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (other) => of[other]?.label ?? other)
  const { kind } = of[name] ?? {}
  if (kind === 'money' && issue.code === 'invalid_type') return `${label} must be dollars, such as 24.99.`
  if (kind === 'moment' && /\bISO 8601\b/.test(problem))
    return `${label} must be a date and time, such as 2026-11-30 23:59.`
  return fieldProblem(label, problem)
}

/** fieldProblem says what is wrong with the field that people know by this label. */
export function fieldProblem(labelled: string | undefined, problem: string): string {
  const label = labelled?.replace(/ \(optional\)$/, '')
  if (label === undefined) return sentence(problem)
  return /^(?:must|is|has|needs|may|does)\b/.test(problem) ? `${label} ${problem}.` : `${label}: ${problem}`
}

/**
 * inForm names a service's refusal by the form's label: services name fields as the interface does. `at` finds the field
 * of the form; a refusal without one concerns the whole form.
 */
export function inForm(
  of: FormSpec,
  error: unknown,
  at = (field: string) => field.split('.')[0] ?? '',
): unknown {
  if (!(error instanceof AppError) || error.field === undefined) return error
  const { kind, code, max, valid, field } = error
  const name = at(field)
  const problem = error.message.startsWith(`${field}: `)
    ? error.message.slice(field.length + 2)
    : error.message
  const label = of[name]?.label
  return new AppError(kind, fieldProblem(label, problem), {
    ...{ code, max, valid, cause: error },
    ...(label !== undefined && { field: name }),
  })
}

/** The fields of an entity, as its model says them; `more` adds hints and the rest. */
export function entityFields(
  entity: Pick<Entity, 'fields' | 'names'>,
  more: Readonly<Record<string, Partial<FieldSpec>>> = {},
): FormSpec {
  const kinds = { text: 'text', cents: 'money', moment: 'moment', texts: 'choices' } as const
  return Object.fromEntries(
    Object.entries(entity.fields).map(([key, field]) => {
      const { as, label, absent, sent, choices = [] } = field
      const name = entity.names[key] ?? key
      const spec: FieldSpec = {
        ...{ kind: kinds[as], label, max: sent.maxLength, required: absent === undefined },
        ...(choices.length > 0 && { options: choices.map((choice) => [choice, humanized(choice)] as const) }),
        ...(absent === null && { empty: 'null' }),
        ...more[name],
      }
      return [name, spec]
    }),
  )
}

/** The fields of an operation's input: kinds, limits and choices as its schema has them; `more` adds labels and hints. */
export function inputFields(
  input: z.ZodObject,
  more: Readonly<Record<string, Partial<FieldSpec>>> = {},
): FormSpec {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      {
        ...shapeOf(name, typeof property === 'boolean' ? {} : property),
        label: humanized(name.replace(/_usd$/, '')),
        required: required.includes(name),
        ...more[name],
      },
    ]),
  )
}

function shapeOf(
  name: string,
  property: z.core.JSONSchema.BaseSchema,
): Pick<FieldSpec, 'kind' | 'max' | 'min' | 'options' | 'hint'> {
  const { type, enum: choices, maxLength: max, anyOf, description: hint } = property
  const first = anyOf?.find((one) => typeof one === 'object' && one.type !== 'null')
  if (type === undefined && typeof first === 'object') return { hint, ...shapeOf(name, first) }
  const options = (values: readonly unknown[]) =>
    values.map((value) => [String(value), humanized(String(value))] as const)
  if (choices) return { kind: 'choice', options: options(choices), hint }
  if (type === 'boolean') return { kind: 'check', hint }
  if (type === 'array') {
    const items = property.items
    const of = typeof items === 'object' && !Array.isArray(items) ? items : {}
    return of.enum ? { kind: 'choices', options: options(of.enum), hint } : { kind: 'texts', hint }
  }
  if (type === 'number' || type === 'integer')
    return name.endsWith('_usd')
      ? { kind: 'money', hint }
      : { kind: 'number', min: property.minimum, max: property.maximum, hint }
  if (name.endsWith('_at')) return { kind: 'moment', hint }
  if (name.endsWith('_url')) return { kind: 'url', max, hint }
  return { kind: name === 'product_slug' ? 'product' : 'text', max, hint }
}
