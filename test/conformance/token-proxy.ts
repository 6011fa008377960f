/**
 * A proxy on loopback that adds an access token to whatever passes: the conformance suite cannot send one. Everything
 * else goes through as it is, Host and streams included, so that the suite still meets the server itself.
 */
import { request as forward } from 'node:http'
import { serve } from '../loopback.ts'

export function startTokenProxy({ port, token }: { port: number; token: string }) {
  return serve((incoming, answer) => {
    const { method, url, rawHeaders } = incoming
    const headers = [...rawHeaders, 'Authorization', `Bearer ${token}`]
    const onward = forward({ host: '127.0.0.1', port, method, path: url, headers }, (back) => {
      answer.writeHead(back.statusCode ?? 502, back.rawHeaders)
      // The head of a stream is news too: the suite waits for it.
      answer.flushHeaders()
      back.pipe(answer)
      back.once('error', () => answer.destroy())
    })
    onward.once('error', () => answer.destroy())
    incoming.pipe(onward)
    // Who hangs up on the proxy has hung up on the server.
    answer.once('close', () => onward.destroy())
  })
}
