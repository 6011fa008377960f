/** An answer as the REST face sends it. What repeated askers share is written out once; only the query_id is new. */

import type { SearchResponse } from './search.schema.ts'
import type { Answer } from './search.service.ts'

const shared = new WeakMap<object, string>()

export function wireBody(answer: Answer & { queryId: string }): string {
  return `{"query_id":"${answer.queryId}",${sharedPart(answer)}`
}

function sharedPart({ results, facets, explain }: Answer): string {
  const known = shared.get(results)
  if (known !== undefined) return known
  const rest: Omit<SearchResponse, 'query_id'> = {
    results,
    ...(facets && { facets }),
    ...(explain && { explain }),
  }
  const text = JSON.stringify(rest).slice(1)
  shared.set(results, text)
  return text
}
