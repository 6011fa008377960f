/** What became of a source and its runs, in the words of pages and the command line. */
import { HOUR_MS } from '../lib/clock.ts'
import type { OutboundReason } from '../lib/outbound.errors.ts'
import { counted, formatCount } from '../lib/words.ts'
import type { Auth, Gone, Run, RunCounts, SourceView } from './sources.schema.ts'

export type Said = { message: string; fix: string | null }

export function intervalWords(minutes: number | null): string {
  if (minutes === null) return 'Only when you run it'
  if (minutes < 60) return `Every ${minutes} minutes`
  if (minutes < 1_440) return minutes === 60 ? 'Every hour' : `Every ${minutes / 60} hours`
  return minutes === 1_440 ? 'Every day' : `Every ${minutes / 1_440} days`
}

export const GONE_WORDS: Record<Gone, string> = {
  keep: 'Leave them as they are',
  discontinue: 'Mark them as discontinued',
  remove: 'Hide them',
}

export const AUTH_WORDS: Record<Auth, string> = {
  none: 'None',
  basic: 'User name and password',
  bearer: 'Bearer token',
  header: 'A header',
}

/** Without what follows the path: a query may hold a token. */
export function shownUrl(url: string): string {
  const { host = '', pathname = '', search = '' } = URL.parse(url) ?? {}
  return `${host}${pathname === '/' ? '' : pathname}${search === '' ? '' : '?…'}`
}

export type SourceState = 'running' | 'waiting' | 'stopped' | 'paused' | 'failing' | 'good' | 'new'

export function stateOf({ last, waiting, stopped, paused, failures }: SourceView): SourceState {
  if (last?.state === 'running') return 'running'
  if (waiting) return 'waiting'
  if (stopped !== null) return 'stopped'
  if (paused) return 'paused'
  if (last === null) return 'new'
  return failures > 0 ? 'failing' : 'good'
}

export const STATE_WORDS: Record<SourceState, string> = {
  running: 'Running',
  waiting: 'Needs your decision',
  stopped: 'Stopped',
  paused: 'Paused',
  failing: 'Failing',
  good: 'Up to date',
  new: 'Not run yet',
}

export const SOURCE_STATES = Object.keys(STATE_WORDS) as SourceState[]

export const OUTCOME_WORDS: Record<NonNullable<Run['outcome']>, string> = {
  changed: 'Imported',
  unchanged: 'Unchanged',
  checked: 'Checked',
  shrunk: 'Needs a decision',
  rejected: 'Rejected',
  replaced: 'Replaced',
  failed: 'Failed',
}

/** When it runs next, or why it does not. `when` says a moment. */
export function nextWords(source: SourceView, when: (at: Date) => string): string {
  if (source.last?.state === 'running') return 'running now'
  if (source.stopped !== null) return 'stopped'
  if (source.paused) return 'paused'
  if (source.nextRunAt === null) return 'when you run it'
  return when(source.nextRunAt)
}

export function countWords(rows: number, counts: RunCounts, isSeller: boolean): string {
  const parts: Array<[number, (count: number) => string]> = isSeller
    ? [
        [counts.submitted, (count) => `${counted(count, 'new product')} proposed`],
        [counts.proposed, (count) => `${counted(count, 'change')} proposed`],
        [counts.claimed, (count) => `${counted(count, 'product')} claimed`],
      ]
    : [
        [counts.created, (count) => `${formatCount(count)} new`],
        [counts.updated, (count) => `${formatCount(count)} updated`],
        [counts.returned, (count) => `${formatCount(count)} back again`],
        [counts.discontinued, (count) => `${formatCount(count)} discontinued`],
        [counts.removed, (count) => `${formatCount(count)} hidden`],
      ]
  const said = parts.flatMap(([count, words]) => (count > 0 ? [words(count)] : []))
  const failed = counts.failed > 0 ? `; ${counted(counts.failed, 'row')} could not be read` : ''
  return `${counted(rows, 'row')}: ${said.length > 0 ? said.join(', ') : 'nothing new'}${failed}.`
}

