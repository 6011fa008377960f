import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectFile } from '../src/lib/paths.ts'

function check(files: Record<string, string>): { status: number | null; output: string } {
  const src = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-layers-'))
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(src, name)), { recursive: true })
    fs.writeFileSync(path.join(src, name), text)
  }
  const { status, stderr } = spawnSync(process.execPath, [projectFile('scripts', 'check-layers.mjs'), src], {
    encoding: 'utf8',
  })
  fs.rmSync(src, { recursive: true })
  return { status, output: stderr }
}

describe('check-layers', () => {
  test('passes code that keeps the direction', () => {
    const { status, output } = check({
      'lib/money.ts': 'export const one = 1\n',
      'offers/offers.service.ts': `import { one } from '../lib/money.ts'\nimport { x } from './offers.queries.ts'\nimport { y } from '../catalog/catalog.service.ts'\n`,
      'offers/offers.queries.ts': 'export const x = sql`select 1`\n',
      'offers/offers.routes.ts': `import { Hono } from 'hono'\nimport { z } from '../http/body.ts'\n`,
      'agents/a.ts': `const kit = await import('../../test/kits/mcp/mount.ts')\n`,
      'catalog/catalog.service.ts': '// a comment may say fetch( or sql`select`\n',
    })
    expect([status, output]).toEqual([0, 'Layers: no breach\n'])
  })

  test.each([
    [
      'a lower layer importing a higher one',
      { 'lib/a.ts': `import { x } from '../catalog/x.ts'\n` },
      'lib/a.ts:1 (lib) must not import catalog/x.ts',
    ],
    [
      'a dynamic import upwards',
      { 'catalog/a.ts': `\nconst x = await import('../rfq/x.ts')\n` },
      'catalog/a.ts:2 (catalog) must not import rfq/x.ts',
    ],
    [
      'features of one rank importing each other',
      { 'search/a.ts': `import { x } from '../offers/x.ts'\n` },
      'search/a.ts:1 (search) must not import offers/x.ts',
    ],
    [
      "another feature's queries",
      { 'rfq/a.ts': `import { x } from '../catalog/catalog.queries.ts'\n` },
      `must not import another feature's queries`,
    ],
    [
      'a re-export upwards',
      { 'db/a.ts': `export { x } from '../app.ts'\n` },
      'db/a.ts:1 (db) must not import app.ts',
    ],
    [
      'an import over several lines',
      { 'db/a.ts': `import {\n  x,\n} from '../app.ts'\n` },
      '(db) must not import app.ts',
    ],
    [
      'SQL in a service',
      { 'offers/a.service.ts': 'const x = sql<{ a: 1 }>`select 1`\n' },
      'offers/a.service.ts:1 writes SQL outside',
    ],
    [
      'a statement by what it answers with in a service',
      { 'offers/a.service.ts': 'const x = await one<{ a: 1 }>(tx)`select 1`\n' },
      'offers/a.service.ts:1 writes SQL outside',
    ],
    [
      'a query builder in a route',
      { 'offers/a.routes.ts': `db.selectFrom('offers')\n` },
      'writes SQL outside',
    ],
    [
      'a connection of one’s own',
      { 'rfq/a.ts': `await fetch('https://x.example')\n` },
      'opens a connection: only lib/outbound may',
    ],
    [
      'undici outside lib/outbound',
      { 'rfq/a.ts': `import { request } from 'undici'\n` },
      'must not import undici',
    ],
    [
      'HTTP in a service',
      { 'offers/a.service.ts': `import { Hono } from 'hono'\n` },
      'knows no HTTP and must not import hono',
    ],
    [
      'an impure quote',
      { 'pricing/quote.ts': `import { x } from '../lib/clock.ts'\n` },
      'is pure and must not import lib/clock.ts',
    ],
    [
      'a test kit that every start loads',
      { 'agents/a.ts': `import { x } from '../../test/kits/a2a.ts'\n` },
      'agents/a.ts:1 must not import ../test/kits/a2a.ts',
    ],
    [
      'what only tests share',
      { 'agents/a.ts': `const x = await import('../../test/harness.ts')\n` },
      'agents/a.ts:1 must not import ../test/harness.ts',
    ],
    ['a folder nobody has placed', { 'misc/a.ts': '' }, 'is in no known layer'],
  ])('fails on %s', (_, files, message) => {
    const { status, output } = check(files)
    expect(status).toBe(1)
    expect(output).toContain(message)
  })
})
