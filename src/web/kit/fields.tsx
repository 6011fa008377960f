/**
 * The parts of every form. What was typed stays, passwords never; an error stands next to its field, is named
 * in a summary that takes the focus, and is tied to the field for screen readers. Nothing here needs a script.
 */
import { type Child, createContext, useContext } from 'hono/jsx'
import { PASSWORD_MAX, PASSWORD_MIN } from '../../accounts/password-strength.ts'
import { countOf } from '../format.ts'

/** Errors by field name; the empty name is for what concerns the form as a whole. */
export type FormState = { values: Record<string, string>; errors: Record<string, string> }

export const UNTOUCHED: FormState = { values: {}, errors: {} }

/** HiddenInForms holds the fields that every form of a page carries, such as the organization it was shown for. */
export const HiddenInForms = createContext<Readonly<Record<string, string>>>({})

/** Carried renders them; every `Form` has it, a hand-made `<form method="post">` needs it. */
export function Carried() {
  return (
    <>
      {Object.entries(useContext(HiddenInForms)).map(([name, value]) => (
        <Hidden name={name} value={value} />
      ))}
    </>
  )
}

type FieldProps = {
  state: FormState
  name: string
  label: string
  type?: 'text' | 'email' | 'password' | 'number' | 'date' | 'datetime-local' | 'url' | 'search'
  autocomplete: string
  hint?: string
  required?: boolean
  minlength?: number
  maxlength?: number
  min?: number
  max?: number
  /** For numbers: 0.01 for money. */
  step?: number
  /** The id of a datalist. */
  list?: string
  /** What the script fills the datalist with while somebody types: `products`, `categories` or `brands`. */
  suggest?: string
  value?: string
  /** Tells the fields of several forms on one page apart. */
  suffix?: string
  /** Read aloud only: what stands around the field names it to the eye. */
  labelHidden?: boolean
}

export function Field(props: FieldProps) {
  const { state, name, label, type = 'text', autocomplete, hint, required = false } = props
  return (
    <Labelled
      state={state}
      name={name}
      label={label}
      hint={hint}
      suffix={props.suffix}
      labelHidden={props.labelHidden}
    >
      {({ id, name, ...described }) => (
        <input
          id={id}
          name={name}
          type={type}
          value={type === 'password' ? undefined : (state.values[name] ?? props.value)}
          autocomplete={autocomplete}
          required={required}
          minlength={props.minlength}
          maxlength={props.maxlength}
          min={props.min}
          max={props.max}
          step={props.step}
          list={props.list}
          data-suggest={props.suggest}
          spellcheck={type === 'text' ? undefined : false}
          autocapitalize={type === 'text' ? undefined : 'none'}
          {...described}
        />
      )}
    </Labelled>
  )
}

/** What every control has that stands in a `Labelled`. */
export type Control = {
  id: string
  name: string
  'aria-invalid'?: 'true'
  'aria-describedby'?: string
}

type LabelledProps = {
  state: FormState
  name: string
  label: string
  hint?: string
  /** Tells the fields of several forms on one page apart. */
  suffix?: string
  /** Read aloud only: what stands around the field names it to the eye. */
  labelHidden?: boolean
  children: (control: Control) => Child
}

/** The frame of a field, whatever is filled in within it. */
export function Labelled({ state, name, label, hint, suffix = '', labelHidden, children }: LabelledProps) {
  const id = `field-${name}${suffix}`
  const error = state.errors[name]
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label class={labelHidden ? 'hidden' : undefined} for={id}>
        {label}
      </label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {children({
        id,
        name,
        'aria-invalid': error ? 'true' : undefined,
        'aria-describedby': described || undefined,
      })}
    </div>
  )
}

type TextAreaProps = Omit<LabelledProps, 'children'> & {
  rows?: number
  maxlength?: number
  required?: boolean
  value?: string
}

export function TextArea({ rows = 4, maxlength, required, value, ...labelled }: TextAreaProps) {
  return (
    <Labelled {...labelled}>
      {(control) => (
        <textarea rows={rows} maxlength={maxlength} required={required} autocomplete="off" {...control}>
          {labelled.state.values[labelled.name] ?? value ?? ''}
        </textarea>
      )}
    </Labelled>
  )
}

type SelectProps = Omit<LabelledProps, 'children'> & {
  /** Value and words. */
  options: ReadonlyArray<readonly [value: string, words: string]>
  value?: string
}

