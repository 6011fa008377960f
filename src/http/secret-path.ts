/**
 * Addresses that give a right: who has the id of a request or of a share may act on it or read it. Answers under them are
 * kept by no cache or search engine and name their address to no other site, and logs keep a hash of the id in its place.
 */
import type { MiddlewareHandler } from 'hono'
import { loggedId } from '../lib/secret-id.ts'
import type { HttpEnv } from './env.ts'

const HEADERS = Object.entries({
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
})

const SECRET = /^\/(?:quotes|shared-(?:quotes|plans)|api\/(?:(?:shared-)?rfq|shared-plans)|a2a)\//i
const UUIDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi

/** The letters that those paths begin with, small or capital: every request comes by here. */
const [A, Q, S] = [97, 113, 115]

export function loggedPath(path: string): string {
  const first = path.charCodeAt(1) | 32
  if (first !== A && first !== Q && first !== S) return path
  return SECRET.test(path) ? plain(path).replaceAll(UUIDS, loggedId) : path
}

/** As the router reads it: an id may be written with percent signs. */
function plain(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Also for what is refused: the id may be good for somebody else. */
export const keepSecret: MiddlewareHandler<HttpEnv> = async (c, next) => {
  await next()
  if (loggedPath(c.req.path) === c.req.path) return
  for (const [name, value] of HEADERS) c.res.headers.set(name, value)
}
