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
import type { Search } from './search.service.ts'
import { KINDS, type Kind, MOST_SUGGESTIONS, type SuggestInput, suggest } from './suggest.ts'

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

export const suggestOperation = defineOperation({
  right: 'public',
  run: async ({ search }: { search: Pick<Search, 'index'> }, _: null, input: SuggestInput) =>
    suggest(search.index(), input),
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

/** Anyone, as often as the limit of their network allows. */
export function suggestGuard({ limit, trustProxy }: { limit: NetworkLimit; trustProxy: boolean }) {
  return async (c: Context<HttpEnv>): Promise<null> => {
    requireLeft(c, limit.take(clientIp(c, trustProxy)))
    return null
  }
}
