/** /admin/backups: which backups were taken, whether they were read again, and how to take one. */
import { type BackupDone, type DrillDone, lastDrill, listBackups } from '../../../backup/records.service.ts'
import { Ago, Moment } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import { choice, column, defineList, within } from '../../kit/list.tsx'
import { Facts, LinkLine, Panel, State } from '../../kit/parts.tsx'
import type { Admin, AdminDeps } from '../guard.ts'
import { BACKUPS } from '../nav.ts'

const CHECK_WORDS = {
  whole: 'Read again: whole',
  damaged: 'Read again: damaged',
  unchecked: 'Not read again',
}
const LIST = defineList(BACKUPS, 'backup', {
  search: 'File',
  filters: { checked: choice('Check', CHECK_WORDS) },
})
const TONES = { whole: 'good', damaged: 'bad', unchecked: 'mixed' } as const
const MB = 1024 ** 2

const checkOf = ({ checked }: BackupDone) => checked ?? 'unchecked'

export function mountBackups(admin: Admin, { ctx }: AdminDeps): void {
  admin.list<BackupDone, typeof LIST.filters>(LIST, async ({ asked }) => {
    const [all, drill] = await Promise.all([listBackups(ctx), lastDrill(ctx)])
    const now = ctx.clock.now()
    return {
      title: 'Backups',
      lead: 'Backups of this database by the backup command. We can’t see copies that you make otherwise.',
      ...within(all, asked, { words: ({ file }) => file, by: { checked: checkOf } }),
      above: <Drill drill={drill} now={now} />,
      order: 'newest first',
      columns: [
        column.text('File', 'file'),
        column.ago('Taken', ({ at }) => new Date(at), now),
        {
          ...{ label: 'Size', kind: 'number' },
          cell: ({ bytes }) => `${(bytes / MB).toFixed(1)} MB`,
          csv: ({ bytes }) => bytes,
        },
        { label: 'Rows', kind: 'number', cell: ({ rows }) => formatCount(rows), csv: ({ rows }) => rows },
        column.text('Check', checkOf, (backup) => (
          <State tone={TONES[checkOf(backup)]}>{CHECK_WORDS[checkOf(backup)]}</State>
        )),
        column.text('Secret', 'secret'),
      ],
      empty: <p>No backup has been taken of this database yet.</p>,
      below: (
        <Panel title="Take a backup">
          <p>On a machine that reaches the database, while servers keep running:</p>
          <p>
            <code class="finding">npm run -s souk -- backup /backups --keep 14 --check</code>
          </p>
          <p>
            It writes one file, reads it again and deletes all but the newest 14. To try a restore, into a
            database of its own that is thrown away:
          </p>
          <p>
            <code class="finding">npm run -s souk -- restore --drill /backups/FILE</code>
          </p>
          <LinkLine to="/docs">Documentation</LinkLine>
        </Panel>
      ),
    }
  })
}

/** The last restore that was tried. */
function Drill({ drill, now }: { drill: DrillDone | null; now: Date }) {
  if (drill === null)
    return (
      <Panel title="Last restore drill">
        <p>No restore has been tried yet. A backup is proved only by one: see below how to try it.</p>
      </Panel>
    )
  const { at, file, takenAt, tables, rows, seconds, problem } = drill
  return (
    <Panel title="Last restore drill">
      <Facts
        facts={[
          [
            'Result',
            problem === null ? <State tone="good">Restored</State> : <State tone="bad">Failed</State>,
          ],
          problem !== null && ['Why', <span class="finding">{problem}</span>],
          ['When', <Ago at={new Date(at)} now={now} />],
          ['File', <code>{file}</code>],
          takenAt !== null && ['Backup of', <Moment at={new Date(takenAt)} />],
          problem === null && ['Restored', `${formatCount(tables)} tables, ${formatCount(rows)} rows`],
          ['Took', `${seconds} s`],
        ]}
      />
    </Panel>
  )
}