export function Select({ options, value, ...labelled }: SelectProps) {
  const chosen = labelled.state.values[labelled.name] ?? value
  return (
    <Labelled {...labelled}>
      {(control) => (
        <select autocomplete="off" {...control}>
          {options.map(([option, words]) => (
            <option value={option} selected={option === chosen}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

type FileFieldProps = Pick<LabelledProps, 'state' | 'label' | 'hint'> & {
  /** What the browser offers to choose; anything without. */
  accept?: string
  /** A file must be chosen, and may be dropped there. */
  drop?: boolean
}

export function FileField({ accept, drop = false, ...labelled }: FileFieldProps) {
  const must = drop && ({ class: 'import-drop', required: true, autocomplete: 'off' } as const)
  return (
    <Labelled {...labelled} name="file">
      {(control) => <input type="file" accept={accept} {...must} {...control} />}
    </Labelled>
  )
}

/** One box to tick; sent as `on`. */
export function Check({
  state,
  name,
  label,
  checked = false,
  suffix = '',
}: {
  state: FormState
  name: string
  label: Child
  checked?: boolean
  suffix?: string
}) {
  const asked = Object.keys(state.values).length > 0
  return (
    <label class="check" for={`field-${name}${suffix}`}>
      <input
        id={`field-${name}${suffix}`}
        type="checkbox"
        name={name}
        checked={asked ? state.values[name] === 'on' : checked}
      />
      <span>{label}</span>
    </label>
  )
}

/** Where one signs in, password managers look for `username`. */
export function EmailField({
  state,
  autocomplete = 'email',
}: {
  state: FormState
  autocomplete?: 'email' | 'username'
}) {
  return <Field state={state} name="email" label="Email" type="email" autocomplete={autocomplete} required />
}

export function NewPasswordField({ state, label = 'Password' }: { state: FormState; label?: string }) {
  const hint = `${PASSWORD_MIN} to ${PASSWORD_MAX} characters, of any kind. Four or five random words work well.`
  const length = { minlength: PASSWORD_MIN, maxlength: PASSWORD_MAX }
  return (
    <Field
      state={state}
      name="password"
      label={label}
      type="password"
      autocomplete="new-password"
      hint={hint}
      required
      {...length}
    />
  )
}

export function CurrentPasswordField({
  state,
  name = 'password',
  label = 'Password',
}: {
  state: FormState
  name?: string
  label?: string
}) {
  return <Field {...{ state, name, label }} type="password" autocomplete="current-password" required />
}

/** Tells the person, and a password manager, whose password this is. */
export function ForAccount({ email }: { email: string }) {
  return (
    <div class="field">
      <label for="field-username">Account</label>
      <input id="field-username" name="username" autocomplete="username" value={email} readonly />
    </div>
  )
}

export function Hidden({ name, value }: { name: string; value: string | null | undefined }) {
  return value ? <input type="hidden" name={name} value={value} /> : null
}

/** ErrorSummary names every error and takes the focus. `within` is the page below: an error links only to a field there. */
export function ErrorSummary({ errors, within }: Pick<FormState, 'errors'> & { within?: string }) {
  const entries = Object.entries(errors)
  if (entries.length === 0) return null
  const isField = (name: string) => name !== '' && (within?.includes(`id="field-${name}"`) ?? true)
  const fields = entries.filter(([name]) => isField(name)).length
  return (
    <div class="error-summary" role="alert" tabindex={-1} autofocus>
      <h2>{fields === 0 ? 'Something went wrong' : `Please fix ${countOf(fields, 'field')}`}</h2>
      <ul>
        {entries.map(([name, message]) => (
          <li>{isField(name) ? <a href={`#field-${name}`}>{message}</a> : message}</li>
        ))}
      </ul>
    </div>
  )
}

export type FormProps = {
  action: string
  label: Child
  kind?: 'primary' | 'plain' | 'danger'
  /** For a form that brings a file. */
  enctype?: 'multipart/form-data'
  children?: Child
}

/** A form with one button. */
export function Form({ action, label, kind = 'primary', enctype, children }: FormProps) {
  return (
    <form class="fields" method="post" action={action} enctype={enctype}>
      <Carried />
      {children}
      <p>
        <button class={kind === 'primary' ? 'button' : `button ${kind}`} type="submit">
          {label}
        </button>
      </p>
    </form>
  )
}
