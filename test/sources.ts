/** Sources for tests, made by their service and run on files that are stored here: no server is asked. */
import { findPerson } from '../src/accounts/people.service.ts'
import { storeFile } from '../src/catalog/import-content.ts'
import type { SourcesContext } from '../src/sources/context.ts'
import { runSource } from '../src/sources/source-run.ts'
import { type Gone, SourceInput } from '../src/sources/sources.schema.ts'
import { addSource, askRun } from '../src/sources/sources.service.ts'
import type { TestOrg } from './orgs.ts'

const BY = { by: { kind: 'operator', id: null } } as const

type World = { sources: SourcesContext }

let made = 0

/** A source that takes files. */
export function addFileSource(
  { sources }: World,
  options: { name?: string; gone?: Gone } = {},
): Promise<string> {
  const { name = `Source ${++made}`, gone = 'keep' } = options
  return addSource(sources, BY, SourceInput.parse({ name, gone }))
}

/** Brings it a file of so many lamps and runs it, at once and here. */
export async function runLamps(
  { sources }: World,
  id: string,
  { lamps, dryRun = false }: { lamps: number; dryRun?: boolean },
): Promise<void> {
  const rows = Array.from({ length: lamps }, (_, at) => `q-${at},Quay Lamp ${at},Quay,desk-lamps,${20 + at}`)
  const bytes = Buffer.from(['id,title,brand,category,price', ...rows].join('\n'))
  const file = await storeFile(sources, {
    fileName: 'lamps.csv',
    bytes: (async function* whole() {
      yield bytes
    })(),
  })
  await askRun(sources, BY, id, { file, dryRun })
  await runSource(sources, id, new AbortController().signal)
}

/** One that waits for a decision after good runs, and one that has never run. */
export async function addSources(world: World): Promise<{ waiting: string; fresh: string }> {
  const waiting = await addFileSource(world, { name: 'Quay Lighting', gone: 'discontinue' })
  await runLamps(world, waiting, { lamps: 10 })
  await runLamps(world, waiting, { lamps: 4 })
  const fresh = await addSource(
    world.sources,
    BY,
    SourceInput.parse({
      name: 'Harbor feed',
      url: 'https://harbor.example/feed.xml?key=1',
      every_minutes: 360,
    }),
  )
  return { waiting, fresh }
}

/** A seller's, which has failed once. */
export async function addSellerSource(
  { sources }: World,
  { id: selectedOrgId, ownerId }: Pick<TestOrg, 'id' | 'ownerId'>,
  name = 'Product feed',
): Promise<string> {
  const user = await findPerson(sources, ownerId)
  if (!user) throw new Error('who?')
  const caller = { kind: 'session', user, sessionId: '', selectedOrgId } as const
  const act = { caller, visit: { ip: null, userAgent: null, requestId: null } }
  // A private address: the run fails, and nobody is asked.
  const url = 'https://10.0.0.1/feed.csv'
  const id = await addSource(sources, act, SourceInput.parse({ name, url, every_minutes: 1_440 }))
  await runSource(sources, id, new AbortController().signal)
  return id
}
