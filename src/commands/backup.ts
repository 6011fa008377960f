/** `souk backup`: all data in one file, taken beside a running server. */
import { parseArgs } from 'node:util'
import { type BackupSummary, takeBackup } from '../backup/backup.service.ts'
import { dailyFile, deleteOlder } from '../backup/kept-files.ts'
import { type Config, ConfigError } from '../config.ts'
import { createProgress } from '../lib/progress.ts'

const HELP = `usage: npm run souk -- backup FILE [options]
       npm run souk -- backup FOLDER --keep N

  FILE              where to write it, readable by you alone; - is standard output, to encrypt it in a pipe
  --force           replace FILE when it exists
  --keep N          write into FOLDER, named by the time, and then delete all but the newest N that were made so
  --without-secret  leave out the secret of the data folder, without which what is sealed cannot be read

Everything in the database as it is at one moment. Servers go on reading and writing meanwhile. The data folder's file
"secret" comes along when SOUK_SECRET is not set. Mails in outbox/ are not part of it. Bring it back with
restore FILE; look whether a file is whole with restore --check FILE.
`

export async function backupCommand(config: Config, args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      force: { type: 'boolean', default: false },
      keep: { type: 'string' },
      'without-secret': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [given] = positionals
  if (values.help || given === undefined || positionals.length > 1) {
    process.stderr.write(HELP)
    return values.help ? 0 : 2
  }
  const say = (text: string) => process.stderr.write(`${text}\n`)
  const keep = values.keep === undefined ? null : parseKeep(values.keep)
  const file = keep === null ? given : dailyFile(given, new Date())
  const started = performance.now()
  const progress = createProgress('Backing up, MB')
  const summary = await takeBackup(config, {
    ...{ file, force: values.force, withSecret: !values['without-secret'], say },
    onProgress: (bytes, share) => progress.update(Math.round(bytes / 1e6), share),
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const [tables, rows, bytes] = [summary.tables, summary.rows, summary.bytes].map((n) =>
    n.toLocaleString('en'),
  )
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  say(`Backed up ${tables} tables, ${rows} rows, in ${bytes} bytes and ${seconds} s.`)
  say(SECRET[summary.secret])
  if (keep !== null) {
    say(`It is ${file}.`)
    for (const old of deleteOlder(given, keep)) say(`Deleted ${old}.`)
  }
  return 0
}

const SECRET: Record<BackupSummary['secret'], string> = {
  inside:
    'The secret of the data folder is in it: whoever has the file can read all that is sealed. Keep it safe.',
  'left out':
    'The secret of the data folder is NOT in it: keep the file "secret" as well, or what is sealed cannot be read.',
  'in SOUK_SECRET': 'SOUK_SECRET is NOT in it: keep it as well, or what is sealed cannot be read.',
  none: 'The data folder has no file "secret", so there is none in it: keep the one that the servers use.',
}

/** Thrown as a wrong argument: exit code 2. */
function parseKeep(text: string): number {
  const keep = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (keep > 0) return keep
  throw new ConfigError('--keep takes how many backups to keep, from 1 to 9999')
}
