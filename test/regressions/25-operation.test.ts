/** What operators run beside the service: backups by a timer, alert rules, a log that does not grow without end. */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { rotateLog } from '../../src/db/rotate-log.ts'
import { projectFile } from '../../src/lib/paths.ts'
import { createTestDatabase } from '../harness.ts'
import { preparedDataDir, spawnSouk, startSouk, tempDataDir } from '../server-process.ts'

const deploy = (...parts: string[]) => fs.readFileSync(projectFile('deploy', ...parts), 'utf8')
const folder = tempDataDir()
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

async function backup(env: Record<string, string>, ...args: string[]) {
  const { output, ended } = spawnSouk(['backup', ...args], env)
  return { code: await ended, said: output() }
}

test('backup --keep names files by their time and deletes only the oldest of its own', async () => {
  const database = await createTestDatabase()
  const env = { DATABASE_URL: database.url, SOUK_DATA_DIR: tempDataDir() }
  const kept = path.join(folder, 'backups')
  fs.mkdirSync(kept)
  const old = ['souk-20250101T030000Z.souk', 'souk-20250102T030000Z.souk', 'souk-20250103T030000Z.souk']
  const others = ['before-upgrade.souk', 'souk-20250101T030000Z.souk.age', 'notes.txt']
  for (const name of [...old, ...others]) fs.writeFileSync(path.join(kept, name), '')
  const { code, said } = await backup(env, kept, '--keep', '2')
  expect(said).toContain(`Deleted ${path.join(kept, old[0] ?? '')}.`)
  expect(code).toBe(0)
  const left = fs.readdirSync(kept)
  expect(left).toEqual(expect.arrayContaining([...others, old[2]]))
  const own = left.filter((name) => /^souk-\d{8}T\d{6}Z\.souk$/.test(name))
  expect(own).toHaveLength(2)
  const newest = path.join(kept, own.sort().at(-1) ?? '')
  const checked = spawnSouk(['restore', '--check', newest], env)
  expect(await checked.ended).toBe(0)
  expect(checked.output()).toContain('is complete')
})

test('a backup that fails deletes nothing, and --keep refuses what is no number', async () => {
  const kept = path.join(folder, 'failing')
  fs.mkdirSync(kept)
  const names = ['souk-20250101T030000Z.souk', 'souk-20250102T030000Z.souk']
  for (const name of names) fs.writeFileSync(path.join(kept, name), '')
  const env = { DATABASE_URL: 'postgresql://127.0.0.1:1/x', SOUK_DATA_DIR: tempDataDir() }
  expect((await backup(env, kept, '--keep', '1')).code).toBe(1)
  for (const wrong of ['0', '-1', 'all', ''])
    expect((await backup(env, kept, `--keep=${wrong}`)).code).toBe(2)
  expect((await backup(env, path.join(kept, 'none'), '--keep', '1')).said).toContain('does not exist')
  expect(fs.readdirSync(kept).sort()).toEqual(names)
})

test('the timers keep some backups, by the command that deletes the oldest', () => {
  const service = /^ExecStart=\S+node dist\/main\.js backup (\S+) --keep \d+$/m.exec(
    deploy('souk-backup.service'),
  )
  expect(service?.[1]).toBe('/var/lib/souk/backups')
  expect(deploy('souk-backup.service')).toMatch(/^StateDirectory=souk souk\/backups$/m)
  expect(deploy('souk-backup.timer')).toMatch(/^OnCalendar=\S+ \S+$/m)
  expect(deploy('souk-backup.timer')).toMatch(/^Persistent=true$/m)
  expect(deploy('compose.yaml')).toMatch(
    /^ {2}backup:\n[\s\S]*dist\/main\.js backup \/data --keep \d+; then sleep 86400/m,
  )
})

