/**
 * A search that was asked before, in the fast lane: agents ask the same things again and again. It takes anonymous
 * requests with a small body of known length, and steps aside for all others, as it does when the answer is not
 * remembered.
 */
import { isUtf8 } from 'node:buffer'
import { socketVisit } from '../http/client-ip.ts'
import { headersWith, type ReadyRoute } from '../http/fast-lane.ts'
import { createAnswerCache } from './answer-cache.ts'
import { toInput } from './search.input.ts'
import { SearchRequest } from './search.schema.ts'
import type { Search, SearchInput } from './search.service.ts'
import { wireBytes } from './wire.ts'

const REMEMBERED_BODIES = 2_000
const PATH = /^\/api\/search\/?$/

export function repeatedSearch(options: { search: Search; trustProxy: boolean; https: boolean }): ReadyRoute {
  const { search, trustProxy, https } = options
  const headers = headersWith(https, { 'Content-Type': 'application/json' })
  const inputs = createAnswerCache<SearchInput>(REMEMBERED_BODIES)

  function inputOf(body: string): SearchInput | null {
    const known = inputs.get(body, 0)
    if (known) return known
    const parsed = SearchRequest.safeParse(parseJson(body))
    // A wrong request is the router's to answer, and a bundle is never remembered here.
    if (!parsed.success || parsed.data.bundle) return null
    const input = toInput(parsed.data)
    inputs.set(body, 0, input)
    return input
  }

  return {
    match: ({ method, url = '', headers: { cookie, authorization } }) =>
      method === 'POST' && PATH.test(url) && !cookie && !authorization ? '/api/search' : null,
    largestBody: 4_096,
    answer(request, body) {
      // Bytes that are no UTF-8 would read like any other such question; refusing them is the router's.
      const input = isUtf8(body) ? inputOf(body.toString('utf8')) : null
      const { ip } = socketVisit(request, { trustProxy, requestId: '' })
      const found = input && search.remembered({ ...input, ip })
      if (!found) return null
      const bytes = wireBytes(found)
      const all = [...headers, 'Content-Length', String(bytes.length)]
      return { status: 200, headers: all, body: bytes, encoding: 'latin1' }
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
