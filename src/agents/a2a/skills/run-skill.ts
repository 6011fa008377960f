/**
 * Runs one of the five skills that answer at once. A request for quote is a task of its own and is not here. Parameters
 * are checked by the skill's one schema, so that a refusal names the field in the caller's words.
 */
import type { z } from 'zod'
import { profileData, profileText } from '../../../catalog/profile.text.ts'
import { parseInput } from '../../../lib/validate.ts'
import { requireProfile } from '../../../search/named-product.ts'
import type { AgentsContext } from '../../context.ts'
import type { A2aCaller } from '../call.ts'
import { browse } from './browse.ts'
import { whatChangedSkill } from './changes.ts'
import { offers } from './offers.ts'
import { LookupParams } from './params.ts'
import { recommend } from './recommend.ts'
import type { QuickSkill, SkillAnswer, SkillId } from './skill.ts'

export type QuickSkillId = Exclude<SkillId, 'request-for-quote'>

type Run = (ctx: AgentsContext, caller: A2aCaller, params: Record<string, unknown>) => Promise<SkillAnswer>

/** `product-lookup`: one profile, whole as data and compact as text. */
const lookup: QuickSkill<typeof LookupParams> = {
  params: LookupParams,
  async run(ctx, { agent }, params) {
    const profile = await requireProfile(ctx, params)
    ctx.reads.count({ productId: profile.id, face: 'a2a', agent })
    const { baseUrl } = ctx.config
    return { text: profileText(profile, baseUrl), data: profileData(profile, baseUrl) }
  },
}

const QUICK_SKILLS: Record<QuickSkillId, Run> = {
  'product-recommendation': checked(recommend),
  'product-lookup': checked(lookup),
  'category-browse': checked(browse),
  'product-offers': checked(offers),
  'what-changed': checked(whatChangedSkill),
}

export async function runSkill(
  ctx: AgentsContext,
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
