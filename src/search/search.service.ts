/**
 * The one search behind every face: web, REST, tools and agents. Understand the query, find candidates by meaning and by
 * words among the products that the filters allow, order them by the learned weights, and say why. An answer to the
 * same question is remembered until the catalog or an offer changes. Without an embedder, or when the database that
 * holds the vectors does not answer, words alone decide.
 */
import { createNetworkCount } from '../accounts/network-limit.ts'
import type { SearchFace } from '../db/tables.search.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { inSpan } from '../lib/tracing.ts'
import { type Answer, answerTo, type Begun, beginAnswer, keyOf, type Question, stateOf } from './answer.ts'
import { createAnswerCache } from './answer-cache.ts'
import { type Browsed, type BrowseInput, browseCategory } from './browse.ts'
import { type Candidate, type CandidatesInput, findCandidatesIn } from './candidates.ts'
import { type Catalog, wholeCatalog } from './catalog.ts'
import type { CatalogIndex } from './catalog-index.ts'
import type { Embedder } from './embed/embedder.ts'
import { warnNowAndThen, withinTime } from './embed/in-time.ts'
import type { SaleLookup } from './filters.ts'
import { loadDictionary } from './languages/read-language.ts'
import { requireCategory } from './near-categories.ts'
import { prepareIn, readQuery } from './prepare.ts'
import type { QueryLog } from './query-log.ts'
import type { Learned, RankQuery } from './rank/rank.ts'
import type { SearchResult } from './search.schema.ts'
import { countSearch } from './search-metrics.ts'
import { findOnShelf, type OnShelf, type ShelfInput } from './shelf.service.ts'
import { findSimilar, type SimilarInput } from './similar.ts'
import type { Tuning } from './tuning.ts'
import type { Understood } from './understand/understand.ts'
import { type MaybePromise, MeaningUnavailable } from './vectors/meaning-index.ts'

export type SearchDeps = {
  /** Null until the index has been filled. Where products are fetched for each question, what is held all the time. */
  index: () => CatalogIndex | null
  /** For one question; the index, if none is given. */
  open?: () => Catalog | null
  embedder: Pick<Embedder, 'embedQuery'> | null
  learned: Learned
  sales: SaleLookup
  queryLog: QueryLog
  clock: Clock
  log: Log
}

export type SearchInput = Question & {
  face: SearchFace
  sessionId?: string | null
  /** For who looks up their own product: nobody is counted as shown anything by that. */
  unlogged?: boolean
  /** Of a caller without an account; only so many searches of one network are logged. Left out where an account's quota holds. */
  ip?: string | null
}

/** What the log keeps of an answer. */
type Logged = Pick<Answer, 'productIds' | 'mode'> & Partial<Pick<Answer, 'match' | 'closestId'>>

export type Search = {
  search(input: SearchInput): Promise<Answer & { queryId: string }>
  /** The answer with other rules than those in force; neither remembered nor logged. */
  tried(question: Question, tuning: Tuning): Promise<Answer>
  /** The answer, if it is remembered: the short way for repeated queries. It is logged as any other. */
  remembered(input: SearchInput): (Answer & { queryId: string }) | null
  /** Throws `unavailable` when the vectors cannot be asked. */
  similar(input: SimilarInput): Promise<SearchResult[]>
  browse(input: BrowseInput): MaybePromise<Browsed>
  /** A category's products under the filters of its page, with what narrows them further. Not logged: nothing is searched for. */
  shelf(input: ShelfInput): MaybePromise<OnShelf>
  /** The best products of a category, or of all, discontinued ones left out. Not logged: it is a step, not a search. */
  candidates(input: CandidatesInput): Promise<Candidate[]>
  /** Enters an answer that was made from candidates into the log of queries; gives its query_id. */
  log(input: SearchInput, found: Logged, ms: number): string
  understand(query: string): Understood
  /** What code that only reads finds out in an index. It may be called more than once. */
  reading<T>(look: (index: CatalogIndex) => MaybePromise<T>): MaybePromise<T>
  /**
   * Throws `unavailable` until it has been filled. Categories, rates and rules are always there; whatever else it is asked
   * it refuses where products are fetched for each question: use `reading`.
   */
  index(): CatalogIndex
  /** Null when no embedder answers: then words alone decide. */
  embed(text: string): Promise<Float32Array | null>
  /** What is asked of the vectors, or null when they cannot be asked at the moment. */
  byMeaning<T>(ask: () => MaybePromise<T>): Promise<T | null>
}

const REMEMBERED_ANSWERS = 2_000
/** Of one network on this node. A remembered answer costs nothing and is not limited, but each one logged is a row. */
export const LOGGED_AN_HOUR = 6_000

