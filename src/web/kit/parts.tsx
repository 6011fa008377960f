/** What the pages people work on are made of, so that they all look and read alike. */
import type { Child } from 'hono/jsx'
import { Ago } from '../components/moment.tsx'
import { formatCount, sentence } from '../format.ts'
import { Form, type FormProps, Hidden } from './fields.tsx'

type PanelProps = { title: string; id?: string; lead?: Child; actions?: Child; children?: Child }

/** One subject in a box with its heading. */
export function Panel({ title, id = slugOf(title), lead, actions, children }: PanelProps) {
  return (
    <section class="panel" id={id} aria-labelledby={`${id}-title`}>
      <div class="panel-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {actions}
      </div>
      {lead && <p class="soft">{lead}</p>}
      {children}
    </section>
  )
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** Nothing here yet: why, and what to do; `to` and `label` make a button of it. */
export function Empty({ to, label, children }: { to?: string; label?: string; children: Child }) {
  if (to === undefined || label === undefined) return <div class="empty">{children}</div>
  return (
    <div class="empty">
      <p>{children}</p>
      <p>
        <LinkButton to={to} primary label={label} />
      </p>
    </div>
  )
}

/** A cell with a smaller line below it; nothing is shown for no note. */
export function noted(main: Child, note: Child) {
  return (
    <div>
      {main}
      {note && <span class="row-note">{note}</span>}
    </div>
  )
}

export type Tone = 'good' | 'mixed' | 'bad' | 'quiet'

/** A state in a word. The tone only repeats what the word says. */
export function State({ tone, children }: { tone: Tone; children: Child }) {
  return <span class={`state ${tone}`}>{children}</span>
}

export type Word = { tone: Tone; words: string }

export function stateOf({ tone, words }: Word) {
  return <State tone={tone}>{words}</State>
}

/** Stats are figures side by side: what is counted, how much, and what that means. */
export function Stats({ items }: { items: Array<{ label: string; value: Child; note?: Child }> }) {
  return (
    <dl class="figures">
      {items.map(({ label, value, note }) => (
        <div>
          <dt>{label}</dt>
          <dd>
            <span class="figure">{value}</span>
            {note && <span class="row-note">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** figure is a count among Stats. */
export function figure(label: string, count: number, note?: Child) {
  return { label, value: formatCount(count), note }
}

export type Column = { label: string; kind?: 'number' | 'actions' }

/**
 * A table on a wide screen, a list of labelled facts on a narrow one. The first cell of a row names the row. `caption` is
 * read aloud and not shown, unless the table has no heading above it.
 */
export function DataTable({
  caption,
  columns: named,
  rows,
  pick,
}: {
  caption: string
  /** A text is the label of a column. */
  columns: ReadonlyArray<Column | string>
  rows: Child[][]
  /** A box for each row, of the form with this id. */
  pick?: { form: string; picks: Array<{ name: string; label: string; checked?: boolean }> }
}) {
  const columns = named.map((column): Column => (typeof column === 'string' ? { label: column } : column))
  return (
    <table class="data">
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {pick && (
            <td class="pick">
              <span class="hidden">Select</span>
            </td>
          )}
          {columns.map(({ label, kind }) => (
            <th scope="col" class={kind}>
              {kind === 'actions' ? <span class="hidden">{label}</span> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr>
            {pick && (
              <td class="pick">
                <input
                  type="checkbox"
                  form={pick.form}
                  name={pick.picks[row]?.name}
                  checked={pick.picks[row]?.checked}
                  aria-label={`Select ${pick.picks[row]?.label}`}
                />
              </td>
            )}
            {cells.map((cell, index) => {
              const { label = '', kind } = columns[index] ?? {}
              return index === 0 ? (
                <th scope="row">{cell}</th>
              ) : (
                <td class={kind} data-label={kind === 'actions' ? undefined : label}>
                  {cell}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type TablePanelProps = Omit<PanelProps, 'children'> & {
  columns: ReadonlyArray<Column | string>
  rows: Child[][]
  /** Stands there when there are no rows. */
  none?: Child
  /** Of all rows, where only the first are shown. */
  total?: number
}

/** A panel that is one table, which the panel's title names. */
export function TablePanel({ columns, rows, none, total = rows.length, ...panel }: TablePanelProps) {
  return (
    <Panel {...panel}>
      {rows.length === 0 ? (
        <Empty>{none}</Empty>
      ) : (
        <DataTable caption={panel.title} columns={columns} rows={rows} />
      )}
      {total > rows.length && <p class="soft">{formatCount(total - rows.length)} more.</p>}
    </Panel>
  )
}

/** Facts are names and values, one below the other; false is left out. */
export function Facts({ facts }: { facts: ReadonlyArray<readonly [string, Child] | false> }) {
  return (
    <dl class="known">
      {facts
        .filter((fact) => fact !== false)
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  )
}

/** Timeline is what happened, newest first: when, what, a note below it, and what can be opened or done. */
export function Timeline({
  events,
  now,
}: {
  events: ReadonlyArray<{ at: Date; what: Child; note?: Child; more?: Child }>
  now: Date
}) {
  return (
    <ul class="rows timeline">
      {events.map(({ at, what, note, more }) => (
        <li>
          <p>
            <strong>{what}</strong>
            <span class="row-note">
              <Ago at={at} now={now} />
              {note && <> · {note}</>}
            </span>
          </p>
          {more && <div class="timeline-more">{more}</div>}
        </li>
      ))}
    </ul>
  )
}

/** Action is one button that does one thing: `fields` says to what. `ask` opens a confirmation with `children` first. */
export function Action({
  to,
  label,
  kind = 'plain',
  fields = {},
  about,
  ask,
  children,
}: {
  to: string
  label: string
  kind?: FormProps['kind']
  fields?: Readonly<Record<string, string | null | undefined>>
  /** Read aloud after the label: which row of a table the button is for. */
  about?: string
  ask?: string
  children?: Child
}) {
  const heard = about !== undefined && <span class="hidden"> {about}</span>
  const form = (
    <Form
      action={to}
      kind={kind}
      label={
        <>
          {label}
          {heard}
        </>
      }
    >
      {Object.entries(fields).map(([name, value]) => (
        <Hidden name={name} value={value} />
      ))}
      {ask === undefined && children}
    </Form>
  )
  if (ask === undefined) return form
  return (
    <Confirm
      ask={
        <>
          {ask}
          {heard}
        </>
      }
    >
      {children}
      {form}
    </Confirm>
  )
}

/** LinkButton leads to another page and looks like a button. */
export function LinkButton({ to, primary = false, label }: { to: string; primary?: boolean; label: string }) {
  return (
    <a class={primary ? 'button' : 'button plain'} href={to}>
      {label}
    </a>
  )
}

/** LinkLine is a link on a line of its own; `button` makes it look like one. */
export function LinkLine({
  to,
  button = false,
  children,
}: {
  to: string
  button?: boolean
  children?: Child
}) {
  return (
    <p>
      <a class={button ? 'button' : undefined} href={to}>
        {children}
      </a>
    </p>
  )
}

type SubmitProps = { kind?: 'plain' | 'danger'; line?: boolean; children?: Child }

/** Submit is the button of a form that says more than `Form` draws; `line` gives it a line of its own. */
export function Submit({ kind, line = false, children }: SubmitProps) {
  const button = (
    <button class={kind ? `button ${kind}` : 'button'} type="submit">
      {children}
    </button>
  )
  return line ? <p>{button}</p> : button
}

/** For what cannot be undone: the first press opens it, what will happen is said, the second press does it. */
export function Confirm({
  ask,
  open = false,
  children,
}: {
  ask: Child
  /** For a form in it that was refused. */
  open?: boolean
  children: Child
}) {
  return (
    <details class="confirm" open={open}>
      <summary>{ask}</summary>
      <div class="confirm-body">{children}</div>
    </details>
  )
}

/** Stands until what is waited for is written after it: into `.ended` below the hole of a page that is streamed. */
export function Waiting({ label, children }: { label: string; children: Child }) {
  return (
    <div class="waiting panel" role="status">
      <p>{children}</p>
      <progress aria-label={label} />
    </div>
  )
}

/** Services write their refusals as parts of a sentence; here they stand alone. */
export function asSentences(errors: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(errors).map(([name, text]) => [name, sentence(text)]))
}
