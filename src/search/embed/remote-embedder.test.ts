/** A real HTTP server on the other end. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Loopback, serve } from '../../../test/loopback.ts'
import { parseOutboundAllow } from '../../lib/outbound.allow.ts'
import { createOutbound, type Outbound } from '../../lib/outbound.ts'
import { connectRemoteEmbedder } from './remote-embedder.ts'

type Body = { model: string; input: string[] }
let answer: (body: Body) => { status?: number; body: unknown }
let outbound: Outbound
let url: string
let server: Loopback
const seen: Array<{ body: Body; authorization: string | undefined }> = []

const embedding = (text: string) => [text.length, 1, 0, 0]
const good = ({ input }: Body) => ({
  body: { data: input.map((text, index) => ({ index, embedding: embedding(text) })).reverse() },
})

beforeAll(async () => {
  server = await serve(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Body
    seen.push({ body, authorization: request.headers.authorization })
    const { status = 200, body: reply } = answer(body)
    response.writeHead(status).end(typeof reply === 'string' ? reply : JSON.stringify(reply))
  })
  outbound = createOutbound({ allow: parseOutboundAllow(`127.0.0.1:${server.port}`) })
  url = `http://127.0.0.1:${server.port}/v1/embeddings`
})
afterAll(async () => {
  await outbound.close()
  await server.close()
})

const connect = () => {
  answer = good
  return connectRemoteEmbedder({ url, key: 'planted-key', model: 'm', outbound })
}

describe('a remote embedder', () => {
  test('sends the model, the key and the texts, and gives unit vectors in their order', async () => {
    const embedder = await connect()
    // Filled up with zeros to what the index works on.
    expect([embedder.dims, embedder.id]).toEqual([16, `m@${new URL(url).host}/4`])
    const texts = Array.from({ length: 70 }, (_, n) => 'x'.repeat(n))
    const vectors = await embedder.embedDocuments(texts)
    expect(vectors).toHaveLength(70)
    for (const [n, vector] of vectors.entries()) {
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
      expect((vector[0] ?? 0) / (vector[1] ?? 1)).toBeCloseTo(Math.max(n, 1), 3)
    }
    expect(seen.at(-1)).toMatchObject({ authorization: 'Bearer planted-key', body: { model: 'm' } })
    expect(Math.max(...seen.map(({ body }) => body.input.length))).toBe(32)
  })

  test.each([
    ['an error status', () => ({ status: 500, body: 'planted internals' }), 'status 500'],
    ['no JSON', () => ({ body: 'hello' }), 'not a list of embeddings'],
    ['another shape', () => ({ body: { vectors: [] } }), 'not a list of embeddings'],
    ['too few vectors', () => ({ body: { data: [] } }), 'left out a text'],
    [
      'another number of dimensions',
      () => ({ body: { data: [{ index: 0, embedding: [1, 2] }] } }),
      'not 4 long',
    ],
    ['a redirect', () => ({ status: 302, body: '' }), 'the embedding endpoint failed'],
  ])('%s is an upstream error that says so and nothing more', async (_, reply, says) => {
    const embedder = await connect()
    answer = reply
    const error = await embedder.embedQuery('kettle').catch((raised) => raised)
    expect(error).toMatchObject({ name: 'AppError', kind: 'upstream' })
    expect(error.message).toContain(says)
    expect(error.message).not.toMatch(/planted/)
  })

  test('a query that failed is asked again, one that worked is remembered', async () => {
    const embedder = await connect()
    answer = () => ({ status: 503, body: '' })
    await expect(embedder.embedQuery('kettle')).rejects.toThrow('503')
    answer = good
    await embedder.embedQuery('kettle')
    const asked = seen.length
    await embedder.embedQuery('kettle')
    expect(seen.length).toBe(asked)
  })
})
