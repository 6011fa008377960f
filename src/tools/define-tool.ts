/**
 * What a tool is, for the feature that offers it: a name, words for the model that chooses it, one schema for what goes
 * in and one for what comes out, and a function that calls the same service as REST and pages do. How tools are listed
 * and called is the tool server's affair (agents/mcp). A refusal is an AppError, as everywhere.
 */
import type { z } from 'zod'
import type { AccessTokenActor } from '../accounts/actor.ts'
import type { Visit } from '../accounts/context.ts'

/** Who sees it in the list: everybody, or people who act for an organization. */
export type Audience = 'everyone' | 'producers'

/** What a client may assume before it calls; it must be true. */
export type Effects =
  /** Changes nothing that anybody could see. */
  | { readOnly: true }
  /** `destructive`: may undo or replace what was there. `idempotent`: the same call again changes nothing more. */
  | { readOnly: false; destructive: boolean; idempotent: boolean }

export type ToolCall = {
  caller: AccessTokenActor
  visit: Visit
  /** Aborted when the client has gone or the node stops. */
  signal(): AbortSignal
  /** Told to clients that asked for it; `message` is one short line of ours. */
  progress(step: { done: number; total?: number; message?: string }): void
}

/** The text is what a model reads, complete by itself; the data has the same facts by the names of the output schema. */
export type ToolAnswer<Data = Record<string, unknown>> = {
  text: string
  data: Data
  /** The same answer is given to many calls: for as long as `of` lives it is written out once, but for `except` in it. */
  lasting?: { of: object; except?: string }
}

type Words = {
  /** Frozen once released. */
  name: string
  title: string
  /** The first sentence says it all: some clients show a model no more. */
  description: string
  audience: Audience
  effects: Effects
  /** Reaches beyond this service: producers' agents, a feed's address. */
  openWorld?: boolean
  /** Takes long enough that a client may want to hear how far it is. */
  slow?: boolean
}

export type Tool<Context> = Words & {
  input: z.ZodType
  output: z.ZodType
  /** `input` has passed the schema. */
  run(ctx: Context, call: ToolCall, input: unknown): Promise<ToolAnswer>
}

export function defineTool<Context, Input extends z.ZodType, Output extends z.ZodType>(
  tool: Words & {
    input: Input
    output: Output
    run(ctx: Context, call: ToolCall, input: z.output<Input>): Promise<ToolAnswer<z.input<Output>>>
  },
): Tool<Context> {
  return tool as Tool<Context>
}
