/** `souk restore`: the data of a backup in the place of what is there, or a look whether its file is whole. */
import { drillRestore } from '../backup/drill.service.ts'
import type { Header } from '../backup/format.ts'
import { checkBackup, discardKept, type RestoreSummary, restoreBackup } from '../backup/restore.service.ts'
import type { Config } from '../config.ts'
import { createProgress } from '../lib/progress.ts'
import { readArguments, say, showUsage } from './terminal.ts'

const HELP = `usage: npm run souk -- restore FILE [options]

  FILE           a file written by backup
  --check        only check that the file is complete; needs no database
  --drill        try it: restore into a database of its own and throw that away; /admin/backups shows how it went
  --replace      restore over existing data or a different secret; the old ones are kept beside the new
  --discard-old  do not keep the old database; without FILE: delete the ones that were kept

Stop every server first, except for --check and --drill. The file is checked before anything changes, and the new data before it replaces the old: a
restore that fails or is interrupted changes nothing, and you can run it again. Backups of older versions are upgraded.
`

export async function restoreCommand(config: Config, args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { flags: ['check', 'drill', 'replace', 'discard-old'] })
  const [file] = positionals
  const tidies = file === undefined && values['discard-old'] && !values.check
  if (values.help || (file === undefined && !tidies) || positionals.length > 1) return showUsage(HELP, values)
  if (file === undefined) {
    const kept = await discardKept(config, say)
    say(kept.length === 0 ? 'No old database was kept.' : `Dropped ${kept.join(', ')}.`)
    return 0
  }
  const title = values.check ? 'Checking, percent' : 'Restoring, percent'
  const progress = createProgress(title)
  const onProgress = (share: number) => progress.update(Math.floor(share * 100), share)
  const started = performance.now()
  if (values.check) {
    const { header, tables, rows } = await checkBackup(file, onProgress)
    clearLine()
    say(`${file} is complete: ${counted({ tables, rows })}, ${describe(header)}.`)
    return 0
  }
  if (values.drill) {
    const { tables, rows, seconds, problem } = await drillRestore(config, { file, say, onProgress })
    clearLine()
    if (problem === null) say(`Restored ${counted({ tables, rows })}, in ${seconds} s, and threw it away.`)
    else say(`The restore FAILED: ${problem}`)
    return problem === null ? 0 : 1
  }
  const { replace } = values
  const summary = await restoreBackup(config, {
    ...{ file, replace, discardOld: values['discard-old'], say, onProgress },
  })
  clearLine()
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  say(`Restored ${counted(summary)}, in ${seconds} s, ${describe(summary.header)}.`)
  tell(summary, config)
  return 0
}

function tell({ upgraded, strange, keptAs, secretWritten, notice }: RestoreSummary, config: Config): void {
  if (upgraded.length > 0) say(`Upgraded to this version: ${upgraded.join(', ')}.`)
  if (strange.length > 0) say(`Skipped tables that Souk does not know: ${strange.join(', ')}.`)
  if (secretWritten) say(`The backup's secret is now in ${config.dataDir}/secret.`)
  if (notice !== null) say(notice)
  if (keptAs !== null)
    say(`The old database is kept as ${keptAs}. Once all is well, delete it with restore --discard-old.`)
}

function counted({ tables, rows }: { tables: number; rows: number }): string {
  return `${tables.toLocaleString('en')} tables, ${rows.toLocaleString('en')} rows`
}

function describe({ createdAt, souk, postgres, migrations }: Header): string {
  return `of ${createdAt}, Souk ${souk} with ${migrations.at(-1)?.replace(/\.sql$/, '')}, PostgreSQL ${postgres}`
}

function clearLine(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
}
