/**
 * From facts to issues: applies the tables of rules, worst first and always in the same order, so that pages of a list
 * fit together and two callers see the same. Pure.
 */
import { byText } from '../lib/text.ts'
import type { OrgFacts, ProductFacts } from './facts.ts'
import { SEVERITIES, type Severity } from './issue-rule.ts'
import { OFFER_RULES } from './issue-rules.offers.ts'
import { ORG_RULES, SUBMISSION_RULES } from './issue-rules.org.ts'
import { PRODUCT_RULES } from './issue-rules.products.ts'

export type Issue = {
  rule: string
  severity: Severity
  /** Null when it is about the organization, or about a product that it proposed. */
  productSlug: string | null
  /** As the catalog has it: not our words. */
  productTitle: string | null
  offerId: string | null
  /** `title` is the organization's words. */
  submission: { id: string; title: string } | null
  message: string
  fix: string
  /** What the reviewer wrote: not our words. */
  reviewNote: string | null
}

/** The place of each rule: by severity, then as the tables have them. */
const PLACES = new Map(
  [...ORG_RULES, ...SUBMISSION_RULES, ...PRODUCT_RULES, ...OFFER_RULES]
    .map(({ id, severity }) => ({ id, rank: SEVERITIES.indexOf(severity) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ id }, place) => [id, place]),
)

export function orgIssues(org: OrgFacts, now: Date): Issue[] {
  const ofOrg = ORG_RULES.flatMap((rule) => {
    const message = rule.find(org, now)
    return message === null ? [] : [issue(rule, { message })]
  })
  const ofSubmissions = org.rejectedSubmissions.flatMap((submission) =>
    SUBMISSION_RULES.map((rule) => {
      const { message, note } = rule.find(submission)
      const { id, title } = submission
      return issue(rule, { message, submission: { id, title }, reviewNote: note })
    }),
  )
  return [...ofOrg, ...ofSubmissions]
}

export function productIssues(product: ProductFacts, org: OrgFacts, now: Date): Issue[] {
  const of = { productSlug: product.slug, productTitle: product.title }
  const ofProduct = PRODUCT_RULES.flatMap((rule) => {
    const found = rule.find(product, org, now)
    if (found === null) return []
    const { message, note } = typeof found === 'string' ? { message: found, note: null } : found
    return [issue(rule, { message, ...of, reviewNote: note })]
  })
  const ofOffers = product.offers.flatMap((offer) =>
    OFFER_RULES.flatMap((rule) => {
      const message = rule.find(offer, product, now)
      return message === null ? [] : [issue(rule, { message, ...of, offerId: offer.id })]
    }),
  )
  return [...ofProduct, ...ofOffers]
}

/** Rule by rule, because tens of thousands are sorted far sooner so than all at once. */
export function worstFirst(issues: readonly Issue[]): Issue[] {
  return [...Map.groupBy(issues, ({ rule }) => PLACES.get(rule) ?? 0)]
    .sort(([a], [b]) => a - b)
    .flatMap(([, group]) =>
      group.sort(
        (a, b) =>
          byText(a.productSlug ?? '', b.productSlug ?? '') ||
          byText(a.offerId ?? '', b.offerId ?? '') ||
          byText(a.submission?.id ?? '', b.submission?.id ?? ''),
      ),
    )
}

export function worstOf(issues: readonly Issue[]): Severity | null {
  return SEVERITIES.find((severity) => issues.some((one) => one.severity === severity)) ?? null
}

export function countBySeverity(issues: readonly Issue[]): Record<Severity, number> {
  const counts: Record<Severity, number> = { critical: 0, error: 0, warning: 0, suggestion: 0 }
  for (const { severity } of issues) counts[severity]++
  return counts
}

function issue(
  { id, severity, fix }: { id: string; severity: Severity; fix: string },
  found: { message: string } & Partial<Omit<Issue, 'rule' | 'severity' | 'fix' | 'message'>>,
): Issue {
  const nothing = { productSlug: null, productTitle: null, offerId: null, submission: null, reviewNote: null }
  return { rule: id, severity, fix, ...nothing, ...found }
}
