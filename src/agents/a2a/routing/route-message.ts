/**
 * Which skill a message in plain words asks for, and with what parameters. An agent that knows the contract sends
 * parameters in `metadata`; this is for those who write a sentence. Reading goes from what is certain to what is not:
 * slugs, then dates, places and quantities, then names (reading.ts). When an action lacks something, or a name fits
 * several products, or a number was left unread, we ask: a wrong quote is worse than a question. What was asked goes
 * with the answer when it comes.
 */
import type { SkillId } from '../skills/skill.ts'
import type { Asked } from './draft.ts'
import { type Context, readWell } from './reading.ts'
import { routeAnswer } from './route-answer.ts'
import { routeReading } from './route-reading.ts'

export type Routed =
  | { kind: 'skill'; skill: SkillId; params: Record<string, unknown> }
  /** `asked` goes with the answer when it comes: without it, "Bavaria" is only a word. */
  | { kind: 'unclear'; question: string; options: string[]; asked: Asked }

export async function routeMessage(ctx: Context, text: string, asked: Asked | null = null): Promise<Routed> {
  return asked ? routeAnswer(ctx, text, asked) : routeReading(ctx, readWell(ctx, text))
}
