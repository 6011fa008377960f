import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { projectFile } from './paths.ts'
import { loadSecret } from './secret.ts'

let dataDir: string
beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-secret-'))
})
afterEach(() => fs.rmSync(dataDir, { recursive: true, force: true }))

test('SOUK_SECRET is used as it is, and no file is made', () => {
  expect(loadSecret({ secret: 'given', dataDir })).toBe('given')
  expect(fs.readdirSync(dataDir)).toEqual([])
})

test('without one, a secret is made once and kept for its owner alone', () => {
  const nested = path.join(dataDir, 'new', 'folder')
  const secret = loadSecret({ secret: null, dataDir: nested })
  expect(secret).toMatch(/^[\w-]{43}$/)
  expect(loadSecret({ secret: null, dataDir: nested })).toBe(secret)
  expect(fs.readdirSync(nested)).toEqual(['secret'])
  expect(fs.statSync(path.join(nested, 'secret')).mode & 0o777).toBe(0o600)
})

test('a file that holds no secret stops the start instead of weakening it', () => {
  fs.writeFileSync(path.join(dataDir, 'secret'), 'short\n')
  expect(() => loadSecret({ secret: null, dataDir })).toThrow(/has no secret/)
})

test('processes that start at the same moment agree on one secret', async () => {
  const script = `
    const { loadSecret } = await import(${JSON.stringify(projectFile('src', 'lib', 'secret.ts'))})
    while (Date.now() < Number(process.argv[1])) {}
    process.stdout.write(loadSecret({ secret: null, dataDir: process.argv[2] }))`
  const at = String(Date.now() + 1_500)
  const run = () =>
    new Promise<string>((resolve, reject) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, at, dataDir])
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += chunk
      })
      child.on('error', reject)
      child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`exit code ${code}`))))
    })
  const secrets = await Promise.all(Array.from({ length: 4 }, run))
  expect(secrets[0]).toMatch(/^[\w-]{43}$/)
  expect(new Set(secrets).size).toBe(1)
  expect(fs.readdirSync(dataDir)).toEqual(['secret'])
})
