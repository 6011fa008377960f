/** REST: what /openapi.json describes, made from its schemas and examples, and the routes beside it, from samples by hand. */
import type { Maker, Turn } from './attempt.ts'
import { type CallerKind, callerFor } from './callers.ts'
import { fuzzed, type Good } from './making.ts'
import { REST_SAMPLES } from './rest.samples.ts'
import { type Filling, fill, type Schema } from './schema.ts'

type Parameter = { name: string; in: string }
type Described = {
  operationId?: string
  security?: Array<Record<string, unknown>>
  parameters?: Parameter[]
  requestBody?: {
    content?: Record<string, { schema?: Schema; examples?: Record<string, { value?: unknown }> }>
  }
}
export type OpenApi = {
  paths: Record<string, Record<string, Described>>
  components?: { schemas?: Record<string, Schema> }
}

const CALLERS: ReadonlyArray<[string, readonly CallerKind[]]> = [
  ['linkToken', ['producer', 'link token', 'link token']],
  ['session', ['producer', 'shopper']],
]

export function createRestMaker(document: OpenApi): Maker {
  const follow = (ref: string) => document.components?.schemas?.[ref.split('/').at(-1) ?? '']
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

  function makeDescribed(turn: Turn): Good {
    const { path, method, operation } = turn.pick(described)
    const names = (operation.security ?? []).flatMap((scheme) => Object.keys(scheme))
    const likely = CALLERS.find(([scheme]) => names.includes(scheme))?.[1] ?? ['nobody', 'shopper']
    const caller = callerFor(turn, path, likely)
    const filling: Filling = { turn, sells: caller.sells, follow }
    const body = operation.requestBody?.content?.['application/json']
    return {
      face: 'rest',
      operation: `${method} ${path}`,
      method,
      path: fillPath(turn, path),
      caller,
      ...(body && { json: fillBody(filling, body) }),
    }
  }

  function makeSample(turn: Turn): Good {
    const { route, callers, json, query } = turn.pick(REST_SAMPLES)
    const [method = '', path = ''] = route.split(' ')
    const caller = callerFor(turn, path, callers)
    const filling = { turn, sells: caller.sells, follow }
    return {
      face: 'rest',
      operation: route,
      method,
      path: fillPath(turn, path),
      caller,
      ...(json && { json: json(filling) }),
      query: query?.(filling) ?? [],
    }
  }

  return {
    face: 'rest',
    weight: 30,
    run: (turn) => turn.send(fuzzed(turn, turn.chance(0.55) ? makeDescribed(turn) : makeSample(turn))),
  }
}

type Body = { schema?: Schema; examples?: Record<string, { value?: unknown }> }

/** An example is of another catalog: what it names is put into ours. */
function fillBody(filling: Filling, { schema = {}, examples = {} }: Body): unknown {
  const { turn } = filling
  const values = Object.values(examples).flatMap(({ value }) => (value === undefined ? [] : [value]))
  if (values.length === 0 || turn.chance(0.5)) return fill(filling, schema)
  const value = structuredClone(turn.pick(values))
  if (typeof value !== 'object' || value === null) return value
  for (const name of Object.keys(value))
    if (/slug$|_id$/.test(name)) Object.assign(value, { [name]: fill(filling, { type: 'string' }, name) })
  return value
}

export function fillPath(turn: Turn, path: string): string {
  const { category, slug } = turn.pick(turn.people.products)
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'category') return category
    if (name === 'slug') return slug
    return turn.known.id(turn, name === 'id' ? 'rfq_id' : name)
  })
}
