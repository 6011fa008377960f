/**
 * One batch of a producer's import, in one transaction of the caller. First everything is looked up and each row judged,
 * then all is written: a row that is refused has written nothing. Rules, limits and writes are those of the single calls
 * (claim, enrichment, submission), for many rows in a few statements. Locks as there: organization, its turn, its rows.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Db } from '../db/database.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import type { Act, Producer } from '../orgs/producer.ts'
import { webLink } from './bounded-input.ts'
import { findProfilesById } from './catalog.queries.ts'
import { claimIn, type NewClaim, roomForClaims, verifyIn } from './claim.service.ts'
import { lockImportedEnrichments } from './enrichment.queries.ts'
import { type Proposal, partsOf } from './enrichment.schema.ts'
import { compareWithOpen, holdProposals, type NewProposal, proposeIn } from './enrichment.service.ts'
import { findStandings, type Standing } from './producer-import.queries.ts'
import type { ImportOutcome } from './producer-import.schema.ts'
import { differenceFrom } from './producer-import-rows.ts'
import { createMatcher, identityKey, lookupsOf, type Match, type StatedProduct } from './product-identity.ts'
import type { InputProblem } from './product-input.ts'
import type { ProductProfile } from './profile.ts'
import { canonicalSlug } from './profile.ts'
import { findEvidence } from './relationships.queries.ts'
import { proofOf, type VerifiedVia } from './relationships.schema.ts'
import { type RelationshipHooks, takeTurn } from './relationships.service.ts'
import { findLookalikes, findPendingSubmissions } from './submissions.queries.ts'
import { relationshipOf, storedProduct } from './submissions.schema.ts'
import { isSameContent, roomForSubmissions, type Submitting, submitIn } from './submissions.service.ts'
import { claimsLimit, submissionsLimit, type WaitingLimit } from './waiting-limits.ts'

export type ImportRow = StatedProduct & { row: number; line: number; notes: string[] }
type RowOutcome = { outcome: ImportOutcome; productSlug: string | null; note: string | null }
type Verdict = RowOutcome | { problem: InputProblem }
export type RowResult = { row: number; line: number } & Verdict

/** What earlier batches of a dry run would have added, since none of it is there to be counted. */
export type Carried = { claims: number; submissions: number }

export type BatchContext = {
  producer: Producer
  act: Act
  at: Date
  relationshipHooks: RelationshipHooks
  carried: Carried
  /** Which row of the file spoke first of a product. */
  spokenOf: Map<string, number>
}

export async function importBatch(
  tx: Db,
  ctx: BatchContext,
  rows: readonly ImportRow[],
): Promise<{ results: RowResult[]; added: Carried }> {
  const batch = await openBatch(tx, ctx, rows)
  const results = rows.map((row): RowResult => {
    const verdict = judge(batch, row)
    const place = { row: row.row, line: row.line }
    return 'problem' in verdict ? { ...place, ...verdict } : { ...place, ...verdict, ...noted(row, verdict) }
  })
  const { producer, act, at, relationshipHooks } = ctx
  const doing = { producer, act, at }
  await claimIn(tx, { ...doing, relationshipHooks }, batch.claims)
  await verifyIn(tx, { ...doing, relationshipHooks }, batch.proved)
  await proposeIn(tx, doing, batch.proposals)
  await submitIn(tx, doing, batch.submissions)
  const added = {
    claims: batch.claims.filter(({ via }) => via === null).length,
    submissions: batch.submissions.filter(({ isNew }) => isNew).length,
  }
  return { results, added }
}

type Batch = Awaited<ReturnType<typeof openBatch>>

/** Everything that rows are judged by, in as many statements for a hundred rows as for one. */
async function openBatch(tx: Db, ctx: BatchContext, rows: readonly ImportRow[]) {
  const orgId = ctx.producer.org.id
  await takeTurn(tx, orgId)
  const match = createMatcher(await findLookalikes(tx, lookupsOf(rows)))
  const matches = new Map(rows.map((row) => [row, match(row)]))
  const productIds = [...new Set([...matches.values()].flatMap((found) => idOf(found) ?? []))]
  const profiles = await findProfilesById(tx, productIds)
  const profileOf = new Map(profiles.map((profile) => [profile.id, profile]))
  const differences = new Map<ImportRow, ReturnType<typeof differenceOf>>()
  for (const row of rows) {
    const product = profileOf.get(idOf(matches.get(row)) ?? '')
    if (!product) continue
    differences.set(row, differenceOf(row, product))
    // A difference is read as a proposal is, text by text.
    await turn()
  }
  const differing = rows.flatMap((row) =>
    differences.get(row)?.proposal ? (idOf(matches.get(row)) ?? []) : [],
  )
  await lockImportedEnrichments(tx, { orgId, productIds: differing })
  return {
    ctx,
    type: relationshipOf(ctx.producer.org.orgType),
    matches,
    profileOf,
    differences,
    standings: await findStandings(tx, { orgId, productIds }),
    evidence: await findEvidence(tx, { orgId, productIds }),
    open: (await holdProposals(tx, { orgId, productIds: differing })).open,
    pending: await findPendingSubmissions(tx, { orgId, identityKeys: rows.map(identityKey) }),
    room: {
      claims: (await roomForClaims(tx, ctx.producer.org)) - ctx.carried.claims,
      submissions: (await roomForSubmissions(tx, ctx.producer.org)) - ctx.carried.submissions,
    },
    claims: [] as Array<NewClaim & { id: string }>,
    proved: [] as Parameters<typeof verifyIn>[2][number][],
    proposals: [] as NewProposal[],
    submissions: [] as Submitting[],
  }
}

