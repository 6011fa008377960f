import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { captureLog } from '../../test/harness.ts'
import { createAccessLog, createLog, createLogOutput } from './log.ts'
import { projectFile } from './paths.ts'

describe('log', () => {
  test('an error is told by its type, message, code, stack and cause, and not by what a library hung on it', () => {
    const { log, lines, text } = captureLog()
    const cause = Object.assign(new Error('refused'), {
      code: 'ECONNREFUSED',
      client: { password: 'planted' },
    })
    log.error({ err: new TypeError('no luck', { cause }) }, 'failed')
    expect(lines()).toMatchObject([
      {
        level: 'error',
        msg: 'failed',
        err: { type: 'TypeError', message: 'no luck', cause: { code: 'ECONNREFUSED' } },
      },
    ])
    expect(text()).not.toContain('planted')
  })

  test('an access line is valid JSON whatever the path holds', () => {
    const { log, lines } = captureLog()
    const access = createAccessLog(log)
    const paths = ['/plain', '/"quoted"', '/back\\slash', '/line\nbreak', '/ü', '/\u2028']
    for (const name of paths) access({ requestId: 'r', method: 'GET', path: name, status: 200, ms: 1.26 })
    expect(lines().map((line) => line.path)).toEqual(paths)
    expect(lines()[0]).toEqual({
      level: 'info',
      time: expect.stringMatching(/Z$/),
      requestId: 'r',
      method: 'GET',
      path: '/plain',
      status: 200,
      ms: 1.3,
    })
  })

  test('lines come out in order and whole, in large pieces and at the latest when asked', async () => {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'souk-log-')), 'log')
    const output = createLogOutput(fs.openSync(file, 'a'))
    const expected = Array.from({ length: 20_000 }, (_, n) => `line ${n} ü\n`)
    for (const line of expected) output.write(line)
    await new Promise<void>((resolve) => output.flush(resolve))
    expect(fs.readFileSync(file, 'utf8')).toBe(expected.join(''))
  })

  test('many logs of one process listen for its end once', () => {
    createLog('silent')
    const before = process.listenerCount('exit')
    for (let made = 0; made < 20; made += 1) createLog('silent')
    expect(process.listenerCount('exit')).toBe(before)
  })

  test('what is still held is written when the process ends, even by an error', () => {
    const program = `import { createLog } from ${JSON.stringify(projectFile('src', 'lib', 'log.ts'))}; createLog('info').info('last words'); throw new Error('the end')`
    const { stdout } = spawnSync(
      projectFile('node_modules', '.bin', 'node'),
      ['--input-type=module-typescript', '-e', program],
      { encoding: 'utf8' },
    )
    expect(stdout).toContain('last words')
  })
})
