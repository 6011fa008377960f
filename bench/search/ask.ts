/** Asks many things with a fixed number in flight and keeps the time; over HTTP by raw sockets, one question under way on each. */
import { once } from 'node:events'
import net from 'node:net'
import { httpRequest } from '../load.ts'

export type Timed = { msEach: number; p50Ms: number; p99Ms: number }
type Asker = (text: string) => Promise<void>

/** As many askers as are to be in flight, each with its next text as soon as it is done with one. */
export async function timeAll(texts: string[], inFlight: number, asker: () => Asker): Promise<Timed> {
  const latencies: number[] = []
  let next = 0
  const work = async (ask: Asker) => {
    while (next < texts.length) {
      const asked = performance.now()
      await ask(texts[next++] ?? '')
      latencies.push(performance.now() - asked)
    }
  }
  const askers = Array.from({ length: inFlight }, asker)
  const started = performance.now()
  await Promise.all(askers.map(work))
  const elapsed = performance.now() - started
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? 0
  return { msEach: elapsed / texts.length, p50Ms: at(0.5), p99Ms: at(0.99) }
}

export async function askAll(port: number, queries: string[], inFlight: number): Promise<Timed> {
  const sockets: net.Socket[] = []
  for (let n = 0; n < inFlight; n++) {
    const socket = net.connect(port, '127.0.0.1').setNoDelay(true)
    await once(socket, 'connect')
    sockets.push(socket)
  }
  const free = [...sockets]
  const timed = await timeAll(queries, inFlight, () => {
    const socket = free.pop()
    if (!socket) throw new Error('there is a socket for each asker')
    return (query) => ask(socket, searchRequest(query))
  })
  for (const socket of sockets) socket.destroy()
  return timed
}

export function searchRequest(query: string): string {
  return httpRequest('/api/search/', { 'Content-Type': 'application/json' }, JSON.stringify({ query }))
}

function ask(socket: net.Socket, request: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    const settle = (error?: Error) => {
      socket.off('data', onData).off('close', onClose)
      if (error) reject(error)
      else resolve()
    }
    const onClose = () => settle(new Error('the server closed the connection'))
    const onData = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const end = received.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = received.toString('latin1', 0, end)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
      if (!head.startsWith('HTTP/1.1 200') || Number.isNaN(length)) settle(new Error(head))
      else if (received.length >= end + 4 + length) settle()
    }
    socket.on('data', onData).on('close', onClose)
    socket.write(request)
  })
}
