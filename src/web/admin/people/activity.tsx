/** The last actions of an account or an organization. */
import type { AuditRecord } from '../../../accounts/audit.service.ts'
import { humanized } from '../../format.ts'
import { Empty, Panel, Timeline } from '../../kit/parts.tsx'

export const SHOWN_ACTIONS = 20
const ACTORS = { user: 'a user', link_token: 'a link token', operator: 'the command line', system: 'Souk' }

/** Names who did it, except `self`. */
export function Activity({ records, self, now }: { records: AuditRecord[]; self: string; now: Date }) {
  return (
    <Panel title="Recent activity">
      {records.length === 0 ? (
        <Empty>No activity yet.</Empty>
      ) : (
        <Timeline
          now={now}
          events={records.map(({ action, actor, at, ip }) => ({
            at,
            what: humanized(action),
            note: [
              actor.id !== self && ['by', ACTORS[actor.kind], actor.id].filter(Boolean).join(' '),
              ip !== null && `from ${ip}`,
            ]
              .filter(Boolean)
              .join(' · '),
          }))}
        />
      )}
    </Panel>
  )
}