export function createSearch(deps: SearchDeps): Search {
  const { sales, learned, log } = deps
  // Read now, so that no query waits for it.
  loadDictionary()
  const cache = createAnswerCache<Answer>(REMEMBERED_ANSWERS)
  const logs = createNetworkCount(deps.clock, { count: LOGGED_AN_HOUR, windowMs: 3_600_000 })
  const inTime = deps.embedder && withinTime(deps.embedder.embedQuery)
  const embed = inTime && ((text: string) => inSpan('embed query', {}, () => inTime(text)))
  const warn = warnNowAndThen(log)
  const warnOfVectors = warnNowAndThen(log, 'no vectors')

  const open =
    deps.open ??
    (() => {
      const index = deps.index()
      return index && wholeCatalog(index)
    })

  const readyIndex = () => required(deps.index())
  const ready = () => required(open())

  function required<T>(found: T | null): T {
    if (found) return found
    throw new AppError('unavailable', 'the search index is still loading; try again in a moment', {
      code: 'search_unavailable',
      retryAfterSeconds: 2,
    })
  }

  async function prepare(
    catalog: Catalog,
    query: string,
    tuning?: Tuning,
    meanwhile?: (query: RankQuery) => void,
  ): Promise<RankQuery> {
    if (embed) {
      try {
        return await prepareIn(catalog, query, embed, tuning, meanwhile)
      } catch (error) {
        warn(error)
      }
    }
    return prepareIn(catalog, query, null, tuning)
  }

  /** Asks again by words alone when the vectors cannot be asked. */
  function orByWords<T>(query: RankQuery, ask: (query: RankQuery) => MaybePromise<T>): MaybePromise<T> {
    const found = ask(query)
    if (!(found instanceof Promise)) return found
    return found.catch((error) => {
      if (!(error instanceof MeaningUnavailable)) throw error
      warnOfVectors(error)
      return ask({ ...query, vector: null, plainVector: null })
    })
  }

  async function answer(catalog: Catalog, question: Question, tuning?: Tuning): Promise<Answer> {
    const { category } = question.filters ?? {}
    if (category !== undefined) requireCategory(readyIndex(), category, 'filters.category')
    let begun: Begun | null = null
    const prepared = await prepare(catalog, question.query, tuning, (query) => {
      // Of products that are fetched for each question nothing is there yet.
      const index = deps.open ? null : deps.index()
      begun = index && beginAnswer(index, question, query, sales)
    })
    return orByWords(prepared, (query) =>
      catalog.read((index) => answerTo(index, question, query, { sales, learned, tuning, begun })),
    )
  }

  function addToLog(input: SearchInput, found: Logged, ms: number): string {
    const queryId = newId()
    countSearch(input.face, found.mode, ms === 0 ? null : ms)
    if (input.unlogged || (input.ip !== undefined && !logs(input.ip))) return queryId
    deps.queryLog.add({
      id: queryId,
      at: deps.clock.now(),
      query: input.query,
      filters: { ...input.filters, ...(input.sort && { sort: input.sort }) },
      sessionId: input.sessionId ?? null,
      face: input.face,
      mode: found.mode,
      productIds: found.productIds,
      offset: input.offset ?? 0,
      match: found.match,
      closestId: found.closestId,
      ms,
    })
    return queryId
  }

  function remembered(input: SearchInput): (Answer & { queryId: string }) | null {
    const catalog = open()
    const found = catalog && cache.get(keyOf(input), stateOf(catalog, sales))
    return found ? { ...found, queryId: addToLog(input, found, 0) } : null
  }

  return {
    async search(input) {
      const known = remembered(input)
      if (known) return known
      const started = performance.now()
      const catalog = ready()
      const state = stateOf(catalog, sales)
      const found = await inSpan('search', {}, () => answer(catalog, input))
      // Not cached: the next caller gets the embedder's answer once it is back.
      if (found.mode === 'semantic' || !embed) cache.set(keyOf(input), state, found)
      return { ...found, queryId: addToLog(input, found, performance.now() - started) }
    },
    async tried(question, tuning) {
      sales.version()
      return answer(ready(), question, tuning)
    },
    remembered,
    async similar(input) {
      // Brings the offers to this moment, as looking for a remembered answer does.
      sales.version()
      try {
        return await ready().read((index) => findSimilar(index, input, sales))
      } catch (error) {
        if (!(error instanceof MeaningUnavailable)) throw error
        throw new AppError(
          'unavailable',
          'similar products are unavailable right now; try again in a moment',
          {
            code: 'search_unavailable',
            retryAfterSeconds: 2,
            cause: error,
          },
        )
      }
    },
    browse(input) {
      sales.version()
      return ready().read((index) => browseCategory(index, input, sales))
    },
    shelf(input) {
      sales.version()
      return ready().read((index) => findOnShelf(index, input, sales))
    },
    async candidates(input) {
      const catalog = ready()
      sales.version()
      return orByWords(await prepare(catalog, input.query), (query) =>
        catalog.read((index) => findCandidatesIn(index, query, learned, input, sales)),
      )
    },
    log: addToLog,
    understand: (query) => readQuery(readyIndex(), query).understood,
    reading: (look) => ready().read(look),
    index: readyIndex,
    embed: async (text) => {
      try {
        return (await embed?.(text)) ?? null
      } catch (error) {
        warn(error)
        return null
      }
    },
    async byMeaning(ask) {
      try {
        return await ask()
      } catch (error) {
        if (!(error instanceof MeaningUnavailable)) throw error
        warnOfVectors(error)
        return null
      }
    },
  }
}
