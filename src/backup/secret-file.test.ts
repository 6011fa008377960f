import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createSecretBox } from '../lib/crypto.ts'
import { loadSecret } from '../lib/secret.ts'
import { beginSecret, planSecret, readSecretFile } from './secret-file.ts'

const OLD = 'the secret that the folder has had so far'
const NEW = 'the secret that comes with the backup, as long'
const backup = { secret: NEW, secretElsewhere: false }

function folderWith(secret: string | null): string {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-secret-'))
  if (secret !== null) fs.writeFileSync(path.join(dataDir, 'secret'), `${secret}\n`)
  return dataDir
}
const opens = (dataDir: string, secret: string) =>
  createSecretBox(loadSecret({ secret: null, dataDir }), 'rfq').open(
    createSecretBox(secret, 'rfq').seal('kept'),
  ) === 'kept'

test('a folder without a secret gets that of the backup, readable by its owner alone', () => {
  const dataDir = folderWith(null)
  beginSecret(dataDir, planSecret({ secret: null, dataDir }, backup, false), '1').finish()
  expect(loadSecret({ secret: null, dataDir })).toBe(NEW)
  expect(fs.statSync(path.join(dataDir, 'secret')).mode & 0o777).toBe(0o600)
  expect(fs.readdirSync(dataDir)).toEqual(['secret'])
})

test('another secret is not replaced unless that was said, and is kept then', () => {
  const dataDir = folderWith(OLD)
  expect(() => planSecret({ secret: null, dataDir }, backup, false)).toThrow('holds a different secret')
  beginSecret(dataDir, planSecret({ secret: null, dataDir }, backup, true), '1').finish()
  expect(loadSecret({ secret: null, dataDir })).toBe(NEW)
  expect(fs.readFileSync(path.join(dataDir, 'secret.before-1'), 'utf8')).toBe(`${OLD}\n`)
})

test('a crash while the databases are swapped leaves a file that opens both, and the next try goes on', () => {
  const dataDir = folderWith(OLD)
  beginSecret(dataDir, planSecret({ secret: null, dataDir }, backup, true), '1')
  expect([opens(dataDir, OLD), opens(dataDir, NEW)]).toEqual([true, true])
  beginSecret(dataDir, planSecret({ secret: null, dataDir }, backup, false), '2').finish()
  expect(loadSecret({ secret: null, dataDir })).toBe(NEW)
  expect(fs.readdirSync(dataDir).sort()).toEqual(['secret', 'secret.before-1'])
})

test('a swap that was refused gives the old secret back', () => {
  for (const old of [OLD, null]) {
    const dataDir = folderWith(old)
    beginSecret(dataDir, planSecret({ secret: null, dataDir }, backup, true), '1').undo()
    expect(readSecretFile(dataDir)).toBe(old)
  }
})

test('what is left to do is said: a secret that is elsewhere, missing, or another than SOUK_SECRET', () => {
  const dataDir = folderWith(null)
  const notice = (secret: string | null, of: { secret: string | null; secretElsewhere: boolean }) =>
    planSecret({ secret, dataDir }, of, false).notice
  expect(notice(null, { secret: null, secretElsewhere: true })).toContain(
    'which is not in the backup: set it again',
  )
  expect(notice(null, { secret: null, secretElsewhere: false })).toContain('The backup has no secret')
  expect(notice(OLD, backup)).toContain('SOUK_SECRET differs')
  expect(notice(`${OLD},${NEW}`, backup)).toBeNull()
})
