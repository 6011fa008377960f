/**
 * The lint rule of `npm test` that finds promises nobody listens to. It must know types across modules, packages and
 * generics: a planted file has one fault for each, and the rule names every line.
 */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { projectFile } from '../../src/lib/paths.ts'

// `src` in its path, so that the rules of the service hold there.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-planted-'))
fs.symlinkSync(projectFile('node_modules'), path.join(folder, 'node_modules'))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const PLANTED = `
import type pg from 'pg'
import type { Db } from '${projectFile('src/db/database.ts')}'
import { awaitLater } from '${projectFile('src/lib/background.ts')}'
import { inTime } from '${projectFile('src/lib/abort.ts')}'
export function planted(db: Db, pool: pg.Pool, many: string[], done: () => void) {
  inTime(Promise.resolve(1), 1, () => new Error('late')) // fault
  pool.query('select 1') // fault
  db.selectFrom('products').selectAll().execute() // fault
  awaitLater(pool.end()) // fault
  pool.end().then(done) // fault
  pool.end().finally(done) // fault
  void pool.end() // fault
  setTimeout(() => void pool.end(), 1) // fault
  setTimeout(async () => pool.end(), 1) // fault
  many.forEach(async () => pool.end()) // fault
  if (pool.end()) done() // fault
  pool.end().catch(done)
  setTimeout(done, 1)
}
`

test('the rule names every promise that nobody listens to, and nothing else', () => {
  const file = path.join(folder, 'src', 'planted.ts')
  fs.mkdirSync(path.dirname(file))
  fs.writeFileSync(file, PLANTED)
  const tsconfig = JSON.parse(fs.readFileSync(projectFile('tsconfig.json'), 'utf8'))
  const { tsBuildInfoFile: _, incremental: __, ...compilerOptions } = tsconfig.compilerOptions
  fs.writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { ...compilerOptions, allowImportingTsExtensions: true },
      include: ['src'],
    }),
  )
  const rules = JSON.parse(fs.readFileSync(projectFile('.oxlintrc.json'), 'utf8'))
  fs.writeFileSync(path.join(folder, '.oxlintrc.json'), JSON.stringify({ ...rules, ignorePatterns: [] }))
  const { stdout, status } = spawnSync(
    projectFile('node_modules', '.bin', 'oxlint'),
    ['--no-ignore', '--deny-warnings', '-f', 'unix', 'src'],
    {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: `${projectFile('node_modules', '.bin')}${path.delimiter}${process.env.PATH}`,
        HOME: os.tmpdir(),
      },
    },
  )
  const named = [...new Set([...stdout.matchAll(/planted\.ts:(\d+):/g)].map(([, line]) => Number(line)))]
  const faults = PLANTED.split('\n').flatMap((line, at) => (line.includes('// fault') ? [at + 1] : []))
  expect(status).toBe(1)
  expect(named.sort((a, b) => a - b)).toEqual(faults)
})
