/** Stopping without failing anyone: no new connections, requests under way get their time, then the rest is cut. */
import type { Server } from 'node:http'

export function closeGracefully(http: Server, limitMs = 10_000): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => http.closeAllConnections(), limitMs)
    // A kept-alive connection becomes idle when its last answer is out, which may be after the close.
    const idle = setInterval(() => http.closeIdleConnections(), 20)
    http.close(() => {
      clearTimeout(cut)
      clearInterval(idle)
      resolve()
    })
  })
}
