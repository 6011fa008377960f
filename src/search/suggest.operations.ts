/**
 * `GET /api/suggest/`, for search boxes and pickers. An addition: the interface, part 9, fixes what /openapi.json covers,
 * and this is not among it. What was typed goes nowhere but into the answer: the log has no query strings.
 */
import type { Context } from 'hono'
import { z } from 'zod'
import type { NetworkLimit } from '../accounts/network-limit.ts'
import { clientIp } from '../http/client-ip.ts'
import type { HttpEnv } from '../http/env.ts'
import { requireLeft } from '../http/rate-limit-headers.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { createAnswerCache } from './answer-cache.ts'
import type { CatalogIndex } from './catalog-index.ts'
import type { Search } from './search.service.ts'
import { KINDS, type Kind, MOST_SUGGESTIONS, type SuggestInput, type Suggestion, suggest } from './suggest.ts'

/** Half a thing is typed, so what is odd is no mistake of a caller: it finds nothing, or is as if it were not there. */
const SuggestQuery: z.ZodType<SuggestInput> = z.object({
  q: z.string().catch(''),
  limit: z.coerce.number().int().min(1).max(MOST_SUGGESTIONS).catch(MOST_SUGGESTIONS),
  kinds: z
    .string()
    .min(1)
    .transform((text): Kind[] => KINDS.filter((kind) => text.split(',').includes(kind)))
    .catch([...KINDS]),
})

/** One or two letters match much of a catalog and are typed by everyone, so their answers last until it changes. */
const SHORT = 2
const shortAnswers = createAnswerCache<Suggestion[]>(1_000)

function suggestOnce(index: CatalogIndex, input: SuggestInput): Suggestion[] {
  if (input.q.length > SHORT) return suggest(index, input)
  const key = JSON.stringify(input)
  const known = shortAnswers.get(key, index.version)
  if (known) return known
  const found = suggest(index, input)
  shortAnswers.set(key, index.version, found)
  return found
}

export const suggestOperation = defineOperation({
  right: 'public',
  run: async ({ search }: { search: Pick<Search, 'index'> }, _: null, input: SuggestInput) =>
    suggestOnce(search.index(), input),
  rest: [
    {
      openapi: false,
      caller: 'anyone',
      method: 'get',
      path: '/api/suggest/',
      input: SuggestQuery,
      cache: 'private, max-age=60',
      answer: { status: 200, of: (suggestions) => ({ suggestions }) },
    },
  ],
})

/** Anyone, within the limit of their network. */
export function suggestGuard({ limit, trustProxy }: { limit: NetworkLimit; trustProxy: boolean }) {
  return async (c: Context<HttpEnv>): Promise<null> => {
    requireLeft(c, limit.take(clientIp(c, trustProxy)))
    return null
  }
}
