/**
 * Load on a tool server as busy agents make it: each connection is one person's for most of their daily quota, then the
 * next one's. Answers differ in length by a header, so each is read to its end.
 */
import net from 'node:net'
import { cpuMs } from '../processes.ts'

const CONNECTIONS = 50
/** Of the 500 that a person has a day. */
const REQUESTS_A_TOKEN = 400

/** Who a connection speaks for, and how often they have called. */
export type Caller = { token: string; calls: number }
export type Callers = { of(connection: number): Caller }

export type ToolLoad = { port: number; pid: number; body: string; callers: Callers }
export type ToolCost = { perSecond: number; cpuMicros: number }

export function createCallers(nextToken: () => string): Callers {
  const callers = Array.from({ length: CONNECTIONS }, (): Caller => ({ token: nextToken(), calls: 0 }))
  return {
    of(connection) {
      const caller = callers[connection] as Caller
      if (caller.calls++ < REQUESTS_A_TOKEN) return caller
      const next = { token: nextToken(), calls: 1 }
      callers[connection] = next
      return next
    },
  }
}

export async function loadTools({ port, pid, body, callers }: ToolLoad, seconds: number): Promise<ToolCost> {
  let requests = 0
  let running = true
  const before = cpuMs(pid)
  const started = performance.now()
  const drivers = Array.from({ length: CONNECTIONS }, (_, connection) =>
    drive(
      port,
      body,
      () => callers.of(connection),
      () => {
        requests++
        return running
      },
    ),
  )
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  running = false
  await Promise.all(drivers)
  const elapsed = (performance.now() - started) / 1000
  return { perSecond: requests / elapsed, cpuMicros: ((cpuMs(pid) - before) * 1000) / requests }
}

function drive(port: number, body: string, caller: () => Caller, goOn: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    let [request, token] = ['', '']
    const send = () => {
      const { token: current } = caller()
      if (current !== token) request = writeRequest(port, body, current)
      token = current
      socket.write(request)
    }
    let received: Buffer = Buffer.alloc(0)
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const length = answerLength(received)
      if (length === null || received.length < length) return
      received = received.subarray(length)
      if (goOn()) return send()
      socket.destroy()
      resolve()
    })
  })
}

/** Null while its head is not complete. */
function answerLength(received: Buffer): number | null {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return null
  const head = received.toString('latin1', 0, end)
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(received.toString('utf8', 0, 600))
  const declared = /content-length: (\d+)/i.exec(head)
  if (declared) return end + 4 + Number(declared[1])
  // Streams, and answers whose length was not known when they began.
  const last = received.indexOf('\r\n0\r\n\r\n', end)
  return last < 0 ? null : last + 7
}

function writeRequest(port: number, body: string, token: string): string {
  const headers = [
    'POST /mcp/ HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'MCP-Protocol-Version: 2025-11-25',
    `Authorization: Bearer ${token}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return `${headers.join('\r\n')}\r\n\r\n${body}`
}
