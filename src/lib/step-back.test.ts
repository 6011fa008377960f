/** Another process steps back, and the one that says so stays where it is. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { stepBackProcess } from './step-back.ts'

async function startIdle({ ownSession = false } = {}): Promise<number> {
  const script = 'console.log("here"); setInterval(() => {}, 1_000)'
  const child = spawn(process.execPath, ['-e', script], { detached: ownSession })
  onTestFinished(() => {
    child.kill()
  })
  await once(child.stdout, 'data')
  return child.pid as number
}

test('another process gets less of a busy core with all of its threads, and this one as much as before', async () => {
  const pid = await startIdle()
  const own = os.getPriority()
  stepBackProcess(pid)
  const threads = process.platform === 'linux' ? fs.readdirSync(`/proc/${pid}/task`).map(Number) : [pid]
  expect(threads.map((thread) => os.getPriority(thread))).toEqual(threads.map(() => 5))
  expect(os.getPriority()).toBe(own)
})

test('where sessions share the cores, a process that leads its own gives way, and no other session does', async () => {
  const share = fs.existsSync('/proc/self/autogroup')
  const groupOf = (pid: number | 'self') =>
    share ? fs.readFileSync(`/proc/${pid}/autogroup`, 'utf8') : 'each by itself'
  const own = groupOf('self')
  const [inOurs, leader] = [await startIdle(), await startIdle({ ownSession: true })]
  stepBackProcess(inOurs)
  stepBackProcess(leader)
  expect(groupOf('self')).toBe(own)
  expect(groupOf(leader)).toMatch(share ? / nice 5$/m : /itself/)
})

test('a process that is gone is passed over', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  expect(() => stepBackProcess(child.pid)).not.toThrow()
})
