/**
 * The generator of load, as a process of its own, so that what it costs and how late it is can be told from what the service
 * costs and how late that is. It is told a phase at a time and answers with its figures; between phases it does nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type ActFigures, countRequest, endingOf, newFigures } from '../figures.ts'
import { createJournal } from '../journal.ts'
import { ACTS, runTraffic, type SeenAnswer } from '../traffic.ts'
import {
  KINDS,
  type Kind,
  type Phase,
  type PhaseFigures,
  type Second,
  type Setting,
  type StepFigures,
} from './phase.ts'

/** How the lateness of this process is measured, and how late it may be before its own times say little. */
const LOOK_MS = 20
const MOST_AT_ONCE = 3_000
const TIME_LIMIT_MS = 20_000

const KIND_OF: Record<string, Kind> = {
  read: 'reads',
  search: 'search',
  tool: 'tools',
  saved: 'tools',
  rfq: 'requests for quote',
  offer: 'offers',
}
const kindOf = (act: string): Kind | undefined => KIND_OF[act.split('.')[0] ?? '']
/** Accounts, imports and the like are rare in service, and limited; they are for trials of faults. */
const MIX = Object.fromEntries(ACTS.filter(({ name }) => !kindOf(name)).map(({ name }) => [name, 0]))

const journal = createJournal()

async function run({ people, addresses }: Setting, phase: Phase): Promise<PhaseFigures> {
  const steps = phase.steps.map(
    (): StepFigures => ({ kinds: noKinds(), interactive: newFigures(), unsaid: 0, limited: 0 }),
  )
  const seconds: Second[] = []
  const begun = Date.now()
  const stepAt = (secondsIn: number): number => {
    let left = secondsIn
    return phase.steps.findIndex((step) => {
      left -= step.seconds
      return left < 0
    })
  }

  function see(answer: SeenAnswer): void {
    const kind = kindOf(answer.act)
    const sentAt = (answer.atMs - answer.ms - begun) / 1000
    const step = steps[stepAt(Math.max(0, sentAt))] ?? steps.at(-1)
    if (!kind || !step) return
    const ending = endingOf(answer.status)
    countRequest(step.kinds[kind], ending, answer.ms)
    const interactive = kind === 'reads' || kind === 'search' || kind === 'tools'
    // How soon people are served; how soon they are turned away is another question.
    if (interactive && (ending === 'ok' || ending === 'refused'))
      countRequest(step.interactive, ending, answer.ms)
    if (answer.status === 429) step.limited++
    if (ending === 'shed' && answer.header('retry-after') === undefined) step.unsaid++
    const at = Math.max(0, Math.floor(sentAt))
    const second = seconds[at] ?? { answers: 0, shed: 0, failed: 0, slow: 0 }
    seconds[at] = second
    second.answers++
    if (answer.status === 503) second.shed++
    if (ending === 'failed' || ending === 'lost') second.failed++
    if (interactive && ending !== 'shed' && answer.ms > phase.boundMs) second.slow++
  }

  const lateness = watchLateness()
  const cpuBefore = process.cpuUsage()
  const over = new AbortController()
  const whole = phase.steps.reduce((sum, step) => sum + step.seconds, 0)
  const timer = setTimeout(() => over.abort(), whole * 1000)
  const { skipped, lost } = await runTraffic({
    addresses: () => addresses,
    people,
    journal,
    mix: MIX,
    seed: phase.seed,
    until: over.signal,
    rate: (at) => phase.steps[stepAt(at)]?.rate ?? 0,
    mostAtOnce: MOST_AT_ONCE,
    timeLimitMs: TIME_LIMIT_MS,
    onAnswer: see,
  })
  clearTimeout(timer)
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    steps,
    seconds,
    skipped,
    lost,
    late: lateness.stop(),
    cpuMs: (user + system) / 1000,
    wallMs: Date.now() - begun,
  }
}

function noKinds(): Record<Kind, ActFigures> {
  return Object.fromEntries(KINDS.map((kind) => [kind, newFigures()])) as Record<Kind, ActFigures>
}

/** How late a timer is here: that much later than planned requests may have been sent, and answers seen. */
function watchLateness(): { stop(): ActFigures } {
  const late = newFigures()
  let running = true
  void (async () => {
    while (running) {
      const due = performance.now() + LOOK_MS
      await sleep(LOOK_MS)
      countRequest(late, 'ok', Math.max(0, performance.now() - due))
    }
  })()
  return {
    stop() {
      running = false
      return late
    },
  }
}

let setting: Setting | null = null
process.on('message', (message: Setting | Phase) => {
  if ('people' in message) setting = message
  else if (setting) void run(setting, message).then((figures) => process.send?.(figures))
})
process.on('disconnect', () => process.exit(0))