test('the restart of the containers restarts them, and their /tmp is not memory', () => {
  const compose = deploy('compose.yaml')
  const restarts = [...compose.matchAll(/up -d --no-deps (.*?)--wait (souk-\w)/g)]
  expect(restarts.map(([, , node]) => node)).toEqual(['souk-a', 'souk-b'])
  for (const [, flags] of restarts) expect(flags).toContain('--force-recreate')
  expect(compose).not.toMatch(/^\s*tmpfs/m)
  const nodes = [...compose.matchAll(/<<: \*souk\n(?:.*\n)*?\s+volumes: \[(.*)\]/g)]
  expect(nodes).toHaveLength(3)
  for (const [, volumes] of nodes) expect(volumes).toContain('"/tmp"')
})

test('alert rules ask for figures that a node tells, by labels that these have', async () => {
  const { url } = await createTestDatabase()
  const node = await startSouk({ SOUK_DATA_DIR: tempDataDir(), DATABASE_URL: url })
  // Counters of what has not happened yet are declared all the same.
  const told = await (await fetch(`${node.address}/metrics`)).text()
  node.kill('SIGTERM')
  await node.ended
  const types = new Map(
    [...told.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => [name, type]),
  )
  const rules = deploy('prometheus', 'souk.rules.yml')
  const expressions = [...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, text = '']) => text)
  expect(expressions.length).toBeGreaterThanOrEqual(10)
  expect(expressions).toHaveLength([...rules.matchAll(/^ +- alert: /gm)].length)
  const named = expressions.flatMap((text) =>
    [...text.matchAll(/\b(?:souk|nodejs|process)_\w+/g)].map(([name]) => name),
  )
  const known = (name: string) => types.has(name) || types.has(name.replace(/_(?:bucket|sum|count)$/, ''))
  expect(named.filter((name) => !known(name))).toEqual([])
  const documented = fs.readFileSync(projectFile('docs', 'observability.md'), 'utf8')
  for (const [, name = '', labels = ''] of expressions.join('\n').matchAll(/\b(souk_\w+)\{([^}]*)\}/g))
    for (const [, label = ''] of labels.matchAll(/(\w+)=/g)) {
      const row = documented.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${name}\``))
      expect(row, name).toContain(`\`${label}\``)
    }
})

test('the log of the embedded PostgreSQL is cut when it is long, and what was in it is kept beside it', async () => {
  const SOUK_DATA_DIR = await preparedDataDir()
  const file = path.join(SOUK_DATA_DIR, 'postgres.log')
  fs.rmSync(file)
  fs.writeFileSync(file, `${'x'.repeat(11 * 1024 * 1024)}the last line\n`)
  // A command starts it as a server does.
  const command = spawnSouk(['admin', 'users'], { SOUK_DATA_DIR })
  expect(await command.ended).toBe(0)
  expect(fs.statSync(file).size).toBeLessThan(100_000)
  expect(fs.readFileSync(file, 'utf8')).toContain('database system is ready')
  const beside = fs.readFileSync(`${file}.1`, 'utf8')
  expect(beside.endsWith('the last line\n')).toBe(true)
  expect(beside).toHaveLength(10 * 1024 * 1024)
  expect(fs.statSync(`${file}.1`).mode & 0o777).toBe(0o600)
})

test('a log is cut while somebody writes to it, and three old ones are kept at most', async () => {
  const file = path.join(folder, 'p.log')
  const out = fs.createWriteStream(file, { flags: 'a' })
  for (let n = 1; n <= 6; n++) {
    await new Promise<unknown>((resolve) => out.write(`${n}`.repeat(200), resolve))
    expect(rotateLog(file, 100)).toBe(true)
    expect(rotateLog(file, 100)).toBe(false)
  }
  await new Promise<void>((resolve) => out.end('end', () => resolve()))
  await sleep(0)
  expect(fs.readFileSync(file, 'utf8')).toBe('end')
  expect([1, 2, 3].map((n) => fs.readFileSync(`${file}.${n}`, 'utf8')[0])).toEqual(['6', '5', '4'])
  expect(fs.existsSync(`${file}.4`)).toBe(false)
})
