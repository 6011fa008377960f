/** Pages that are sent piece by piece, through a small app of their own. */
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { captureLog } from '../../test/harness.ts'
import type { HttpEnv } from '../http/env.ts'
import { AppError } from '../lib/errors.ts'
import { type Fill, Hole, streamPage } from './stream-page.tsx'

const PAGE = `<main>before ${Hole()} after</main>`
const { log, text: logged } = captureLog()

function ask(fill: Fill, init?: RequestInit): Promise<Response> {
  const app = new Hono<HttpEnv>()
  app.use(async (c, next) => {
    c.set('requestId', 'one')
    c.set('log', log)
    await next()
  })
  app.get('/', (c) => streamPage(c, PAGE, fill))
  return Promise.resolve(app.request('/', init))
}

test('what is known is sent before the rest, which comes to stand in its hole; nobody keeps a copy', async () => {
  const rest = Promise.withResolvers<string>()
  const response = await ask(async (write) => write(await rest.promise))
  expect(response.headers.get('cache-control')).toBe('no-store')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toBe('<main>before ')
  rest.resolve('and')
  let text = ''
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value
  expect(text).toBe('and after</main>')
})

test('what fails is told in one sentence, and the page is whole', async () => {
  const failing = (message: string) => ask(() => Promise.reject(new AppError('unavailable', message)))
  for (const message of ['the planner rests', 'the planner rests.'])
    expect(await (await failing(message)).text()).toBe(
      '<main>before <p class="failed" role="alert">The planner rests.</p> after</main>',
    )
})

test('a fault of ours is logged, and tells the reader nothing of itself', async () => {
  const response = await ask(() => Promise.reject(new Error('password=hunter2')))
  const text = await response.text()
  expect(text).toContain('Something went wrong')
  expect(text).not.toContain('hunter2')
  expect(logged()).toContain('hunter2')
})

test('asking for the headers alone begins no work', async () => {
  let begun = false
  const response = await ask(
    async () => {
      begun = true
    },
    { method: 'HEAD' },
  )
  expect([response.status, await response.text(), begun]).toEqual([200, '', false])
})

test('the work is told when the reader has gone', async () => {
  const gone = Promise.withResolvers<boolean>()
  const response = await ask(async (write, signal) => {
    signal.addEventListener('abort', () => gone.resolve(true))
    if (signal.aborted) gone.resolve(true)
    await write('a piece')
    await gone.promise
  })
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  expect(await gone.promise).toBe(true)
})
