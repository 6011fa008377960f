/**
 * The operator's search rules and judged queries: kept in the database, in force on every node through the log of
 * changes. The operator sees first what a rule would do to a query, and to all queries that have been judged.
 */
import { z } from 'zod'
import { type AuditActor, recordAudit } from '../accounts/audit.service.ts'
import { recordChanges } from '../catalog/changes.service.ts'
import { parseSlug } from '../catalog/select-products.ts'
import type { Db, Tx } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import { cleanLine } from '../lib/text.ts'
import type { Answer } from './answer.ts'
import { ndcg } from './ndcg.ts'
import type { Search } from './search.service.ts'
import {
  countJudged,
  deleteJudgement,
  deleteRule,
  findJudgements,
  findRules,
  findTarget,
  insertRule,
  type Judgement,
  type JudgementPage,
  lockRules,
  RULE_KINDS,
  type RuleKind,
  type StoredRule,
  upsertJudgements,
} from './tuning.queries.ts'
import {
  compileTuning,
  MOST_BOOST,
  queryKey,
  SYNONYM_WEIGHTS,
  type Tuning,
  type TuningRule,
} from './tuning.ts'

export { type Judgement, RULE_KINDS, type RuleKind, type StoredRule }

type Context = { db: Db; clock: Clock }

/** Each is looked at by every query. */
export const MOST_RULES = 2_000
const MOST_WORDS = 12
/** Each query is searched twice. */
export const MOST_JUDGED = 500
const DEPTH = 10

const line = (max: number) => z.string().max(max).transform(cleanLine)

export const RuleInput = z
  .object({
    kind: z.enum(RULE_KINDS, 'choose what the rule does'),
    words: line(300).default(''),
    query: line(300).default(''),
    target: z.enum(['product', 'brand', 'category']).default('product'),
    name: line(300).default(''),
    strength: z.enum(['same', 'hint']).default('same'),
    place: z.number().int().min(1).max(20).default(1),
    weight: z.number().min(-MOST_BOOST).max(MOST_BOOST).default(1),
  })
  .superRefine(({ kind, words, query, name, weight }, check) => {
    const wrong = (path: string, message: string) => check.addIssue({ code: 'custom', path: [path], message })
    const names = words.split(',').map(queryKey).filter(Boolean)
    if (kind === 'synonym' && new Set(names).size < 2)
      wrong('words', 'needs at least two words with a comma between')
    if (kind === 'synonym' && names.length > MOST_WORDS)
      wrong('words', `must have at most ${MOST_WORDS} words`)
    if (kind === 'synonym' && names.some((one) => one.split(' ').length > 2))
      wrong('words', 'must be single words or pairs of words')
    if (kind === 'pin' && queryKey(query) === '') wrong('query', 'is required')
    if (kind !== 'synonym' && name === '') wrong('name', 'is required')
    if (kind === 'boost' && weight === 0) wrong('weight', 'must not be 0')
  })
export type RuleInput = z.output<typeof RuleInput>

export function listRules(
  ctx: { db: Db },
  filter: { kind?: RuleKind | null; search?: string | null } = {},
): Promise<StoredRule[]> {
  return findRules(ctx.db, filter)
}

/** For a node's index. */
export async function readTuning(ctx: { db: Db }): Promise<Tuning> {
  return compileTuning((await findRules(ctx.db, {})).flatMap(ruleOf))
}

function ruleOf({ kind, query, weight, productId, brand, category }: StoredRule): TuningRule[] {
  if (kind === 'synonym') return [{ kind, words: query.split(','), weight }]
  if (kind === 'pin') return productId === null ? [] : [{ kind, query, productId, place: weight }]
  if (productId !== null) return [{ kind, query, weight, of: { productId } }]
  if (brand !== null) return [{ kind, query, weight, of: { brand } }]
  return category === null ? [] : [{ kind, query, weight, of: { category: category.slug } }]
}

/** The rule that an input makes, for trying it; refused when it names what is not there. */
async function resolve(db: Db, input: RuleInput) {
  const { kind, words, query, target, name, strength, place, weight } = input
  if (kind === 'synonym') {
    const said = words
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean)
      .join(', ')
    const stored = { kind, query: said, weight: SYNONYM_WEIGHTS[strength] }
    return { ...stored, productId: null, brandId: null, categoryId: null }
  }
  const of = kind === 'pin' ? 'product' : target
  const id = await findTarget(db, {
    kind: of,
    name: of === 'product' ? parseSlug(name) : of === 'brand' ? name.toLowerCase() : name,
  })
  if (id === null) throw new AppError('invalid', `there is no ${of} ${name}`, { field: 'name' })
  return {
    ...{ kind, query, weight: kind === 'pin' ? place : weight },
    productId: of === 'product' ? id : null,
    brandId: of === 'brand' ? id : null,
    categoryId: of === 'category' ? id : null,
  }
}

export async function addRule(
  ctx: Context,
  { by, input }: { by: AuditActor; input: RuleInput },
): Promise<{ id: string }> {
  return ctx.db.transaction().execute(async (tx) => {
    const at = ctx.clock.now()
    if ((await lockRules(tx)) >= MOST_RULES)
      throw new AppError(
        'conflict',
        `there are ${MOST_RULES} rules, the most there can be; remove some first`,
      )
    const rule = { id: newId(), ...(await resolve(tx, input)), at }
    await insertRule(tx, rule)
    await tell(tx, at)
    const { at: _, ...detail } = rule
    await recordAudit(tx, { actor: by, action: 'search_rule.added', at, detail })
    return { id: rule.id }
  })
}

