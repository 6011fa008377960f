/** Somebody with a plan of the demo catalog, who edits it over REST. */
import type { PlanResponse } from '../../src/plans/plans.schema.ts'
import { BASE_URL } from '../harness.ts'
import { bundleOf, createPerson, PATTERN } from './bundles.world.ts'
import type { createDemoApp } from './search.world.ts'

type World = Awaited<ReturnType<typeof createDemoApp>>
export type Answered<Body = Record<string, unknown>> = { status: number; headers: Headers; body: Body }

export async function call(
  { app }: Pick<World, 'app'>,
  method: string,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answered> {
  const response = await app.request(`${BASE_URL}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text },
  }
}

export async function createPlanner(world: World, query = PATTERN) {
  const person = await createPerson(world, true)
  const made = bundleOf(await person.search({ query, bundle: true }))
  const id = made.plan_id ?? ''
  const path = `/api/plans/${id}/`
  const headers = { cookie: person.cookie }
  const as = async (method: string, at: string, body?: unknown) =>
    call(world, method, at, { body, headers: { ...headers, origin: BASE_URL } })
  return {
    person,
    made,
    id,
    path,
    as,
    read: async () => planOf(await as('GET', path)),
    tryEdit: (edits: unknown, revision?: number) => as('PATCH', path, { edits, revision }),
    edit: async (...edits: unknown[]) => planOf(await as('PATCH', path, { edits })),
  }
}

export function planOf({ status, body }: Answered): PlanResponse {
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body as unknown as PlanResponse
}

/** What fills each line. */
export function productsOf({ categories }: Pick<PlanResponse, 'categories'>): Record<string, string | null> {
  return Object.fromEntries(categories.map(({ slug, product }) => [slug, product?.slug ?? null]))
}
