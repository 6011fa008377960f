/**
 * The security history: the audit log of one person, in sentences. Every action that accounts and OAuth record has one
 * here; what a later feature records is shown by its name until it has one too.
 */
import type { AuditRecord } from '../../accounts/audit.service.ts'
import { Moment } from '../components/moment.tsx'
import { NarrowPage } from '../components/narrow-page.tsx'
import type { Site } from '../site.ts'
import { Back } from './account-pages.tsx'

/** `app` is what the app called itself at the time, `product` the product's name in addresses; or what stands for it. */
const SENTENCES: Record<string, (app: string, product: string) => string> = {
  'account.created': () => 'Account created',
  signin: () => 'Signed in',
  'signin.failed': () => 'Sign-in failed: wrong password',
  signout: () => 'Signed out',
  'signout.everywhere': () => 'Signed out everywhere',
  'session.ended': () => 'Ended a session',
  'email.verified': () => 'Address confirmed',
  'password.reset_asked': () => 'New password asked for',
  'password.reset': () => 'New password set by a link in a mail',
  'password.changed': () => 'Password changed',
  'password.wrong': () => 'A wrong password was given on the account’s pages',
  'password.dropped': () => 'Password removed: it was set before the address was confirmed',
  'name.changed': () => 'Name changed',
  'data.exported': () => 'Data downloaded',
  'admin.granted': () => 'Made an operator',
  'admin.revoked': () => 'No longer an operator',
  'account.deactivated': () => 'Account deactivated by the operator',
  'account.reactivated': () => 'Account opened again by the operator',
  'saved.added': (_, product) => `Saved ${product}`,
  'saved.updated': (_, product) => `Changed what is saved of ${product}`,
  'saved.removed': (_, product) => `Removed ${product} from a list`,
  'rfq.submitted': (_, product) => `Asked every seller of ${product} for a quote`,
  'grant.given': (app) => `You allowed ${app} to use Souk as you`,
  'grant.denied': (app) => `You did not allow ${app} to use Souk as you`,
  'grant.revoked': (app) => `You disconnected ${app}`,
  'grant.all_revoked': () => 'All apps were disconnected, to secure the account',
  'token.revoked': (app) => `${app} signed itself out`,
  'token.code_reused': (app) => `${app} was signed out: its sign-in code was used twice, maybe by a thief`,
  'token.refresh_reused': (app) => `${app} was signed out: its old key was used again, maybe by a thief`,
}

function sentence({ action, detail }: AuditRecord): string {
  const named = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise)
  const [app, product] = [named(detail.client_name, 'an app'), named(detail.product_slug, 'a product')]
  const text = SENTENCES[action]?.(app, product) ?? action.replaceAll(/[._]/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

type HistoryPage = {
  site: Site
  history: AuditRecord[]
  /** There may be older ones. */
  isFull: boolean
}

export function renderHistory({ site, history, isFull }: HistoryPage): string {
  const last = history.at(-1)
  return String(
    <NarrowPage site={site} title="Security history" lead="What was done with this account, newest first.">
      <ul class="rows">
        {history.map((record) => (
          <li>
            <p>
              <strong>{sentence(record)}</strong>
              <span class="row-note">
                <Moment at={record.at} />
                {record.ip && ` from ${record.ip}`}
              </span>
            </p>
          </li>
        ))}
      </ul>
      {history.length === 0 && <p>There is nothing more.</p>}
      {isFull && last && (
        <p>
          <a href={`/account/history?before=${last.id}`}>Older entries</a>
        </p>
      )}
      <Back />
    </NarrowPage>,
  )
}
