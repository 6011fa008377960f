/**
 * Scores how plain messages to the A2A face are read: `npm run eval -- messages`. Each line of messages.jsonl says which
 * skill a message means and with exactly which parameters, after defaults; a recommendation without parameters means
 * the whole message as its query. The lines of the set `scored` were written before the reader and stand as they were
 * written (its first run had 39 of the 40 right); those of `tuning` came later, many because they were read wrong. Those
 * of `strangers` came last, and nothing is fitted to them: typing errors, courtesy, other languages, two wishes,
 * addresses, injected orders. The day is fixed, so that "by next Friday" has one answer.
 */
import fs from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { type Routed, routeMessage } from '../src/agents/a2a/routing/route-message.ts'
import { SKILL_PARAMS } from '../src/agents/a2a/skills/params.ts'
import { SKILL_IDS, type SkillId } from '../src/agents/a2a/skills/skill.ts'
import { manualClock } from '../src/lib/clock.ts'
import { projectFile } from '../src/lib/paths.ts'
import type { Search } from '../src/search/search.service.ts'
import { createDemoSearch } from './demo.ts'

export const MESSAGE_SETS = ['scored', 'tuning', 'strangers'] as const
export type ExpectedMessage = {
  set: (typeof MESSAGE_SETS)[number]
  message: string
  skill: SkillId | 'unclear'
  /** Another reading that serves as well. */
  or?: SkillId
  params?: Record<string, unknown>
  /** Slugs that the choices offered must hold. */
  options?: string[]
}
export type MessageScore = ExpectedMessage & { routed: Routed; skillRight: boolean; right: boolean }

export const MESSAGES_NOW = '2026-11-15T12:00:00Z'

export function readMessages(): ExpectedMessage[] {
  const lines = fs.readFileSync(projectFile('eval', 'messages.jsonl'), 'utf8').split('\n')
  return lines.filter(Boolean).map((line) => JSON.parse(line) as ExpectedMessage)
}

export async function scoreMessages(search: Search): Promise<MessageScore[]> {
  const clock = manualClock(MESSAGES_NOW)
  const scores: MessageScore[] = []
  for (const expected of readMessages()) {
    const routed = await routeMessage({ search, clock }, expected.message)
    const skill = routed.kind === 'skill' ? routed.skill : 'unclear'
    const judged = skill === expected.or ? { ...expected, skill } : expected
    const skillRight = skill === judged.skill
    scores.push({ ...expected, routed, skillRight, right: skillRight && hasRightParams(judged, routed) })
  }
  return scores
}

function hasRightParams({ message, skill, params, options = [] }: ExpectedMessage, routed: Routed): boolean {
  if (routed.kind === 'unclear')
    return options.every((slug) => routed.options.some((option) => option.includes(slug)))
  if (skill === 'unclear') return false
  const expected = params ?? (skill === 'product-recommendation' ? { query: message } : {})
  const [wanted, got] = [expected, routed.params].map((one) => SKILL_PARAMS[skill].safeParse(one))
  return wanted?.success === true && got?.success === true && isDeepStrictEqual(wanted.data, got.data)
}

export async function reportMessages(): Promise<void> {
  const search = await createDemoSearch()
  const scores = await scoreMessages(search)
  for (const set of MESSAGE_SETS) {
    const own = scores.filter((score) => score.set === set)
    process.stdout.write(`\n${set}${' '.repeat(22)}messages  skill right  all right\n`)
    for (const skill of [...SKILL_IDS, 'unclear', null] as const) {
      const chosen = own.filter((score) => skill === null || score.skill === skill)
      const count = (right: (score: MessageScore) => boolean) => String(chosen.filter(right).length)
      process.stdout.write(
        `${(skill ?? 'all').padEnd(28)}${String(chosen.length).padStart(8)}${count((one) => one.skillRight).padStart(13)}${count((one) => one.right).padStart(11)}\n`,
      )
    }
  }
  for (const { message, skill, params, routed } of scores.filter(({ right }) => !right))
    process.stdout.write(
      `\nnot as expected: ${message}\n  ${skill} ${JSON.stringify(params ?? {})}\n  ${JSON.stringify(routed)}\n`,
    )
  await search.close()
}
