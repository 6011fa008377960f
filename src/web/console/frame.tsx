/**
 * The frame of the pages people work on: where one is and what else there is at the side, the page beside it. Producers
 * and operators have the same frame with other ways through it. On a narrow screen the ways are behind one button.
 */
import type { Child } from 'hono/jsx'
import { ErrorSummary, type FormState } from '../forms/fields.tsx'
import { Layout } from '../layout.tsx'
import type { Site } from '../site.ts'

export type Way = {
  href: string
  label: string
  /** How much waits there; nothing is shown for none. */
  waiting?: number
}
export type WayGroup = { label: string | null; ways: Way[] }

export type ConsoleProps = {
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
  done?: string | null
  errors?: FormState['errors']
  isOperator: boolean
  children: Child
}

export function Console(props: ConsoleProps) {
  const { site, name, title, lead, groups, at, whose, actions, done = null, errors = {} } = props
  return (
    <Layout site={site} title={`${title} · Souk`} description={title} path={null} kind="console">
      <div class="console">
        <div class="console-side">
          {whose}
          <Ways name={name} groups={groups} at={at} />
          {props.isOperator && (
            <p class="console-other">
              {name === 'Operator' ? <a href="/dashboard">Dashboard</a> : <a href="/admin">Operator</a>}
            </p>
          )}
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
          <ErrorSummary errors={errors} />
          {props.children}
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
