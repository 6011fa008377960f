/** An answer as the REST face sends it. What repeated askers share is written out once; only the query_id is new. */

import type { SearchResponse } from './search.schema.ts'
import type { Answer } from './search.service.ts'

const shared = new WeakMap<object, Buffer<ArrayBuffer>>()

/** Bytes, because turning the same text into UTF-8 for every asker costs more than all the rest. */
export function wireBody(answer: Answer & { queryId: string }): Buffer<ArrayBuffer> {
  return Buffer.concat([Buffer.from(`{"query_id":"${answer.queryId}",`), sharedPart(answer)])
}

function sharedPart({ results, facets, explain }: Answer): Buffer<ArrayBuffer> {
  const known = shared.get(results)
  if (known !== undefined) return known
  const rest: Omit<SearchResponse, 'query_id'> = {
    results,
    ...(facets && { facets }),
    ...(explain && { explain }),
  }
  const bytes = Buffer.from(JSON.stringify(rest).slice(1))
  shared.set(results, bytes)
  return bytes
}
