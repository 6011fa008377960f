/** /admin/backups: which backups were taken, whether they were read again, and how to take one. */
import { type BackupDone, listBackups } from '../../../backup/records.service.ts'
import { formatCount } from '../../format.ts'
import { agoColumn, type ListSpec, listPage, optionsOf, textColumn } from '../../kit/list.tsx'
import { Panel, State } from '../../kit/parts.tsx'
import type { AdminDeps } from '../deps.ts'
import type { Admin, Who } from '../guard.ts'
import { BACKUPS } from '../nav.ts'

const CHECK_WORDS = {
  whole: 'Read again: whole',
  damaged: 'Read again: damaged',
  unchecked: 'Not read again',
}
const LIST = {
  ...{ path: BACKUPS, noun: 'backup', search: 'File', pageSize: 50 },
  filters: { checked: ['whole', 'damaged', 'unchecked'] },
} as const satisfies ListSpec
const TONES = { whole: 'good', damaged: 'bad', unchecked: 'mixed' } as const
const MB = 1024 ** 2

const checkOf = ({ checked }: BackupDone) => checked ?? 'unchecked'

export function mountBackups(admin: Admin, { ctx }: AdminDeps): void {
  admin.page(
    BACKUPS,
    listPage<Who, BackupDone, typeof LIST.filters>(LIST, async ({ asked }) => {
      const { q, filters, limit, offset } = asked
      const all = (await listBackups(ctx)).filter(
        (backup) =>
          backup.file.toLowerCase().includes(q.toLowerCase()) &&
          (filters.checked === '' || filters.checked === checkOf(backup)),
      )
      return {
        page: {
          title: 'Backups',
          lead: 'Backups of this database by the backup command. We can’t see copies that you make otherwise.',
        },
        rows: all.slice(offset, offset + limit),
        total: all.length,
        order: 'newest first',
        filters: { checked: { label: 'Check', options: optionsOf(CHECK_WORDS) } },
        columns: [
          textColumn('File', 'file'),
          agoColumn('Taken', ({ at }) => new Date(at), ctx.clock.now()),
          {
            ...{ label: 'Size', kind: 'number' },
            cell: ({ bytes }) => `${(bytes / MB).toFixed(1)} MB`,
            csv: ({ bytes }) => bytes,
          },
          { label: 'Rows', kind: 'number', cell: ({ rows }) => formatCount(rows), csv: ({ rows }) => rows },
          textColumn('Check', checkOf, (backup) => (
            <State tone={TONES[checkOf(backup)]}>{CHECK_WORDS[checkOf(backup)]}</State>
          )),
          textColumn('Secret', 'secret'),
        ],
        empty: <p>No backup has been taken of this database yet.</p>,
        below: (
          <Panel title="Take a backup">
            <p>On a machine that reaches the database, while servers keep running:</p>
            <p>
              <code class="finding">npm run -s souk -- backup /backups --keep 14 --check</code>
            </p>
            <p>
              It writes one file, reads it again and deletes all but the newest 14. To try a restore, give it
              a folder of its own; it never touches this database:
            </p>
            <p>
              <code class="finding">SOUK_DATA_DIR=/tmp/trial npm run -s souk -- restore /backups/FILE</code>
            </p>
            <p>
              <a href="/docs">Documentation</a>
            </p>
          </Panel>
        ),
      }
    }),
  )
}
