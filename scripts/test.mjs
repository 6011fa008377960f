/**
 * `npm test`: types, format and lint, unheard promises, layers, then every test. `npm run test:quick` leaves out the
 * tests that start processes, browsers or large worlds. With arguments either one runs just those: files by a part of their path, else
 * tests by a part of their name. Prints what the run took, and ends with one line `N passed, N failed`, in which a failed
 * check counts as one failure. A whole run also checks that the tests provoked every answer and every refusal of the
 * published description.
 */
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { enableCompileCache } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describedBy, unprovoked } from '../test/described.coverage.ts'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const quick = process.argv[2] === '--quick'
const only = process.argv.slice(quick ? 3 : 2)
const everything = only.length === 0
const FIREFOX_TEST = 'test/e2e/journeys.shopper.test.ts'
const began = { at: Date.now(), processor: processorSeconds() }
const bin = (...parts) => path.join(root, 'node_modules', ...parts)

// What V8 made of each module is kept from run to run: to compile them all takes a second of a core in every process.
const COMPILED = bin('.cache', 'compiled')
enableCompileCache(COMPILED)

/** Starts a script with all that it says shown at once when it has ended, so that two beside each other stay apart. */
async function run(title, script, args, { env = {}, live = false } = {}) {
  if (live) process.stderr.write(`\n${title} …\n`)
  const started = Date.now()
  const child = spawn(process.execPath, [script, ...args], {
    cwd: root,
    stdio: live ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: `${bin('.bin')}:${process.env.PATH}`, ...env },
  })
  const said = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => said.push(piece))
  const status = await new Promise((resolve) => child.once('close', resolve))
  if (status !== 0) process.stderr.write(Buffer.concat(said))
  process.stderr.write(
    `${title}: ${status === 0 ? 'fine' : 'FAILED'} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`,
  )
  return status === 0
}

/** Answers how many failed. */
async function runInTurn(checks) {
  let failed = 0
  for (const check of checks) if (!(await run(...check))) failed++
  return failed
}

/** The Chromium of the packages is for Linux on x64. Elsewhere the machine's own is used; where it can be had, it is. */
function ensureChromium() {
  const packaged = process.platform === 'linux' && process.arch === 'x64'
  if (packaged || process.env.SOUK_TEST_CHROMIUM || fs.existsSync('/usr/bin/chromium-headless-shell')) return
  installFromDebian('Chromium, for the tests of pages', 'chromium-headless-shell')
}

/**
 * No package brings Firefox: CI installs Debian's, and elsewhere its tests run where that is already there, or where
 * `SOUK_TEST_FIREFOX` names another. The tests read its path there.
 */
