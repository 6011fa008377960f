/**
 * Streams of server-sent events that begin late: a request is answered in plain JSON unless something is told before its
 * result; from that moment it is a stream, which ends with the result.
 */
import type { EventStream } from '../../http/fast-lane.ts'
import type { Answer } from './dispatch.ts'

export const SSE_TYPE = 'text/event-stream'

const KEEP_ALIVE_MS = 15_000

export function oneEvent(message: string): string {
  return `event: message\ndata: ${message}\n\n`
}

export function createLateStream() {
  let started: () => void = () => {}
  const begun = new Promise<void>((resolve) => {
    started = resolve
  })
  let send: ((text: string) => void) | null = null
  const waiting: string[] = []

  return {
    notify(method: string, params: Record<string, unknown>): void {
      const event = oneEvent(JSON.stringify({ jsonrpc: '2.0', method, params }))
      if (send) send(event)
      else waiting.push(event)
      started()
    },
    /** The stream, if something is told before the answer is there; null if the answer comes first. */
    async startedBefore(answer: Promise<Answer>): Promise<EventStream | null> {
      const streams = await Promise.race([begun.then(() => true), answer.then(() => waiting.length > 0)])
      if (!streams) return null
      return async (write) => {
        send = write
        for (const event of waiting.splice(0)) write(event)
        // Proxies cut connections that are silent for a minute or so.
        const timer = setInterval(() => write(': still working\n\n'), KEEP_ALIVE_MS)
        try {
          const { text } = await answer
          if (text !== null) write(oneEvent(text))
        } finally {
          clearInterval(timer)
        }
      }
    },
  }
}
