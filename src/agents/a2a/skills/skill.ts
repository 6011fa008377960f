/** What a skill is: named and described on the agent card, its parameters checked by one schema, answered by one service. */
import type { z } from 'zod'
import type { A2aCaller, A2aContext } from '../context.ts'

export const SKILL_IDS = [
  'product-recommendation',
  'product-lookup',
  'category-browse',
  'product-offers',
  'request-for-quote',
  'what-changed',
] as const
export type SkillId = (typeof SKILL_IDS)[number]

/** On the card. */
export type SkillDescription = {
  id: SkillId
  name: string
  description: string
  tags: string[]
  examples: string[]
}

/** A text that a model reads and the same facts as data. */
export type SkillAnswer = { text: string; data: Record<string, unknown> }

export type QuickSkill<Params extends z.ZodType = z.ZodType> = {
  params: Params
  run(ctx: A2aContext, caller: A2aCaller, params: z.output<Params>): Promise<SkillAnswer>
}
