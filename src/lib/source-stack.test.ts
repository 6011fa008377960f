import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { sourceStack } from './source-stack.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-stack-'))
const built = pathToFileURL(path.join(folder, 'dist', 'server.js'))
fs.mkdirSync(path.join(folder, 'dist'))
// The fifth character of the third line is the ninth of line 42 of another file.
const map = { version: 3, sources: ['../src/http/app.ts'], names: [], mappings: ';;IAyCQ' }
fs.writeFileSync(`${path.join(folder, 'dist', 'server.js')}.map`, JSON.stringify(map))

afterAll(() => fs.rmSync(folder, { recursive: true }))

test('a line of the build is told as the line of the source', () => {
  const stack = `Error: no\n    at answer (${built}:3:5)\n    at node:internal/timers:594:17`
  expect(sourceStack(stack)).toBe(
    `Error: no\n    at answer (${path.join(folder, 'src', 'http', 'app.ts')}:42:9)\n    at node:internal/timers:594:17`,
  )
})

test('a file without a map keeps its own lines', () => {
  const stack = `Error: no\n    at answer (${pathToFileURL(path.join(folder, 'other.js'))}:3:5)`
  expect(sourceStack(stack)).toBe(stack)
})
