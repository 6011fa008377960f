/** The files for operators, held against the code: settings that exist, and times that fit each other. */
import fs from 'node:fs'
import { expect, test } from 'vitest'
import { KNOWN_VARIABLES } from '../src/config.ts'
import { SERVER_LIMITS } from '../src/http/server-limits.ts'
import { projectFile } from '../src/lib/paths.ts'

const read = (...parts: string[]) => fs.readFileSync(projectFile(...parts), 'utf8')
const deploy = (file: string) => read('deploy', file)
const secondsIn = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN)

/** What a node that stops may take after draining: requests and jobs 10 s each, the embedded PostgreSQL 30. */
const AFTER_DRAINING_S = 50

test('the table of settings names every variable, and no other', () => {
  const [, section = ''] = /^## Configuration\n([\s\S]*?)(?=^## )/m.exec(read('docs', 'operating.md')) ?? []
  const named = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => {
    const names = [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name)
    // `SOUK_LLM_URL`, `_MODEL`
    const [first = ''] = names
    return names.map((name) => (name.startsWith('_') ? first.replace(/_URL$/, name) : name))
  })
  expect(named.filter((name) => !name.startsWith('OTEL_')).sort()).toEqual([...KNOWN_VARIABLES].sort())
})

test('files for deployment set only variables that exist', () => {
  const known = new Set([...KNOWN_VARIABLES, 'SOUK_SITE', 'SOUK_NODES'])
  const files = fs.readdirSync(projectFile('deploy'), { withFileTypes: true }).filter((file) => file.isFile())
  expect(files.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Caddyfile', 'Dockerfile', 'compose.yaml', 'nginx.conf', 'souk.service']),
  )
  for (const { name } of files)
    for (const [variable] of deploy(name).matchAll(/\bSOUK_[A-Z_]+\b/g))
      expect(known, `${name}: ${variable}`).toContain(variable)
})

test('a node has time to drain and finish before it is killed', () => {
  const compose = deploy('compose.yaml')
  const drainS = secondsIn(compose, /SOUK_DRAIN_MS: ["'](\d+)000["']/)
  // No embedded database there.
  expect(secondsIn(compose, /stop_grace_period: (\d+)s/)).toBeGreaterThan(drainS + AFTER_DRAINING_S - 30)
  const lookS = secondsIn(deploy('Caddyfile'), /health_interval (\d+)s/)
  expect(drainS).toBeGreaterThan(2 * lookS)
  expect(secondsIn(deploy('souk.service'), /TimeoutStopSec=(\d+)/)).toBeGreaterThan(drainS + AFTER_DRAINING_S)
})

test('proxies let go of idle connections before a node does, and repeat no write', () => {
  const keepAliveS = SERVER_LIMITS.keepAliveMs / 1_000
  const nginx = deploy('nginx.conf')
  expect(secondsIn(nginx, /^\s*keepalive_timeout (\d+)s;/m)).toBeLessThan(keepAliveS)
  expect(secondsIn(deploy('Caddyfile'), /^\s*keepalive (\d+)s/m)).toBeLessThan(keepAliveS)
  expect(/^\s*proxy_next_upstream (.*);/m.exec(nginx)?.[1]).toBe('error timeout')
  expect(deploy('Caddyfile')).not.toContain('lb_retry_match')
})

test('the image is built from all that its steps copy, and from no more', () => {
  const copied = [...deploy('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) =>
    files.split(' '),
  )
  const letIn = read('.dockerignore')
    .split('\n')
    .flatMap((line) => /^!(.+)/.exec(line)?.[1] ?? [])
  expect(copied.sort()).toEqual(letIn.sort())
  for (const file of copied) expect(fs.existsSync(projectFile(file)), file).toBe(true)
})
