/**
 * Puts the check of described.ts in the way of answers. A breach is thrown at the caller, and kept as well: behind a
 * real listener the asker is the server, and the test would only see a 500. What an answer has proved is noted in a
 * file that the whole run shares, one short line at the first time; a stand-in for the service gets a `note` of its own,
 * because what it answers proves nothing.
 */
import fs from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Hono } from 'hono'
import { inject } from 'vitest'
import type { HttpEnv } from '../src/http/env.ts'
import type { Described } from './described.coverage.ts'
import { type Checker, createChecker, type Description, type GivenAnswer } from './described.ts'

type Note = (line: string) => void

const breaches: unknown[] = []
const noted = new Set<string>()
/** Origins of the servers of ours that the running test file has met. */
const ours = new Set<string>()
let loaded: Checker | undefined

export function checker(): Checker {
  loaded ??= createChecker(JSON.parse(fs.readFileSync(inject('described'), 'utf8')) as Description)
  return loaded
}

/** The breaches since the last call. */
export function takeBreaches(): unknown[] {
  return breaches.splice(0)
}

function noteProvoked(line: string): void {
  const file = process.env.SOUK_TEST_PROVOKED
  if (file === undefined || noted.has(line)) return
  noted.add(line)
  fs.appendFileSync(file, `${line}\n`)
}

async function check(operation: Described, answer: GivenAnswer, note: Note): Promise<void> {
  try {
    const line = await checker().check(operation, answer)
    if (line !== null) note(line)
  } catch (error) {
    breaches.push(error)
    throw error
  }
}

/** From here on, `fetch` and `request` of this app answer only what is described. */
export function holdToDescription(app: Hono<HttpEnv>, note: Note = noteProvoked): void {
  const answer = app.fetch
  app.fetch = async (request, ...rest) => {
    const { method } = request
    const operation = checker().find(method, new URL(request.url).pathname)
    if (!operation) return answer(request, ...rest)
    const sent = overhear(request)
    const response = await answer(request, ...rest)
    const { status, headers } = response
    let body: Buffer<ArrayBuffer> | undefined
    const given = {
      method,
      status,
      headers,
      sent,
      async read() {
        body = Buffer.from(await response.arrayBuffer())
        return decoded(body, headers.get('content-encoding'))
      },
    }
    await check(operation, given, note)
    // Made anew from its bytes, not cloned: a clone is a stream, and a listener would send it as one.
    return body === undefined ? response : new Response(body, { status, headers })
  }
}

/**
 * The request's body as the app has read it. Not by a clone: of a stream with two readers neither can let go before the
 * other, and a body that is too large is let go. The app reads all bodies as http/body.ts does, by iterating.
 */
function overhear({ body }: Request): GivenAnswer['sent'] {
  const chunks: Uint8Array[] = []
  if (body !== null) {
    const iterate = body[Symbol.asyncIterator].bind(body)
    const overheard = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of iterate()) {
        chunks.push(chunk)
        yield chunk
      }
    }
    Object.defineProperty(body, Symbol.asyncIterator, { value: overheard })
  }
  return async () => (chunks.length === 0 ? null : Buffer.concat(chunks).toString())
}

function decoded(body: Buffer, encoding: string | null): string {
  if (encoding === 'br') return brotliDecompressSync(body).toString()
  return (encoding === 'gzip' ? gunzipSync(body) : body).toString()
}

/** Says that a server of ours listens there: whatever it answers from now on is held to the description. */
export function holdServer(address: string): void {
  ours.add(new URL(address).origin)
}

/** Ports are used again: what a test file met is forgotten with it. */
export function forgetServers(): void {
  ours.clear()
}

/**
 * The same for answers of a server in another process. Ours are known by their address: they were announced, were asked
 * whether they are ready, or once sent a request id. The fakes of others do none of this, and a server of ours that loses
 * the id is still known.
 */
export function describedFetch(
  fetch: typeof globalThis.fetch,
  note: Note = noteProvoked,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.redirected || !URL.canParse(response.url)) return response
    const { origin, hostname, pathname } = new URL(response.url)
    if (!isLoopback(hostname)) return response
    const { status, headers } = response
    if (headers.has('x-request-id') || (pathname === '/readyz' && status === 200)) ours.add(origin)
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase()
    const operation = ours.has(origin) ? checker().find(method, pathname) : null
    if (!operation) return response
    const given = {
      method,
      status,
      headers,
      sent: async () => (typeof init?.body === 'string' ? init.body : null),
      read: () =>
        response
          .clone()
          .text()
          .catch(() => null),
    }
    await check(operation, given, note)
    return response
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}

/** The runtime's own, as it was before described.setup.ts put the checked one in its place. */
export const uncheckedFetch = globalThis.fetch
export const checkedFetch = describedFetch(uncheckedFetch)
