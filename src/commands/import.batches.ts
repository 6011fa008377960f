/** `souk import list`, `show` and `undo`: imports as wholes. */
import { getImport, type ImportRecord, listImports, undoImport } from '../catalog/import-undo.service.ts'
import type { Config } from '../config.ts'
import { connectDatabase } from '../db/connect.ts'
import type { Db } from '../db/database.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'

type Ask = { db: Db; id: string }

export const BATCH_COMMANDS: Record<string, { takes: number; run(ask: Ask): Promise<string[]> }> = {
  list: { takes: 1, run: list },
  show: { takes: 2, run: show },
  undo: { takes: 2, run: undo },
}

const SHOWN = 50

export async function batchCommand(config: Config, args: string[]): Promise<number> {
  const [verb = '', id = ''] = args
  const command = BATCH_COMMANDS[verb]
  if (!command || args.length !== command.takes) {
    process.stderr.write('usage: npm run souk -- import list | show BATCH | undo BATCH\n')
    return 2
  }
  const database = await connectDatabase(config, { role: 'command', log: createLog('error') })
  try {
    for (const line of await command.run({ db: database.db, id })) process.stderr.write(`${line}\n`)
    return 0
  } finally {
    await database.close()
  }
}

async function list({ db }: Ask): Promise<string[]> {
  const imports = await listImports({ db }, { limit: SHOWN })
  return imports.length === 0 ? ['There are no imports yet.'] : imports.map(lineOf)
}

async function show({ db, id }: Ask): Promise<string[]> {
  const found = await getImport({ db }, id, { limit: SHOWN })
  const written = found.written.map(
    ({ kind, name, isNew }) => `  ${isNew ? 'added' : 'changed'} ${kind} ${name}`,
  )
  return [lineOf(found), ...written, ...(written.length === SHOWN ? ['  …'] : [])]
}

async function undo({ db, id }: Ask): Promise<string[]> {
  const by = { kind: 'operator', id: null } as const
  const { removed, restored, categoriesRemoved, kept } = await undoImport(
    { db, clock: systemClock },
    { by, id },
  )
  const shown = kept.slice(0, SHOWN).map(({ name, why }) => `  ${name} stays: ${why}`)
  const more = kept.length > SHOWN ? [`  … and ${kept.length - SHOWN} more stay`] : []
  const said = `Taken back: ${removed} products removed, ${restored} as they were before, ${categoriesRemoved} categories removed`
  return [...shown, ...more, kept.length === 0 ? said : `${said}, ${kept.length} left as they are`]
}

function lineOf({ id, startedAt, fileName, source, state, counts, rows }: ImportRecord): string {
  const { created = 0, updated = 0, failed = 0 } = counts
  const words = { done: '', running: ', not finished', undone: ', taken back' }[state]
  const when = startedAt.toISOString().slice(0, 16).replace('T', ' ')
  return `${id}  ${when}  ${fileName ?? source}: ${rows} rows, ${created} created, ${updated} updated, ${failed} refused${words}`
}
