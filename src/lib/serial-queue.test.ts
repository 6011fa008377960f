import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSerialQueue } from './limit.ts'

test('tasks follow each other in the order they were asked for, also after one that failed', async () => {
  const queue = createSerialQueue(10_000)
  const steps: string[] = []
  const task = (name: string, ms: number) => async () => {
    steps.push(`${name} begins`)
    await sleep(ms)
    steps.push(`${name} ends`)
    if (name === 'second') throw new Error('no luck')
    return name
  }
  const answers = [task('first', 20), task('second', 5), task('third', 0)].map((each) => queue.run(each))
  expect((await Promise.allSettled(answers)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(steps).toEqual(['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]))
})

test('anyone who waits too long is told, the task is not done, and the next has its turn', async () => {
  const queue = createSerialQueue(30)
  const release = Promise.withResolvers<string>()
  const first = queue.run(() => release.promise)
  let begun = false
  const waiting = queue.run(async () => {
    begun = true
  })
  await expect(waiting).rejects.toMatchObject({ kind: 'unavailable' })
  release.resolve('done')
  expect(await first).toBe('done')
  expect(await queue.run(async () => 'next')).toBe('next')
  expect(begun).toBe(false)
})

test('once closed it begins nothing, and waits for what is under way', async () => {
  const queue = createSerialQueue(10_000)
  const steps: string[] = []
  const first = queue.run(async () => {
    steps.push('begins')
    await sleep(20)
    steps.push('ends')
  })
  const second = queue.run(async () => void steps.push('never'))
  await sleep(5)
  const refused = expect(second).rejects.toMatchObject({ kind: 'unavailable' })
  await queue.close()
  await first
  await refused
  expect(steps).toEqual(['begins', 'ends'])
})
