/**
 * Any endpoint that speaks OpenAI's `/v1/embeddings`. Its vectors are stored under the model's name as the endpoint is
 * configured; the number of dimensions is learned from its first answer.
 */
import { z } from 'zod'
import { AppError } from '../../lib/errors.ts'
import { OutboundError } from '../../lib/outbound.errors.ts'
import type { Outbound } from '../../lib/outbound.ts'
import { parseInput } from '../../lib/validate.ts'
import { type Embedder, normalize, rememberQueries } from './embedder.ts'

export type RemoteEmbedderOptions = { url: string; key: string | null; model: string; outbound: Outbound }

const QUERY_TIMEOUT_MS = 3_000
const DOCUMENTS_TIMEOUT_MS = 60_000
const BATCH = 32
const MAX_BYTES = 32 * 1024 * 1024
const REMEMBERED_QUERIES = 5_000

const Answer = z.object({
  data: z.array(z.object({ index: z.number().int().nonnegative(), embedding: z.array(z.number()).min(1) })),
})

export async function connectRemoteEmbedder(options: RemoteEmbedderOptions): Promise<Embedder> {
  const ask = (texts: string[], timeoutMs: number) => requestEmbeddings(options, texts, timeoutMs)
  const [probe] = await ask(['souk'], DOCUMENTS_TIMEOUT_MS)
  const dims = probe?.length ?? 0
  const check = (vectors: Float32Array[]) => {
    if (vectors.every((vector) => vector.length === dims)) return vectors.map(padded)
    throw failure(`it returned vectors that are not ${dims} long`)
  }
  return {
    id: `${options.model}@${new URL(options.url).host}/${dims}`,
    dims: paddedLength(dims),
    embedQuery: rememberQueries(async (text) => {
      const [vector] = check(await ask([text], QUERY_TIMEOUT_MS))
      if (!vector) throw failure('it returned no vector')
      return vector
    }, REMEMBERED_QUERIES),
    async embedDocuments(texts) {
      const vectors: Float32Array[] = []
      for (let at = 0; at < texts.length; at += BATCH) {
        vectors.push(...check(await ask(texts.slice(at, at + BATCH), DOCUMENTS_TIMEOUT_MS)))
      }
      return vectors
    },
    close: async () => {},
  }
}

async function requestEmbeddings(
  options: RemoteEmbedderOptions,
  texts: string[],
  timeoutMs: number,
): Promise<Float32Array[]> {
  const { url, key, model, outbound } = options
  const response = await outbound
    .request({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
      // An empty input is an error for several servers; a space is not.
      body: JSON.stringify({ model, input: texts.map((text) => text || ' '), encoding_format: 'float' }),
      timeoutMs,
      maxBytes: MAX_BYTES,
    })
    .catch((error) => {
      throw failure(error instanceof OutboundError ? error.message : 'it could not be reached', error)
    })
  if (response.status !== 200) throw failure(`it answered with status ${response.status}`)
  const { data } = readAnswer(response.body)
  const vectors: Array<Float32Array | undefined> = new Array(texts.length).fill(undefined)
  for (const { index, embedding } of data)
    if (index < texts.length) vectors[index] = normalize(Float32Array.from(embedding))
  return vectors.map((vector) => {
    if (!vector) throw failure('it left out a text')
    return vector
  })
}

/** The index works on 16 numbers at a time; zeros at the end change no cosine. */
function padded(vector: Float32Array): Float32Array {
  const longer = new Float32Array(paddedLength(vector.length))
  longer.set(vector)
  return longer
}

function paddedLength(dims: number): number {
  return Math.ceil(dims / 16) * 16
}

function readAnswer(body: Buffer): z.output<typeof Answer> {
  try {
    return parseInput(Answer, JSON.parse(body.toString('utf8')))
  } catch (error) {
    throw failure('its answer is not a list of embeddings', error)
  }
}

function failure(what: string, cause?: unknown): AppError {
  return new AppError('upstream', `the embedding endpoint failed: ${what}`, { cause })
}
