/**
 * `npm test`: types, format and lint, layers, then every test. `npm test -- src/lib/money.test.ts` runs just that
 * file. Ends with one line `N passed, N failed`, in which a failed check counts as one failure.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const only = process.argv.slice(2)
const bin = (...parts) => path.join(root, 'node_modules', ...parts)

function run(title, script, args) {
  process.stderr.write(`\n${title} …\n`)
  const started = Date.now()
  const { status } = spawnSync(process.execPath, [script, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${bin('.bin')}:${process.env.PATH}` },
  })
  process.stderr.write(
    `${title}: ${status === 0 ? 'fine' : 'FAILED'} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`,
  )
  return status === 0
}

const checks = [
  ['Types', bin('typescript', 'bin', 'tsc'), ['-p', 'tsconfig.json']],
  ['Format and lint', bin('@biomejs', 'biome', 'bin', 'biome'), ['ci', '.']],
  ['Layers', path.join(root, 'scripts', 'check-layers.mjs'), []],
]
const failedChecks = only.length > 0 ? 0 : checks.filter((check) => !run(...check)).length

const report = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'souk-report-')), 'tests.json')
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
const ran = run('Tests', bin('vitest', 'vitest.mjs'), ['run', ...reporters, ...only])
const counts = fs.existsSync(report)
  ? JSON.parse(fs.readFileSync(report, 'utf8'))
  : { numPassedTests: 0, numFailedTests: 1 }
fs.rmSync(path.dirname(report), { recursive: true })

// vitest also fails on errors outside any test (a file that does not load): never report such a run as clean.
const failedTests = ran ? counts.numFailedTests : Math.max(1, counts.numFailedTests)
process.stdout.write(`\n${counts.numPassedTests} passed, ${failedTests + failedChecks} failed\n`)
process.exitCode = ran && failedChecks === 0 ? 0 : 1
