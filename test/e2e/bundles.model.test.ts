/** A node with a language model configured: the plan is in its words, and without them when it cannot find any. */
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDemoDatabase, createTestApp, testConfig } from '../harness.ts'
import { type Loopback, serve } from '../loopback.ts'
import { bundleOf, createPerson, PATTERN } from './bundles.world.ts'

type Facts = { total: string; lines: Array<{ product: string; cost: string }> }

let model: Loopback
let works = true
let person: Awaited<ReturnType<typeof createPerson>>

beforeAll(async () => {
  model = await serve(async (request, response) => {
    if (!works) return void response.writeHead(500).end()
    const { total, lines } = await factsOf(request)
    const content = JSON.stringify({
      overview: `All of this together is ${total}, and every line was chosen with the others in mind.`,
      reasonings: lines.map(({ product, cost }) => `The ${product} is the one to have here, at ${cost}.`),
    })
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ choices: [{ message: { content } }] }))
  })
  const config = testConfig({ SOUK_LLM_URL: `http://127.0.0.1:${model.port}`, SOUK_LLM_MODEL: 'any' })
  const world = await createTestApp({ database: await createDemoDatabase(), demo: true, config })
  await world.searchRuntime.fill()
  person = await createPerson(world, true)
})
afterAll(() => model.close())

async function factsOf(request: IncomingMessage): Promise<Facts> {
  const { messages } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as {
    messages: Array<{ role: string; content: string }>
  }
  return JSON.parse(messages.find(({ role }) => role === 'user')?.content ?? '') as Facts
}

test('a configured language model explains the plan, and only explains it', async () => {
  works = true
  const told = bundleOf(await person.search({ query: PATTERN }))
  expect(told.overview).toMatch(/^All of this together is \$[\d,]+, /)
  for (const { reasoning } of told.categories) expect(reasoning).toMatch(/^The .+ is the one to have here/)
  works = false
  const untold = bundleOf(await person.search({ query: PATTERN }))
  const products = ({ categories }: typeof told) => categories.map(({ product, cost }) => [product, cost])
  expect(products(told)).toEqual(products(untold))
})

test('a language model that fails costs nobody the plan', async () => {
  works = false
  const answer = await person.search({ query: PATTERN })
  const bundle = bundleOf(answer)
  expect(answer.status).toBe(200)
  expect(bundle.overview).toMatch(/\S/)
  expect(bundle.overview).not.toMatch(/^All of this together/)
  expect(bundle.categories.every(({ reasoning }) => /\S/.test(reasoning))).toBe(true)
})
