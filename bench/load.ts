/**
 * A load generator with as little overhead as Node allows: raw sockets, one request under way on each. Every answer
 * to the same request has the same length (dates and ids do too), so after the first one, bytes are enough to count.
 */
import net from 'node:net'

export type LoadResult = {
  requests: number
  seconds: number
  perSecond: number
  p50Ms: number
  p99Ms: number
}

export async function load(options: {
  port: number
  request: string
  connections: number
  seconds: number
}): Promise<LoadResult> {
  const { port, request, connections, seconds } = options
  const length = await answerLength(port, request)
  const latencies: number[] = []
  let running = true
  const started = performance.now()
  const workers = Array.from({ length: connections }, () =>
    drive(port, request, length, latencies, () => running),
  )
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  running = false
  await Promise.all(workers)
  const elapsed = (performance.now() - started) / 1000
  latencies.sort((a, b) => a - b)
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return {
    requests: latencies.length,
    seconds: elapsed,
    perSecond: latencies.length / elapsed,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  }
}

export function httpRequest(path: string, headers: Record<string, string> = {}, body?: string): string {
  const all: Record<string, string> = {
    Host: '127.0.0.1',
    ...headers,
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

async function answerLength(port: number, request: string): Promise<number> {
  const socket = net.connect(port, '127.0.0.1')
  socket.write(request)
  let received = Buffer.alloc(0)
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk])
    const end = received.indexOf('\r\n\r\n')
    const declared = end < 0 ? null : /content-length: (\d+)/i.exec(received.toString('latin1', 0, end))
    if (!declared) continue
    const total = end + 4 + Number(declared[1])
    if (!/^HTTP\/1\.1 2/.test(received.toString('latin1', 0, 12)))
      throw new Error(received.toString('utf8', 0, 300))
    if (received.length >= total) {
      socket.destroy()
      return total
    }
  }
  throw new Error('the server closed the connection')
}

function drive(
  port: number,
  request: string,
  length: number,
  latencies: number[],
  running: () => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    let received = 0
    let sent = performance.now()
    socket.on('connect', () => socket.write(request))
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      received += chunk.length
      if (received < length) return
      received -= length
      const now = performance.now()
      latencies.push(now - sent)
      if (!running()) {
        socket.destroy()
        resolve()
        return
      }
      sent = now
      socket.write(request)
    })
  })
}
