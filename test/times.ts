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

/** Files without a time come first: a new one may be long. Those that start the most lead. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const times = readTimes()
    const timeOf = ({ moduleId }: TestSpecification) => times[nameOf(moduleId)] ?? Number.POSITIVE_INFINITY
    const sizeOf = ({ moduleId }: TestSpecification) => {
      const text = fs.readFileSync(moduleId, 'utf8')
      const weight = STARTS_MUCH.test(text) ? 10_000 : nameOf(moduleId).startsWith('test/') ? 100 : 1
      return text.length * weight
    }
    return files
      .map((file) => ({ file, time: timeOf(file), size: sizeOf(file) }))
      .sort((a, b) => (a.time === b.time ? b.size - a.size : b.time - a.time))
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
