/**
 * A client without a will of its own. The first call of a task is what a person's words ask for; each later one must be named
 * on a "Next:" line of an answer, and every id in its arguments is found in an answer. What is not found ends the task.
 */
import type { Service, ToolReply } from '../service.ts'

export type Arguments = Record<string, unknown>
export type Call = { tool: string; args: Arguments; reply: ToolReply }
/** "$slug" stands for the first product that an answer names, "$slug2" for the second, and so on. */
export type Step = [tool: string, args: Arguments]

const PRODUCT = /(?<![\w/.:-])([a-z][a-z0-9]*(?:-[a-z0-9]+)*\/[a-z0-9]+(?:-[a-z0-9]+)+)(?![\w/])/g
const FOUND: Record<string, RegExp> = {
  slug: PRODUCT,
  category: /\(([a-z][a-z0-9-]+)\)|`([a-z][a-z0-9-]+)`|^- ([a-z0-9-]+):/gm,
  request: /request_id ([0-9a-f-]{36})/g,
  quote: /Quote id: ([0-9a-f-]{36})/g,
  total: /total \$([\d,]+(?:\.\d+)?)/g,
  offer: /offer_id ([0-9a-f-]{36})/g,
  plan: /plan_id ([0-9a-f-]{36})/g,
  offset: /offset (\d+)/g,
}
const ID = /^\$([a-z]+)(\d*)$/

/** Runs the steps; the calls that were made, and why it could not go on. */
export async function follow(
  service: Pick<Service, 'call'>,
  token: string,
  steps: readonly Step[],
): Promise<{ calls: Call[]; stuck: string | null }> {
  const calls: Call[] = []
  for (const [tool, wanted] of steps) {
    if (calls.length > 0 && !isNext(tool, calls)) return { calls, stuck: `no "Next:" line names ${tool}` }
    const { args, missing } = filled(wanted, calls)
    if (missing !== null) return { calls, stuck: `no answer has ${missing} for ${tool}` }
    calls.push({ tool, args, reply: await service.call(token, tool, args) })
  }
  return { calls, stuck: null }
}

function isNext(tool: string, calls: readonly Call[]): boolean {
  const named = new RegExp(`\\b${tool}\\b`)
  return calls.some((call) => {
    const next = [...call.reply.text.matchAll(/(?:Next: |more: ).*$/gm)].map(([line]) => line)
    return next.some((line) => named.test(line) || (call.tool === tool && /call again|offset/.test(line)))
  })
}

function filled(wanted: Arguments, calls: readonly Call[]): { args: Arguments; missing: string | null } {
  let missing: string | null = null
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner)]))
    const [, kind, nth] = typeof value === 'string' ? (ID.exec(value) ?? []) : []
    if (kind === undefined) return value
    const found = find(kind, Number(nth || 1), calls)
    if (found === null) missing ??= String(value)
    return kind === 'total' || kind === 'offset' ? Number(found?.replaceAll(',', '')) : found
  }
  const args = fill(wanted) as Arguments
  return { args, missing }
}

/** In the latest answer that has so many; the same id twice counts once. */
function find(kind: string, nth: number, calls: readonly Call[]): string | null {
  const pattern = FOUND[kind]
  if (!pattern) throw new Error(`there is no id called ${kind}`)
  for (const { reply } of calls.toReversed()) {
    const ids = [...reply.text.matchAll(pattern)].flatMap(([, ...groups]) => groups.filter(Boolean))
    const found = [...new Set(ids)][nth - 1]
    if (found !== undefined) return found
  }
  return null
}
