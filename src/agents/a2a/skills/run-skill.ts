/**
 * Runs one of the five skills that answer at once. A request for quote is a task of its own and is not here. Parameters
 * are checked by the skill's one schema, so that a refusal names the field in the caller's words.
 */
import type { z } from 'zod'
import { parseInput } from '../../../lib/validate.ts'
import type { A2aCaller, A2aContext } from '../context.ts'
import { browse } from './browse.ts'
import { whatChangedSkill } from './changes.ts'
import { lookup } from './lookup.ts'
import { offers } from './offers.ts'
import { recommend } from './recommend.ts'
import type { QuickSkill, SkillAnswer, SkillId } from './skill.ts'

export type QuickSkillId = Exclude<SkillId, 'request-for-quote'>

type Run = (ctx: A2aContext, caller: A2aCaller, params: Record<string, unknown>) => Promise<SkillAnswer>

const QUICK_SKILLS: Record<QuickSkillId, Run> = {
  'product-recommendation': checked(recommend),
  'product-lookup': checked(lookup),
  'category-browse': checked(browse),
  'product-offers': checked(offers),
  'what-changed': checked(whatChangedSkill),
}

export async function runSkill(
  ctx: A2aContext,
  caller: A2aCaller,
  skill: QuickSkillId,
  params: Record<string, unknown>,
): Promise<SkillAnswer> {
  const { text, data } = await QUICK_SKILLS[skill](ctx, caller, params)
  // As JSON has it: a date is its ISO text on every way out, and what is undefined is not there.
  return { text, data: JSON.parse(JSON.stringify(data)) as SkillAnswer['data'] }
}

function checked<Params extends z.ZodType>(skill: QuickSkill<Params>): Run {
  return (ctx, caller, params) => skill.run(ctx, caller, parseInput(skill.params, params) as z.output<Params>)
}