function findFirefox() {
  const debian = '/usr/bin/firefox-esr'
  const named = process.env.SOUK_TEST_FIREFOX
  if (named) return named
  const asked = everything ? !quick : only.some((word) => FIREFOX_TEST.includes(word.replace(/^\.\//, '')))
  if (asked && process.env.CI === 'true' && !fs.existsSync(debian))
    installFromDebian('Firefox, for its tests', 'firefox-esr')
  return fs.existsSync(debian) ? debian : ''
}

/** Does nothing without the right to install. What is missing then, the tests say. */
function installFromDebian(title, name) {
  if (process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/apt-get')) return
  process.stderr.write(`Installing ${title} …\n`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args) => spawnSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 2, 2], env })
  apt('update')
  apt('install', '-y', '--no-install-recommends', name)
}

/**
 * The databases of the tests lie in memory where there is plenty: one for a file is made in 15 ms there, in 200 ms on a
 * disk. Everything that tests write is below one folder, which is gone afterwards.
 */
function makeScratch() {
  const GB = 2 ** 30
  const memory = '/dev/shm'
  const room = fs.existsSync(memory) ? fs.statfsSync(memory) : { bavail: 0, bsize: 0 }
  const roomy = room.bavail * room.bsize > 4 * GB && os.freemem() > 8 * GB
  const folder = fs.mkdtempSync(path.join(roomy ? memory : os.tmpdir(), 'souk-tests-'))
  // PostgreSQL refuses to run as root, and must get through as the user that it runs as then.
  fs.chmodSync(folder, 0o755)
  return folder
}

const chosen = filters(only)
ensureChromium()
const firefox = findFirefox()
// Two lanes of one thread each, beside the tests: threads of one check do much of the work twice. Both readers of types are
// written in Go and soon end: they need not collect garbage like a long-running program.
const SELDOM_TIDY = { GOGC: '400' }
const ONE_THREAD = { env: { GOMAXPROCS: '1', ...SELDOM_TIDY } }
const lanes = [
  [
    ['Layers', path.join(root, 'scripts', 'check-layers.mjs'), []],
    ["Types of the pages' script", bin('typescript', 'bin', 'tsc'), ['-p', 'src/web/client']],
    [
      'Types',
      bin('typescript', 'bin', 'tsc'),
      ['-p', 'tsconfig.json', '--singleThreaded'],
      { env: SELDOM_TIDY },
    ],
    ['Format and lint', bin('@biomejs', 'biome', 'bin', 'biome'), ['ci', '.']],
  ],
  // By types, which it asks oxlint-tsgolint for.
  [['Promises', bin('oxlint', 'bin', 'oxlint'), ['--deny-warnings', '--threads=1', '.'], ONE_THREAD]],
]
const checking = Promise.all(everything ? lanes.map(runInTurn) : [])

const scratch = makeScratch()
const report = path.join(scratch, 'tests.json')
const provoked = path.join(scratch, 'provoked.txt')
const ran = await run('Tests', bin('vitest', 'vitest.mjs'), ['run', ...chosen], {
  live: true,
  env: {
    ...(quick && everything && { SOUK_TEST_QUICK: '1' }),
    SOUK_TEST_FIREFOX: firefox,
    SOUK_TEST_REPORT: report,
    SOUK_TEST_PROVOKED: provoked,
    NODE_COMPILE_CACHE: COMPILED,
    TMPDIR: scratch,
  },
})
const failedChecks = (await checking).reduce((sum, failed) => sum + failed, 0)
const counts = fs.existsSync(report)
  ? JSON.parse(fs.readFileSync(report, 'utf8'))
  : { numPassedTests: 0, numFailedTests: 1 }
const failedCoverage = everything && !quick && !(await everythingProvoked()) ? 1 : 0
fs.rmSync(scratch, { recursive: true, force: true })

/**
 * Words that are in no file's path are taken for the name of a test, and looked for in the files that hold them, because
 * to load all files takes minutes. Names that are put together stand in none. Options are vitest's own.
 */
function filters(words) {
  const [word] = words
  if (words.length !== 1 || word.startsWith('-')) return words
  const tests = ['src', 'test', 'producer-kit']
    .flatMap((folder) =>
      fs.readdirSync(path.join(root, folder), { recursive: true }).map((file) => path.join(folder, file)),
    )
    .filter((file) => /\.test\.tsx?$/.test(file))
  if (path.isAbsolute(word) || tests.some((file) => file.includes(word.replace(/^\.\//, '')))) return words
  const holding = tests.filter((file) => fs.readFileSync(path.join(root, file), 'utf8').includes(word))
  if (holding.length === 0 && word.includes('/')) {
    process.stderr.write(`No test file has "${word}" in its path.\n`)
    process.exit(2)
  }
  return [...holding, '--testNamePattern', word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')]
}

/**
 * Processor time that was spent on this machine since it started, where the system tells: Linux counts it in ticks of 10 ms.
 * The time of all processes, because nobody waits for a browser that is kept, and it would not count otherwise.
 */
function processorSeconds() {
  try {
    const [, user, nice, system, , , irq, softirq] = fs.readFileSync('/proc/stat', 'utf8').split(/\s+/)
    return [user, nice, system, irq, softirq].reduce((sum, ticks) => sum + Number(ticks), 0) / 100
  } catch {
    return null
  }
}

/** The operations are read here, not in the tests, so that a run that fell over cannot shorten its own list. */
async function everythingProvoked() {
  const { OPERATIONS } = await import('../src/agents/discovery/openapi/document.ts').catch((error) => {
    process.stderr.write(`\nDescribed answers: FAILED, the operations do not load\n${error.stack}\n`)
    return { OPERATIONS: null }
  })
  if (OPERATIONS === null) return false
  const seen = fs.existsSync(provoked) ? fs.readFileSync(provoked, 'utf8').split('\n') : []
  const missing = unprovoked(describedBy(OPERATIONS), seen)
  process.stderr.write(
    missing.length === 0
      ? '\nDescribed answers: every one was provoked\n'
      : `\nDescribed answers: FAILED, no test provokes\n${missing.map((line) => `  ${line}\n`).join('')}`,
  )
  return missing.length === 0
}

// vitest also fails on errors outside any test (a file that does not load): never report such a run as clean.
const foundNone = ran && counts.numPassedTests + counts.numFailedTests === 0
if (foundNone) process.stderr.write('\nNo test was found by that name\n')
const failedTests = ran && !foundNone ? counts.numFailedTests : Math.max(1, counts.numFailedTests)
const failed = failedTests + failedChecks + failedCoverage
const took = `${((Date.now() - began.at) / 1000).toFixed(0)} s`
const worked =
  began.processor === null ? '' : `, ${(processorSeconds() - began.processor).toFixed(0)} s of processor time`
process.stderr.write(`\nTook ${took}${worked}\n`)
process.stdout.write(`\n${counts.numPassedTests} passed, ${failed} failed\n`)
process.exitCode = ran && failed === 0 ? 0 : 1