/** Nothing was written, and what was good before stands: the sentence that a person looks for first. */
const UNTOUCHED = 'The catalog stays as it was.'
const say = (message: string, fix: string): Said => ({ message: `${message} ${UNTOUCHED}`, fix })

export function statusSaid(status: number, auth: Auth): Said {
  const answered = `The server answered with status ${status}.`
  if (status === 401 || status === 403)
    return say(
      answered,
      auth === 'none'
        ? 'It may need credentials. Enter them in the settings.'
        : 'It refused the credentials. Enter them again in the settings.',
    )
  if (status === 404 || status === 410) return say(answered, 'Check the address in the settings.')
  if (status === 429) return say(answered, 'It is asked too often. Choose a longer interval.')
  if (status >= 500) return say(answered, 'The fault is on the other side. We try again by ourselves.')
  return say(answered, 'Open the address in a browser and see what it says.')
}

export function outboundSaid(
  { reason, message }: { reason: OutboundReason; message: string },
  { maxBytes, timeoutMs, isSeller }: { maxBytes: number; timeoutMs: number; isSeller: boolean },
): Said {
  switch (reason) {
    case 'private_address':
      return say(
        'The address, or one it redirects to, is on a private network, so nothing was sent there.',
        isSeller
          ? 'Use an address that is reachable from the internet.'
          : 'Use a public address, or add its host and port to SOUK_OUTBOUND_ALLOW.',
      )
    case 'scheme':
    case 'invalid_url':
      return say('The address, or one it redirects to, is not an https address.', 'Use an https address.')
    case 'timeout':
      return say(
        `The server did not send the file within ${counted(Math.max(1, Math.round(timeoutMs / 1_000)), 'second')}.`,
        'We try again by ourselves. If it stays slow, offer a smaller or compressed file.',
      )
    case 'too_large':
      return say(
        `The file is larger than ${sizeWords(maxBytes)}.`,
        isSeller
          ? 'Offer a smaller or compressed file.'
          : 'Offer a compressed file, split it into several sources, or use a file source.',
      )
    case 'redirect':
      return say(
        'The address redirects too often, or to nowhere.',
        'Enter the final address in the settings.',
      )
    case 'encoding':
      return say('The server packed the file in a way we do not read.', 'Let it send plain text or gzip.')
    case 'dns':
      return say(`${message}.`, 'Check the host name in the settings.')
    case 'tls':
      return say(`${message}.`, 'Renew the certificate of that server.')
    default:
      return say(`${message}.`, 'We try again by ourselves. Check that the server is up.')
  }
}

/** What a reader says of a file that it cannot read. */
export function unreadableSaid(problem: string): Said {
  const text = problem.trim()
  return say(
    /[.!?]$/.test(text) ? capital(text) : `${capital(text)}.`,
    'Check what the address sends, or change how it is read.',
  )
}

export function emptySaid(failed: number): Said {
  return failed > 0
    ? say(
        `None of the ${counted(failed, 'row')} could be read.`,
        'See what is wrong with them below, or change how the file is read.',
      )
    : say('The file has no products.', 'Check what the address sends.')
}

/** Of products, or of rows where products are not counted. */
export function shrunkSaid(missing: number, known: number, noun: string): Said {
  const share = Math.round((100 * missing) / Math.max(1, known))
  return say(
    `${formatCount(missing)} of ${counted(known, noun)} (${share} %) are missing from the new file.`,
    'Look at the file. Approve it if so much is gone; reject it if the file is incomplete.',
  )
}

export const INTERRUPTED: Said = {
  message: 'The run was interrupted several times. What was imported before that is kept.',
  fix: 'Run it again. If it happens again, look at the log.',
}

export function sizeWords(bytes: number): string {
  return bytes >= 1024 ** 2
    ? `${(bytes / 1024 ** 2).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`
    : `${formatCount(Math.max(1, Math.round(bytes / 1024)))} KB`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Soon after the first failure, then ever later, but never longer than a day or the interval itself. */
export function retryAfterMs(failures: number, everyMinutes: number): number {
  const most = Math.max(everyMinutes * 60_000, 24 * HOUR_MS)
  return Math.min(15 * 60_000 * 2 ** Math.min(failures - 1, 12), most)
}
