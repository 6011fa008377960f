/**
 * What an organization's history can be narrowed to. A kind stands for the subjects of actions (`offer` of
 * `offer.created`), so that an action a feature adds later is found under its subject without being named here.
 */
import { z } from 'zod'
import { isUuid } from '../lib/ids.ts'

export const HISTORY_KINDS = ['offers', 'products', 'pricing', 'agent', 'team', 'organization'] as const
export type HistoryKind = (typeof HISTORY_KINDS)[number]

export const SUBJECTS_OF: Record<HistoryKind, readonly string[]> = {
  offers: ['offer'],
  products: ['relationship', 'enrichment', 'submission'],
  pricing: ['pricing'],
  agent: ['integration', 'ucp', 'rfq'],
  team: ['team'],
  organization: ['org', 'token'],
}

/** Null for an action of a subject that no kind has. */
export function kindOf(action: string): HistoryKind | null {
  const subject = action.slice(0, action.indexOf('.'))
  return HISTORY_KINDS.find((kind) => SUBJECTS_OF[kind].includes(subject)) ?? null
}

/** Those who act without being a person or a link token. */
export const NAMELESS_ACTORS = ['operator', 'system'] as const

/** What only an operator does, of all that is in an organization's history. */
export const OPERATOR_ACTIONS: readonly string[] = [
  'enrichment.approved',
  'enrichment.rejected',
  'submission.approved',
  'submission.rejected',
  'relationship.rejected',
  'org.unverified',
  'org.renamed',
  'org.rename_declined',
  'org.deactivated',
  'org.reactivated',
]

const LIMIT_MAX = 100
const AN_ACTOR = 'must be the id of a person or link token, operator, or system'
const Day = z.iso.date('must be a day such as 2026-11-05')

function isActor(text: string): boolean {
  return isUuid(text) || NAMELESS_ACTORS.some((name) => name === text)
}

/** Days are UTC, and both are part of it. */
export const AuditQuery = z
  .object({
    limit: z.coerce.number('must be a number').int().min(1).max(LIMIT_MAX).default(50),
    before: z.uuid('must be the id of an entry').optional(),
    kind: z.enum(HISTORY_KINDS).optional(),
    actor: z.string().refine(isActor, AN_ACTOR).optional(),
    from: Day.optional(),
    to: Day.optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['to'],
    error: 'must not be before the first day',
  })
export type AuditQuery = z.infer<typeof AuditQuery>
