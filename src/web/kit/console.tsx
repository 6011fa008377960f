/**
 * Console is the frame of the pages people work on: a menu at the side, the page beside it. Sellers and operators share
 * it with different menus. On a narrow screen one button opens the menu.
 */
import type { Context } from 'hono'
import { raw } from 'hono/html'
import { type Child, Fragment, jsx } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { HttpEnv } from '../../http/env.ts'
import { Layout } from '../layout.tsx'
import { doneWords, sendPage } from '../page.http.ts'
import type { Site } from '../site.ts'
import { streamPage } from '../stream-page.tsx'
import { ErrorSummary, type FormState, HiddenInForms } from './fields.tsx'

/** Page is what a console page says of itself; the guard that shows it adds the frame. */
export type Page = {
  title: string
  lead?: Child
  /** The menu entry that the page belongs to; by default the nearest above its address. */
  at?: string
  /** Buttons beside the heading. */
  actions?: Child
  /** What to say after an action: by the word that `?done=` has in the address. */
  said?: Readonly<Record<string, Child>>
  /** What is wrong; by default what the form that was sent got wrong. */
  errors?: FormState['errors']
  status?: ContentfulStatusCode
  body: Child
  /** Writes what comes later into the `Hole` of the body, after the page has been sent. */
  stream?: Stream
}

/** Writes pieces until all is known; the signal aborts when the reader leaves. */
export type Stream = (write: (piece: Child) => Promise<void>, signal: AbortSignal) => Promise<void>

/** Seen is what a page is made from: who looks, the request, and a refused form's values and errors. */
export type Seen<Who> = Who & { c: Context<HttpEnv>; state: FormState }
export type Show<Who> = (seen: Seen<Who>) => Page | Response | Promise<Page | Response>

/** Frame is what all pages of one console share. */
export type Frame = Pick<ConsoleProps, 'site' | 'name' | 'groups' | 'isOperator' | 'notice'> & {
  /** For whom the visitor acts, and how to switch while at this menu entry. */
  whose?: (at: string) => Child
  /** Fields that every form of the page carries. */
  hidden?: Record<string, string>
  /** The addresses of the whole menu, where `groups` has only what a role may open. */
  entries?: readonly string[]
}

/** What is drawn, as text. */
export function htmlOf(child: Child): string {
  return String(jsx(Fragment, {}, child as string))
}

export const entriesOf = (groups: readonly WayGroup[]) =>
  groups.flatMap(({ ways }) => ways.map(({ href }) => href))

/** The menu entry that an address belongs to. */
export function entryAbove(address: string, entries: readonly string[]): string {
  const above = entries.filter((entry) => address === entry || address.startsWith(`${entry}/`))
  return above.sort((a, b) => b.length - a.length)[0] ?? address
}

/** sendConsolePage puts a page into its frame. `status` is for a form that was refused. */
export function sendConsolePage(
  c: Context<HttpEnv>,
  page: Page | Response,
  frame: Frame,
  state: FormState,
): Response | Promise<Response> {
  if (page instanceof Response) return page
  const html = framed(c, page, frame, state, c.req.query('done'))
  const { stream } = page
  if (!stream) return sendPage(c, html, { status: page.status })
  // The forms of a piece carry the same fields as those of the page.
  const piece = (child: Child) => (
    <HiddenInForms.Provider value={frame.hidden ?? {}}>{child}</HiddenInForms.Provider>
  )
  return streamPage(c, html, (write, signal) => stream((child) => write(String(piece(child))), signal))
}

export function framed(c: Context, page: Page, frame: Frame, state: FormState, done?: string) {
  const { hidden = {}, whose, entries = entriesOf(frame.groups), ...around } = frame
  const { body, said = {}, errors = state.errors, status: _, stream: __, ...head } = page
  const { at = entryAbove(c.req.path, entries) } = page
  return String(
    <HiddenInForms.Provider value={hidden}>
      <Console {...around} {...head} at={at} whose={whose?.(at)} done={doneWords(said, done)} errors={errors}>
        {body}
      </Console>
    </HiddenInForms.Provider>,
  )
}

/** The page that answers a form: its mark tells the script that what was typed has arrived. */
export function answered(page: Page): Page {
  if ((page.status ?? 200) >= 400) return page
  return {
    ...page,
    body: [<span hidden data-answered />, page.body],
  }
}

export type Way = {
  href: string
  label: string
  /** How much waits there; nothing is shown for none. */
  waiting?: number
}
export type WayGroup = { label: string | null; ways: Way[] }

type ConsoleProps = {
  site: Site
  /** Of the whole: "Dashboard", "Operator". */
  name: string
  title: string
  lead?: Child
  groups: WayGroup[]
  /** The page's own path, or that of the page it belongs to: which of the ways one is on. */
  at: string
  /** Above the ways: for whom one acts. */
  whose?: Child
  /** Beside the heading: what can be done here first. */
  actions?: Child
  /** What has just been done, in words. */
  done?: Child
  errors?: FormState['errors']
  isOperator: boolean
  /** Stands above every page. */
  notice?: Child
  children: Child
}

function Console(props: ConsoleProps) {
  const { site, name, title, lead, groups, at, whose, actions, done = null, errors = {} } = props
  // Rendered first: an error links to its field only where the page has one.
  const body = String(
    <>
      {props.notice}
      {props.children}
    </>,
  )
  return (
    <Layout site={site} title={`${title} · Souk`} description={title} path={null} kind="console">
      <div
        class="console"
        data-find={`${props.isOperator && name === 'Operator' ? '/admin' : '/dashboard'}/find.json`}
      >
        <div class="console-side">
          {whose}
          <Ways name={name} groups={groups} at={at} />
          {/* Seen once the script can open what it is for. */}
          <button class="palette-open" type="button" data-palette="">
            Search <kbd>Ctrl K</kbd>
          </button>
        </div>
        <div class="console-body">
          <header class="console-head">
            <div>
              <h1>{title}</h1>
              {lead && <p class="soft">{lead}</p>}
            </div>
            {actions && <div class="console-actions">{actions}</div>}
          </header>
          {done !== null && (
            <p class="done" role="status">
              {done}
            </p>
          )}
          <ErrorSummary errors={errors} within={body} />
          {raw(body)}
        </div>
      </div>
    </Layout>
  )
}

function Ways({ name, groups, at }: Pick<ConsoleProps, 'name' | 'groups' | 'at'>) {
  const here = groups.flatMap(({ ways }) => ways).find(({ href }) => href === at)
  return (
    <details class="console-menu">
      <summary>
        {name}
        {here && <span class="soft">{here.label}</span>}
      </summary>
      <nav class="console-nav" aria-label={name}>
        {groups.map(({ label, ways }) => (
          <>
            {label !== null && <p class="console-group">{label}</p>}
            <ul>
              {ways.map(({ href, label: way, waiting = 0 }) => (
                <li>
                  <a href={href} aria-current={href === at ? 'page' : undefined}>
                    {way}
                    {waiting > 0 && (
                      <span class="count">
                        {waiting}
                        <span class="hidden"> waiting</span>
                      </span>
                    )}
                  </a>
                </li>
              ))}
            </ul>
          </>
        ))}
      </nav>
    </details>
  )
}
