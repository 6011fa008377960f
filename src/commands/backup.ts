/** `souk backup`: all data in one file, taken beside a running server. */
import { type BackupSummary, takeBackup } from '../backup/backup.service.ts'
import { dailyFile, deleteOlder } from '../backup/kept-files.ts'
import { type Config, ConfigError } from '../config.ts'
import { createProgress } from '../lib/progress.ts'
import { readArguments, say, showUsage } from './terminal.ts'

const HELP = `usage: npm run souk -- backup FILE [options]
       npm run souk -- backup FOLDER --keep N

  FILE              the file to write, readable only by you; - writes to standard output, to encrypt it in a pipe
  --force           replace FILE if it exists
  --keep N          write a file named after the time into FOLDER, then delete all but the newest N of these
  --check           read the file again and compare what it holds; /admin/backups shows the result
  --without-secret  leave out the data folder's secret; sealed data cannot be read without it

Saves the whole database as of one moment, while servers keep running. The data folder's file "secret" is included when
SOUK_SECRET is not set. Emails in outbox/ are not. Restore it with restore FILE; check a file with restore --check FILE.
`

export async function backupCommand(config: Config, args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    texts: ['keep'],
    flags: ['force', 'check', 'without-secret'],
  })
  const [given] = positionals
  if (values.help || given === undefined || positionals.length > 1) return showUsage(HELP, values)
  const keep = values.keep === undefined ? null : parseKeep(values.keep)
  const file = keep === null ? given : dailyFile(given, new Date())
  const started = performance.now()
  const progress = createProgress('Backing up, MB')
  const summary = await takeBackup(config, {
    ...{
      file,
      force: values.force,
      withSecret: !values['without-secret'],
      check: values.check,
      listed: true,
      say,
    },
    onProgress: (bytes, share) => progress.update(Math.round(bytes / 1e6), share),
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const [tables, rows, bytes] = [summary.tables, summary.rows, summary.bytes].map((n) =>
    n.toLocaleString('en'),
  )
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  say(`Backed up ${tables} tables, ${rows} rows, in ${bytes} bytes and ${seconds} s.`)
  say(SECRET[summary.secret])
  if (summary.checked === 'whole') say('Read again: the file is whole.')
  if (keep !== null) {
    say(`Saved to ${file}.`)
    // A damaged one takes none away.
    if (summary.checked !== 'damaged') for (const old of deleteOlder(given, keep)) say(`Deleted ${old}.`)
  }
  if (summary.checked !== 'damaged') return 0
  say('Read again: the file is DAMAGED. Look at the disk, and take another backup.')
  return 1
}

const SECRET: Record<BackupSummary['secret'], string> = {
  inside: "It includes the data folder's secret: anyone with the file can read sealed data. Keep it safe.",
  'left out':
    'It does NOT include the data folder\'s secret: keep the file "secret" too, or sealed data cannot be read.',
  'in SOUK_SECRET': 'It does NOT include SOUK_SECRET: keep it too, or sealed data cannot be read.',
  none: 'It has no secret, because the data folder has no file "secret": keep the one your servers use.',
}

/** Thrown as a wrong argument: exit code 2. */
function parseKeep(text: string): number {
  const keep = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (keep > 0) return keep
  throw new ConfigError('--keep takes a number of backups from 1 to 9999')
}
