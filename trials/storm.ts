/**
 * Rounds of a storm: traffic runs, something goes wrong and is healed while it runs on, then it is calm and the auditor
 * looks. A round ends with everything well, so the next one begins where it stood, with all that was written so far.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Breach } from './auditor/check.ts'
import { audit } from './auditor.ts'
import { createJournal, type Journal } from './journal.ts'
import type { Lost } from './lost.ts'
import { createRandom, pickFrom } from './random.ts'
import { waitForCalm } from './storm/calm.ts'
import { FAULTS, type Fault, type FaultName } from './storm/faults.ts'
import { slowestRecovery } from './storm/recovery.ts'
import { createWatch } from './storm/watch.ts'
import { runTraffic, type TrafficFigures } from './traffic.ts'
import type { World } from './world.ts'

export type Round = {
  round: number
  fault: FaultName
  what: string
  requests: number
  acknowledged: number
  unknown: number
  shed: number
  failed: number
  lost: number
  lostBy: Lost[]
  /** See storm/recovery.ts. */
  recoverySeconds: number | null
  /** From the end of the round until every node said that it is ready. */
  readySeconds: number
  /** Until jobs were drained, and until the audit was done. */
  drainSeconds: number
  auditSeconds: number
  breaches: Breach[]
}

export type StormOptions = {
  rounds: number
  seed: number
  only?: readonly FaultName[]
  /** Traffic before the fault, during it, and after it is healed. */
  timesMs?: { before: number; during: number; after: number }
  concurrency?: number
  /** So many acts a second in place of as many as `concurrency` callers can make. */
  rate?: number
  /** See storm/calm.ts. */
  hurryAfterMs?: number
  /** Kept by the caller who wants to go on from there. */
  journal?: Journal
  onRound?: (round: Round) => void
}

const TIMES_MS = { before: 1_500, during: 3_000, after: 2_500 }
/** Shorter than a database hangs, so that callers give up as real ones do. */
const PATIENCE_MS = 5_000
const LAG_MS = 8_000

export async function runStorm(world: World, options: StormOptions): Promise<Round[]> {
  const { cluster, people, mail, agents } = world
  const { timesMs = TIMES_MS, concurrency = 8, seed } = options
  const random = createRandom(seed)
  const { journal = createJournal() } = options
  const order = inTurn(
    FAULTS.filter(
      ({ name, ofPair = false }) =>
        (options.only?.includes(name) ?? true) && ofPair === (cluster.pair !== null),
    ),
    random,
  )
  const rounds: Round[] = []
  let disturbances = 0

  for (let round = 1; round <= options.rounds; round++) {
    const fault = order()
    if (fault.losesBlocks) disturbances++
    const watch = createWatch(() => fault.ofDatabase)
    const deathsBefore = cluster.nodes.flatMap((node) => node.deaths()).length
    const writesBefore = journal.writes.length
    const nodeOf = new Map<string, string>()
    const over = new AbortController()
    const traffic = runTraffic({
      addresses: cluster.addresses,
      people,
      mail,
      journal,
      concurrency,
      ...(options.rate !== undefined && { rate: options.rate, mostAtOnce: concurrency }),
      seed: seed * 1_000 + round,
      timeLimitMs: PATIENCE_MS,
      until: over.signal,
      onAnswer(answer) {
        watch.look(answer)
        nodeOf.set(answer.requestId, answer.address)
      },
    })
    const { what, failure, struckAtMs } = await strike(world, fault, timesMs, random)
    over.abort()
    const figures = await traffic
    const calm = await waitForCalm(world, options.hurryAfterMs)
    const calmAt = performance.now()
    const breaches = await audit({
      pool: cluster.database.pool,
      journal,
      people,
      addresses: cluster.addresses(),
      mail,
      agents,
      disturbances,
      lagMs: LAG_MS,
    })
    const deaths = cluster.nodes.flatMap((node) => node.deaths()).slice(deathsBefore)
    const seen = [...failure, ...watch.breaches(), ...calm.breaches, ...deaths]
    const writes = journal.writes.slice(writesBefore)
    const result: Round = {
      round,
      fault: fault.name,
      what,
      ...sumOf(figures),
      acknowledged: writes.filter(({ outcome }) => outcome === 'acknowledged').length,
      unknown: writes.filter(({ outcome }) => outcome === 'unknown').length,
      recoverySeconds: slowestRecovery(writes, { nodeOf, struckAtMs, addresses: cluster.addresses() }),
      readySeconds: calm.readySeconds,
      drainSeconds: calm.drainSeconds,
      auditSeconds: (performance.now() - calmAt) / 1000,
      breaches: [...seen.map((text) => ({ check: 'answers', what: text })), ...breaches],
    }
    rounds.push(result)
    options.onRound?.(result)
  }
  return rounds
}

async function strike(
  world: World,
  fault: Fault,
  { before, during, after }: { before: number; during: number; after: number },
  random: () => number,
): Promise<{ what: string; failure: string[]; struckAtMs: number }> {
  await sleep(before)
  const struckAtMs = Date.now()
  try {
    const { what, heal } = await fault.begin(world, random)
    await sleep(during * (fault.lasts ?? 1))
    await heal()
    await sleep(after)
    return { what, failure: [], struckAtMs }
  } catch (error) {
    return {
      what: fault.name,
      failure: [`${fault.name} did not go as it should: ${(error as Error).message}`],
      struckAtMs,
    }
  }
}

/** All of them before one comes again, in an order that chance decides. */
function inTurn(faults: Fault[], random: () => number): () => Fault {
  let left: Fault[] = []
  return () => {
    if (left.length === 0) left = [...faults]
    const next = pickFrom(random, left)
    left = left.filter((fault) => fault !== next)
    return next
  }
}

function sumOf({
  all,
  lost,
}: TrafficFigures): Pick<Round, 'requests' | 'shed' | 'failed' | 'lost' | 'lostBy'> {
  return { requests: all.count, shed: all.shed, failed: all.failed, lost: all.lost, lostBy: lost }
}