function idOf(found: Match | undefined): string | undefined {
  return found && 'product' in found ? found.product?.id : undefined
}

function noted({ notes }: ImportRow, { note }: RowOutcome): Pick<RowOutcome, 'note'> {
  return { note: [...notes, ...(note === null ? [] : [note])].join('; ') || null }
}

function judge(batch: Batch, row: ImportRow): Verdict {
  const found = batch.matches.get(row)
  if (found && 'problem' in found) return found
  const product = batch.profileOf.get(idOf(found) ?? '')
  const key = product ? `product ${product.id}` : identityKey(row)
  // Two rows of one product would overrule each other without anybody noticing.
  const first = batch.ctx.spokenOf.get(key) ?? row.row
  batch.ctx.spokenOf.set(key, first)
  if (first !== row.row) return refused(`repeats the product of row ${first}`, 'keep one row per product')
  return product ? judgeKnown(batch, row, product) : judgeNew(batch, row, key)
}

function judgeKnown(batch: Batch, row: ImportRow, product: ProductProfile): Verdict {
  const named = { id: product.id, category: product.category.slug, slug: product.slug }
  const productSlug = canonicalSlug(named)
  const standing = batch.standings.get(product.id) ?? null
  const proved = standing === null || standing.verified ? [] : provedNow(batch, named, standing)
  if (standing && !standing.verified && proved.length === 0)
    return { outcome: 'unchanged', productSlug, note: 'your claim to it is waiting for verification' }
  const claim = (via: VerifiedVia | null) =>
    batch.claims.push({ id: newId(), product: named, type: batch.type, via, evidenceUrl: shopPage(row) })
  const via = standing === null ? proofOf(batch.type, batch.evidence.get(product.id)) : null
  if (standing === null && via === null) {
    if (batch.room.claims <= 0) return overLimit('claimed', claimsLimit(batch.ctx.producer.org))
    batch.room.claims--
    claim(via)
    const note = 'is waiting for verification; import it again afterwards to propose the differences'
    return { outcome: 'claimed', productSlug, note }
  }
  const { proposal, problem } = batch.differences.get(row) ?? {}
  if (problem) return { problem }
  const open = batch.open.get(product.id) ?? []
  // What an import said before gives way to what it says now, and needs no room of its own.
  const replaces = open.filter(({ fromImport }) => fromImport).map(({ id }) => id)
  const { twin, limit } = proposal ? compareWithOpen(proposal, open) : {}
  if (limit && replaces.length === 0) return overLimit('proposed', limit)
  const news = twin ? undefined : proposal
  if (news)
    batch.proposals.push({ id: newId(), productId: product.id, proposal: news, imported: { replaces } })
  const instead = replaces.length > 0 ? ', replacing what an earlier import proposed' : ''
  const proposes = news ? `proposes ${partsOf(news).join(', ')}${instead}` : null
  if (standing?.verified) return { outcome: news ? 'proposed' : 'unchanged', productSlug, note: proposes }
  if (standing === null) claim(via)
  batch.proved.push(...proved)
  const done = standing === null ? 'verified immediately' : 'your claim to it is now verified'
  const note = [done, ...(proposes === null ? [] : [proposes])].join('; ')
  return { outcome: 'claimed', productSlug, note }
}

/** Claims that waited, and that the catalog proves by now: as when they are made again one by one. */
function provedNow(batch: Batch, product: NewClaim['product'], { waiting }: Standing): Batch['proved'] {
  return waiting.flatMap(({ id, type }) => {
    const via = proofOf(type, batch.evidence.get(product.id))
    return via === null ? [] : [{ id, product, type, via }]
  })
}

/** Neither when the row says nothing new. */
function differenceOf(
  { input }: ImportRow,
  product: ProductProfile,
): { proposal?: Proposal; problem?: InputProblem } {
  try {
    const proposal = differenceFrom(product, input)
    return proposal ? { proposal } : {}
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const field = error.field ?? null
    const problem = field === null ? error.message : error.message.replace(`${field}: `, '')
    return { problem: { field: field?.replace(/^fields\./, '') ?? null, problem, fix: 'correct the value' } }
  }
}

function judgeNew(batch: Batch, row: ImportRow, key: string): Verdict {
  const content = {
    product: storedProduct(row.input, row.category),
    productUrl: shopPage(row),
    relationshipType: batch.type,
  }
  const known = batch.pending.get(key)
  if (known && isSameContent(known, content))
    return { outcome: 'unchanged', productSlug: null, note: 'the same proposal is waiting for review' }
  if (!known && batch.room.submissions <= 0)
    return overLimit('proposed', submissionsLimit(batch.ctx.producer.org))
  if (!known) batch.room.submissions--
  batch.submissions.push({ id: known?.id ?? newId(), isNew: !known, identityKey: key, content })
  return { outcome: 'submitted', productSlug: null, note: known ? 'replaces the earlier proposal' : null }
}

/** Where who reviews it can look. */
function shopPage({ input }: ImportRow): string | null {
  const url = input.facts.whereToBuy?.[0]?.url
  return url === undefined ? null : (webLink().safeParse(url).data ?? null)
}

function overLimit(done: 'claimed' | 'proposed', { problem, fix }: WaitingLimit): { problem: InputProblem } {
  return refused(`cannot be ${done}: ${problem}`, fix)
}

/** The words follow "row". */
function refused(problem: string, fix: string): { problem: InputProblem } {
  return { problem: { field: null, problem, fix } }
}
