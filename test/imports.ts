/** Files that the operator brings, as their page stores and runs them. */
import { sql } from 'kysely'
import { openFileStore } from '../src/catalog/import-content.ts'
import {
  type FilesContext,
  getFile,
  lookAtFile,
  startFile,
  takeUpload,
} from '../src/catalog/import-files.service.ts'
import { undoImport } from '../src/catalog/import-undo.service.ts'
import { createFileJob } from '../src/catalog/imports.job.ts'

const BY = { by: { kind: 'operator', id: null } } as const

type World = { ctx: Omit<FilesContext, 'ownCurrency'> }
type Brought = { name?: string; lines: string[] }

const HEADER = 'id;title;brand;category;price;images'

/** Lamps in euros; the second names a category of its own, the third has no title, the fourth a picture without an address. */
export const LAMPS = [
  HEADER,
  'l-1;Hafen Lampe;Hafen;desk-lamps;49,90 €;https://img.example/hafen.png',
  'l-2;Nebel Lampe;Hafen;Leuchten;89,00 €;',
  'l-3;;Hafen;Leuchten;12,00 €;',
  'l-4;Turm Lampe;Hafen;Leuchten;129,00 €;not an address',
]

export async function bringFile({ ctx }: World, { name = 'lampen.csv', lines }: Brought): Promise<string> {
  const bytes = Buffer.from(lines.join('\n'))
  const store = await openFileStore(ctx, { userId: null, fileName: name })
  await store.write(bytes)
  await store.end()
  const files = { ...ctx, ownCurrency: 'USD' }
  await takeUpload(files, BY, { id: store.id, sizeBytes: bytes.length })
  await lookAtFile(files, await getFile(files, store.id))
  return store.id
}

/** Checks or imports it, at once and here. */
export async function runFile(
  { ctx }: World,
  id: string,
  { dryRun }: { dryRun: boolean },
): Promise<string | null> {
  const files = { ...ctx, ownCurrency: 'USD' }
  await startFile(files, BY, { id, dryRun })
  const waiting = ctx.db.deleteFrom('jobs').where('dedupe_key', '=', id).returning(['id', 'payload'])
  for (const { id: jobId, payload } of await waiting.execute())
    await createFileJob(ctx).run(payload, {
      signal: new AbortController().signal,
      attempt: 1,
      jobId,
      log: ctx.log,
    })
  return (await getFile(files, id)).importId
}

/** A file that is checked, and an import that stands. */
export async function addImport(world: World): Promise<{ fileId: string; batchId: string }> {
  const fileId = await bringFile(world, { lines: LAMPS })
  await runFile(world, fileId, { dryRun: true })
  const imported = await bringFile(world, { name: 'done.csv', lines: LAMPS })
  await runFile(world, imported, { dryRun: true })
  return { fileId, batchId: (await runFile(world, imported, { dryRun: false })) ?? '' }
}

/** One in every state that a page can show. */
export async function addImports(world: World) {
  const lookedAt = await bringFile(world, { lines: LAMPS })
  const run = async (name: string, lines: string[]) => {
    const id = await bringFile(world, { name, lines })
    await runFile(world, id, { dryRun: true })
    return id
  }
  const checked = await run('lampen-neu.csv', LAMPS)
  const done = await run('herbst.csv', [HEADER, 'h-1;Herbst Lampe;Hafen;Leuchten;19;', 'h-2;;;;;'])
  const batch = (await runFile(world, done, { dryRun: false })) ?? ''
  const taken = await run('winter.csv', [HEADER, 'w-1;Winter Lampe;Hafen;Winterlicht;19;'])
  const undone = (await runFile(world, taken, { dryRun: false })) ?? ''
  await undoImport(world.ctx, { ...BY, id: undone })
  const running = await bringFile(world, { name: 'frost.csv', lines: LAMPS })
  return { lookedAt, checked, done, batch, undone, running }
}

/** As if a node were at work on it, or had just ended. */
export async function setRunning({ ctx }: World, id: string, isRunning: boolean): Promise<void> {
  const counts = { created: 2, updated: 1, unchanged: 0, further: 0, deleted: 0, failed: 1, joined: 0 }
  const result = JSON.stringify(isRunning ? { progress: { counts, bytes: 120 } } : {})
  await sql`
    update import_files set state = ${isRunning ? 'importing' : 'uploaded'}, done_rows = ${isRunning ? 4 : 0},
      result = ${result} where id = ${id}`.execute(ctx.db)
}
