import { expect, test } from 'vitest'
import { toSse } from './sse.ts'

const toError = (error: unknown) => ({ error: String(error) })

async function* counting(log: string[], fail = false) {
  try {
    for (let n = 1; n <= 3; n++) {
      log.push(`made ${n}`)
      yield { n }
    }
    if (fail) throw new Error('broken')
  } finally {
    log.push('ended')
  }
}

test('an event is made when it is asked for, and its text is one line of data', async () => {
  const log: string[] = []
  const reader = toSse(counting(log), { toError, hangUp: () => log.push('hung up') }).getReader()
  expect(log).toEqual([])
  const { value } = await reader.read()
  expect(new TextDecoder().decode(value)).toBe('data: {"n":1}\n\n')
  expect(log).toEqual(['made 1'])
  await reader.cancel()
  expect(log).toEqual(['made 1', 'hung up', 'ended'])
})

test('a stream that breaks says so in its last event', async () => {
  const text = await new Response(toSse(counting([], true), { toError, hangUp: () => {} })).text()
  expect(text).toMatch(/"n":3[\s\S]*event: error\ndata: \{"error":"Error: broken"\}\n\n$/)
})

test('the first event taken beforehand is not lost', async () => {
  const events = counting([])
  const first = await events.next()
  const text = await new Response(toSse(events, { first, toError, hangUp: () => {} })).text()
  expect(text.match(/\d/g)).toEqual(['1', '2', '3'])
})

test('leaving while an event is being made ends the stream without an error', async () => {
  const [waits, errors] = [Promise.withResolvers<void>(), [] as unknown[]]
  async function* waiting() {
    yield 1
    await waits.promise
  }
  const stream = toSse(waiting(), {
    toError: (error) => errors.push(error),
    hangUp: () => waits.resolve(),
  })
  const reader = stream.getReader()
  await reader.read()
  const pending = reader.read()
  await new Promise((resolve) => setTimeout(resolve, 5))
  await reader.cancel()
  expect(await pending).toEqual({ done: true, value: undefined })
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(errors).toEqual([])
})

test.each([false, true])(
  'what is held for a stream is let go when it ends, broken or not: %s',
  async (fail) => {
    const log: string[] = []
    await new Response(toSse(counting([], fail), { toError, hangUp: () => log.push('hung up') })).text()
    expect(log).toEqual(['hung up'])
  },
)

test('leaving before the first event was read ends the rest too', async () => {
  const log: string[] = []
  const events = counting(log)
  const first = await events.next()
  await toSse(events, { first, toError, hangUp: () => {} }).cancel()
  expect(log).toEqual(['made 1', 'ended'])
})
