/**
 * How long each test file took in the last runs, kept beside the packages and never committed. The next run starts the
 * longest files first, so that no worker is left alone with one of them at the end.
 */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const TIMES = path.join(root, 'node_modules', '.cache', 'test-times.json')
const SLOWEST = 10
const AN_HOUR_MS = 3_600_000

type Times = Record<string, number>

const nameOf = (file: string) => path.relative(root, file).split(path.sep).join('/')

function readTimes(): Times {
  try {
    return JSON.parse(fs.readFileSync(TIMES, 'utf8')) as Times
  } catch {
    // The first run on a machine, or a run that was killed while it wrote.
    return {}
  }
}

/** What a file of minutes begins with, where no times are known: a browser, or programs of their own. */
const STARTS_MUCH = /browser\.ts'|server-process\.ts'|trials\//

/** These read all that their process has counted, which is little at its start and takes seconds at its end. */
const READS_COUNTS = /metrics|observability/

/** How soon a file is to start: by its time. One without a time may be long, and comes before those that have one. */
function urgency(file: string, time: number | undefined): number {
  if (READS_COUNTS.test(file)) return Number.POSITIVE_INFINITY
  if (time !== undefined) return time
  const text = fs.readFileSync(path.join(root, file), 'utf8')
  const weight = STARTS_MUCH.test(text) ? 10_000 : file.startsWith('test/') ? 100 : 1
  return AN_HOUR_MS + text.length * weight
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const times = readTimes()
    return files
      .map((file) => ({ file, name: nameOf(file.moduleId) }))
      .map(({ file, name }) => ({ file, urgency: urgency(name, times[name]) }))
      .sort((a, b) => (b.urgency > a.urgency ? 1 : b.urgency < a.urgency ? -1 : 0))
      .map(({ file }) => file)
  }
}

/** Keeps the times of a run and prints its slowest files. Time counts from the first import to the last hook. */
export function timesReporter(): Reporter {
  const taken: Times = {}
  return {
    onTestModuleEnd(module: TestModule) {
      const { collectDuration, duration, setupDuration } = module.diagnostic()
      taken[nameOf(module.moduleId)] = Math.round(collectDuration + duration + setupDuration)
    },
    onTestRunEnd() {
      fs.mkdirSync(path.dirname(TIMES), { recursive: true })
      const known = Object.entries({ ...readTimes(), ...taken }).filter(([file]) =>
        fs.existsSync(path.join(root, file)),
      )
      fs.writeFileSync(`${TIMES}.${process.pid}`, JSON.stringify(Object.fromEntries(known), null, 1))
      fs.renameSync(`${TIMES}.${process.pid}`, TIMES)
      const slowest = Object.entries(taken)
        .sort(([, a], [, b]) => b - a)
        .slice(0, SLOWEST)
      if (Object.keys(taken).length <= SLOWEST) return
      const lines = slowest.map(([file, ms]) => `  ${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`)
      process.stderr.write(`\nSlowest files:\n${lines.join('\n')}\n`)
    },
  }
}
