/**
 * Finds the rate that holds: acts begin faster and faster until somebody waits too long or is turned away, then the last
 * good and the first bad rate are halved between a few times. A stage in which the generator itself was late says
 * nothing of the service; that is told, not hidden.
 */
import { percentileMs } from '../figures.ts'
import { type Phase, type PhaseFigures, type Sum, sumOf } from './phase.ts'

export type Stage = Sum & { rate: number; held: boolean; generatorLateMs: number; why: string }
export type Ramp = { stages: Stage[]; rate: number; generatorWasTheLimit: boolean }

export type RampOptions = {
  from: number
  growth: number
  stageSeconds: number
  halvings: number
  boundMs: number
}

/** Of answers that may be turned away in a stage that still holds. */
const SHED_SHARE = 0.002
/** A generator that is later than this adds to what it measures. */
export const LATE_MS = 40
const [SLOWEST, FASTEST] = [1, 20_000]
/** What a short stage bears is a little more than what can be borne for long. */
const MARGIN = 0.75

export async function findRate(
  run: (phase: Phase) => Promise<PhaseFigures>,
  options: RampOptions,
  told: (stage: Stage) => void,
): Promise<Ramp> {
  const stages: Stage[] = []
  const tryRate = async (rate: number): Promise<boolean> => {
    const { stageSeconds, boundMs } = options
    const figures = await run({ steps: [{ rate, seconds: stageSeconds }], seed: stages.length + 1, boundMs })
    const stage = judgeStage(rate, figures, boundMs)
    stages.push(stage)
    told(stage)
    return stage.held
  }
  let good = 0
  let bad = options.from
  // A machine that is slow or shared may not even bear the first; then it is looked for below.
  const faster = await tryRate(bad)
  while (faster && bad < FASTEST && (good === 0 || (await tryRate(bad)))) {
    good = bad
    bad = Math.round(bad * options.growth)
  }
  for (let rate = bad / 2; good === 0 && rate >= SLOWEST; rate /= 2) {
    if (await tryRate(rate)) good = rate
    else bad = rate
  }
  for (let halving = 0; halving < options.halvings && good > 0; halving++) {
    const middle = (good + bad) / 2
    if (await tryRate(middle)) good = middle
    else bad = middle
  }
  const firstBad = stages.find(({ held }) => !held)
  return {
    stages,
    rate: good * MARGIN,
    generatorWasTheLimit: firstBad !== undefined && firstBad.generatorLateMs > LATE_MS,
  }
}

export function judgeStage(rate: number, figures: PhaseFigures, boundMs: number): Stage {
  const sum = sumOf(figures.steps[0])
  const generatorLateMs = percentileMs(figures.late, 0.99)
  const flaws = [
    sum.p99Ms > boundMs && `p99 over ${boundMs} ms`,
    sum.failed > 0 && `${sum.failed} failed`,
    sum.shed > sum.requests * SHED_SHARE && `${sum.shed} turned away`,
    figures.skipped > 0 && `${figures.skipped} not sent: too many under way`,
  ].filter((flaw) => typeof flaw === 'string')
  return { ...sum, rate, held: flaws.length === 0, generatorLateMs, why: flaws.join(', ') }
}
