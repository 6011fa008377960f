/**
 * An operation, declared once beside its feature: who may run it, what it takes, what it does. Its REST routes, their
 * published descriptions and its tool are made from the declaration; a face adds only what is its own (a path, words, the
 * form of its answer). The right is checked by the service, inside the transaction; what is declared here is what the
 * tests of authorization hold it to.
 */
import type { Hono, Context as HttpContext } from 'hono'
import type { z } from 'zod'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import type { Answer, Operation as Published } from '../http/operation.ts'
import { parseInput } from '../lib/validate.ts'
import type { Tool, ToolAnswer, ToolCall } from '../tools/define-tool.ts'

/** Everybody; people with an account; members of an organization by what their role allows. */
export type Right = 'public' | 'person' | 'read' | 'oversee' | 'edit' | 'manage'

type Caller = 'anyone' | 'session' | 'session or link token' | 'session or access token'

/** What stands in a path between braces is a part of the input, beside what is read. */
type InPath = 'id'

type Route<Input, Result> = {
  path: string
  caller: Caller
  /** Reads the body; of GET the query, of DELETE the query or else the body. Nothing is read when it is left out. */
  input?: z.ZodType<Input | Omit<Input, InPath>>
  /** Cache-Control of the answer; a refusal has none. */
  cache?: string
  answer: { status: 200 | 201; of(result: Result): unknown }
}

type PublishedFace<Input, Result> = Omit<Published, 'body' | 'answers' | 'caller'> & {
  openapi?: true
  /** `input` with what the published description says beyond it. */
  body?: z.ZodType
  answer: Omit<Answer, 'content'> & { schema: z.ZodType }
} & Route<Input, Result>

export type RestFace<Input, Result> =
  | PublishedFace<Input, Result>
  /** A route that /openapi.json does not have. */
  | (Route<Input, Result> & { openapi: false; method: Published['method'] })

export type ToolFace<Context, Input, Result> = Pick<
  Tool<unknown>,
  'name' | 'title' | 'description' | 'audience' | 'effects' | 'openWorld' | 'slow' | 'output'
> & {
  input: z.ZodType<Input>
  answer(result: Result, ctx: Context, input: Input): ToolAnswer
}

type Declared<Context, Action, Input, Result> = {
  right: Right
  run(ctx: Context, action: Action, input: Input): Promise<Result>
  /** The change shows on pages: an answer waits until this node shows it. */
  shows?: true | ((input: NoInfer<Input>) => boolean)
  rest?: Array<RestFace<NoInfer<Input>, NoInfer<Result>>>
  tool?: ToolFace<NoInfer<Context>, NoInfer<Input>, NoInfer<Result>>
}

/** Resolves when this node shows what was committed before the call. */
type Shown = { shown(): Promise<void> }

export type Mounting<Context, Action> = {
  /** `shown` is for operations that show something. */
  ctx: Context & Partial<Shown>
  /** Who calls, by what a route allows. */
  guards: Partial<Record<Caller, (c: HttpContext<HttpEnv>) => Promise<Action>>>
}

export type Operation<Context, Action> = {
  right: Right
  /** As /openapi.json has them. */
  published: Published[]
  mount(app: Hono<HttpEnv>, by: Mounting<Context, Action>): void
}

type Acting = Pick<ToolCall, 'caller' | 'visit'>

export function defineOperation<Context, Action, Input, Result>(
  declared: Declared<Context, Action, Input, Result> & {
    tool: ToolFace<NoInfer<Context>, NoInfer<Input>, NoInfer<Result>>
  },
): Operation<Context, Action> & { tool: Tool<Context & Shown> }
export function defineOperation<Context, Action, Input, Result>(
  declared: Declared<Context, Action, Input, Result>,
): Operation<Context, Action>
export function defineOperation<Context, Action, Input, Result>({
  right,
  run,
  shows,
  rest = [],
  tool,
}: Declared<Context, Action, Input, Result>): Operation<Context, Action> & { tool?: Tool<Context & Shown> } {
  const runAndShow = async (ctx: Context & Partial<Shown>, action: Action, input: Input) => {
    const result = await run(ctx, action, input)
    if (typeof shows === 'function' ? shows(input) : shows) await ctx.shown?.()
    return result
  }
  return {
    right,
    published: rest.flatMap((route) => (route.openapi === false ? [] : [publishedOf(route)])),
    ...(tool && {
      tool: {
        ...tool,
        async run(ctx: Context & Shown, call: ToolCall, input: unknown) {
          // A tool's caller is one of those that every action takes, and its input has passed the schema.
          const result = await runAndShow(ctx, call satisfies Acting as Action, input as Input)
          return tool.answer(result, ctx, input as Input)
        },
      },
    }),
    mount(app, { ctx, guards }) {
      for (const { method, path, caller, input, cache, answer } of rest) {
        const guard = guards[caller]
        if (!guard) throw new Error(`${path} is mounted without a guard for: ${caller}`)
        const routed = path.replace(/\/$/, '').replaceAll(/\{(\w+)\}/g, ':$1')
        app.on(method.toUpperCase(), routed, async (c) => {
          const action = await guard(c)
          const read = input && (await readInput(c, method, input))
          const given = routed.includes(':') ? { ...read, ...c.req.param() } : read
          const result = await runAndShow(ctx, action, given as Input)
          if (cache) c.header('Cache-Control', cache)
          return c.json(answer.of(result), answer.status)
        })
      }
    },
  }
}

function publishedOf<Input, Result>(route: PublishedFace<Input, Result>): Published {
  const { openapi: _, cache: ___, input, body = input, answer, ...face } = route
  const { of: __, schema, ...words } = answer
  return { ...face, ...(body && { body }), answers: [{ ...words, content: { 'application/json': schema } }] }
}

/** By the method declared: a HEAD request is answered by the route of GET. */
async function readInput<Input>(
  c: HttpContext<HttpEnv>,
  method: RestFace<never, never>['method'],
  input: z.ZodType<Input>,
): Promise<Input> {
  if (method === 'get') return parseInput(input, c.req.query())
  const inQuery = method === 'delete' ? input.safeParse(c.req.query()) : null
  return inQuery?.success ? inQuery.data : readJson(c, input)
}
