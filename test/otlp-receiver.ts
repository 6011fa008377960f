/**
 * A collector that takes spans by OTLP over HTTP as protobuf, and reads as much of them as tests look at. Fields are read
 * by their numbers in opentelemetry-proto's trace.proto; of the format there are only the two kinds of field that spans
 * use for texts and numbers, and the fixed ones are passed over.
 */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll } from 'vitest'

export type ReceivedSpan = {
  traceId: string
  spanId: string
  parentId: string
  name: string
  kind: number
  attributes: Record<string, string | number>
  /** 2: it failed. */
  status: number
  resource: Record<string, string | number>
}

type Fields = Map<number, Array<Buffer | number>>

export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = []
  const requests: Array<{ url: string; headers: IncomingHttpHeaders }> = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      requests.push({ url: request.url ?? '', headers: request.headers })
      spans.push(...readSpans(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body))
      response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { endpoint: `http://127.0.0.1:${address.port}`, spans, requests }
}

function readSpans(message: Buffer): ReceivedSpan[] {
  return parts(read(message), 1).flatMap((ofResource) => {
    const resource = attributesOf(parts(parts(ofResource, 1)[0] ?? new Map(), 1))
    const spans = parts(ofResource, 2).flatMap((scope) => parts(scope, 2))
    return spans.map((span) => ({
      traceId: bytes(span, 1).toString('hex'),
      spanId: bytes(span, 2).toString('hex'),
      parentId: bytes(span, 4).toString('hex'),
      name: bytes(span, 5).toString(),
      kind: number(span, 6),
      attributes: attributesOf(parts(span, 9)),
      status: number(parts(span, 15)[0] ?? new Map(), 3),
      resource,
    }))
  })
}

function attributesOf(pairs: Fields[]): Record<string, string | number> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const value = parts(pair, 2)[0] ?? new Map()
      return [bytes(pair, 1).toString(), value.has(1) ? bytes(value, 1).toString() : number(value, 3)]
    }),
  )
}

const parts = (fields: Fields, at: number): Fields[] =>
  (fields.get(at) ?? []).map((part) => read(part as Buffer))
const bytes = (fields: Fields, at: number) => (fields.get(at)?.[0] ?? Buffer.alloc(0)) as Buffer
const number = (fields: Fields, at: number) => Number(fields.get(at)?.[0] ?? 0)

function read(message: Buffer): Fields {
  const fields: Fields = new Map()
  let at = 0
  const varint = () => {
    let [value, factor] = [0, 1]
    for (;;) {
      const byte = message[at++] ?? 0
      value += (byte & 127) * factor
      factor *= 128
      if (byte < 128) return value
    }
  }
  const put = (field: number, value: Buffer | number) => {
    const list = fields.get(field) ?? []
    list.push(value)
    fields.set(field, list)
  }
  while (at < message.length) {
    const tag = varint()
    const [field, type] = [Math.floor(tag / 8), tag % 8]
    if (type === 0) put(field, varint())
    else if (type === 2) {
      const length = varint()
      put(field, message.subarray(at, at + length))
      at += length
    } else at += type === 1 ? 8 : 4
  }
  return fields
}