export async function removeRule(ctx: Context, { by, id }: { by: AuditActor; id: string }): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const at = ctx.clock.now()
    const [rule] = isUuid(id) ? await findRules(tx, { id }) : []
    if (!rule || !(await deleteRule(tx, id)))
      throw new AppError('not_found', 'this rule is not there any more')
    await tell(tx, at)
    const { kind, query, weight, productId, brand, category } = rule
    const detail = { id, kind, query, weight, productId, brand, category: category?.slug ?? null }
    await recordAudit(tx, { actor: by, action: 'search_rule.removed', at, detail })
  })
}

/** Of no product and no category: every node reads the rules anew. */
function tell(tx: Tx, at: Date): Promise<void> {
  return recordChanges(
    tx,
    [{ productId: null, categoryId: null, aspect: 'text', before: null, after: null }],
    at,
  )
}

export type Compared = { before: Answer; after: Answer }

/** One query with the rules as they are, and with one more; nothing is written, and nothing logged. */
export async function previewRule(
  ctx: Context & { search: Pick<Search, 'tried'> },
  { input, query }: { input: RuleInput; query: string },
): Promise<Compared> {
  const [now, next] = await bothTunings(ctx, input)
  return {
    before: await ctx.search.tried({ query, limit: DEPTH, explain: true }, now),
    after: await ctx.search.tried({ query, limit: DEPTH, explain: true }, next),
  }
}

async function bothTunings(ctx: { db: Db }, input: RuleInput): Promise<[now: Tuning, next: Tuning]> {
  const stored = (await findRules(ctx.db, {})).flatMap(ruleOf)
  const { kind, query, weight, productId } = await resolve(ctx.db, input)
  const { name, target } = input
  const rule: TuningRule =
    kind === 'synonym'
      ? { kind, words: query.split(','), weight }
      : kind === 'pin'
        ? { kind, query, productId: productId ?? '', place: weight }
        : {
            ...{ kind, query, weight },
            of:
              productId !== null ? { productId } : target === 'brand' ? { brand: name } : { category: name },
          }
  return [compileTuning(stored), compileTuning([...stored, rule])]
}

export type Effect = {
  queries: number
  /** Of all judged queries, 0 to 1; the mean NDCG of their first ten. */
  before: number
  after: number
  /** Those that get better or worse, the most first. */
  changed: Array<{ query: string; before: number; after: number }>
  /** How many judged queries were left out, because there are more than MOST_JUDGED. */
  left: number
}

/** What a rule does to the queries that have been judged. */
export async function effectOnJudged(
  ctx: Context & { search: Pick<Search, 'tried'> },
  input: RuleInput,
  signal?: AbortSignal,
): Promise<Effect> {
  const [now, next] = await bothTunings(ctx, input)
  const judged = Map.groupBy(await findJudgements(ctx.db, { limit: 100_000 }), ({ query }) => query)
  const scores: Effect['changed'] = []
  for (const [query, judgements] of [...judged].slice(0, MOST_JUDGED)) {
    signal?.throwIfAborted()
    const grades = new Map(judgements.map(({ slug, grade }) => [slug, grade]))
    const scoreWith = async (tuning: Tuning) => {
      const { results } = await ctx.search.tried({ query, limit: DEPTH }, tuning)
      return ndcg(
        results.map(({ slug }) => slug),
        grades,
        DEPTH,
      )
    }
    scores.push({ query, before: await scoreWith(now), after: await scoreWith(next) })
  }
  const mean = (side: 'before' | 'after') =>
    scores.reduce((sum, score) => sum + score[side], 0) / Math.max(1, scores.length)
  const difference = ({ before, after }: Effect['changed'][number]) => Math.abs(after - before)
  return {
    queries: scores.length,
    before: mean('before'),
    after: mean('after'),
    changed: scores.filter((score) => difference(score) > 1e-6).sort((a, b) => difference(b) - difference(a)),
    left: judged.size - scores.length,
  }
}

export function listJudgements(ctx: { db: Db }, page: JudgementPage): Promise<Judgement[]> {
  return findJudgements(ctx.db, page)
}

export function countJudgedQueries(ctx: { db: Db }): Promise<number> {
  return countJudged(ctx.db)
}

const MOST_LINES = 5_000

/** Lines of "query | product | grade"; the grade is 3 where none is given. A line that means nothing is refused by number. */
export async function addJudgements(
  ctx: Context,
  { by, lines }: { by: AuditActor; lines: string },
): Promise<{ written: number; unknown: number }> {
  const judged = lines.split('\n').flatMap((text, at) => {
    if (text.trim() === '') return []
    const [query = '', name = '', grade = '3'] = text.split('|').map((part) => part.trim())
    if (query === '' || query.length > 300 || name === '' || !/^[1-3]$/.test(grade))
      throw new AppError('invalid', `line ${at + 1} must be: query | product | grade from 1 to 3`, {
        field: 'lines',
      })
    return [{ query: cleanLine(query), slug: parseSlug(name), grade: Number(grade) }]
  })
  if (judged.length === 0) throw new AppError('invalid', 'write at least one line', { field: 'lines' })
  if (judged.length > MOST_LINES)
    throw new AppError('invalid', `must have at most ${MOST_LINES} lines`, { field: 'lines' })
  return ctx.db.transaction().execute(async (tx) => {
    const written = await upsertJudgements(tx, judged)
    const at = ctx.clock.now()
    await recordAudit(tx, { actor: by, action: 'search_judgements.added', at, detail: { written } })
    return { written, unknown: judged.length - written }
  })
}

export async function removeJudgement(
  ctx: Context,
  { by, query, slug }: { by: AuditActor; query: string; slug: string },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await deleteJudgement(tx, query, slug)))
      throw new AppError('not_found', 'this judgement is not there any more')
    const at = ctx.clock.now()
    await recordAudit(tx, { actor: by, action: 'search_judgement.removed', at, detail: { query, slug } })
  })
}
