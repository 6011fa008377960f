/**
 * A worked plan for the day, for people who have no account yet. The planner makes it from a table of requests: the first,
 * from the day's place in the table on, that at least three categories of this catalog serve within its budget. Nobody
 * waits for it: it is made in the background, from the index alone, so that every node with the same catalog shows the
 * same one. It counts for nobody and is written nowhere.
 */
import type { BundleResponse } from '../bundles/bundles.schema.ts'
import { readWish } from '../bundles/read-wish.ts'
import type { ChangeEvent } from '../catalog/changes.follower.ts'
import type { Db } from '../db/database.ts'
import { inBackground } from '../lib/background.ts'
import { createBreather } from '../lib/breathe.ts'
import { type Clock, DAY_MS } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Search } from '../search/search.service.ts'
import { createBundles } from './bundles.service.ts'

export type DayPlan = {
  /** Differs whenever the plan may. */
  version: string
  wish: string
  response: BundleResponse
  /** Ids of its products. */
  products: string[]
}

export type PlanOfDay = {
  /** What there is now; null while none is made or none fits. One that is missing or outdated is made in the background. */
  current(): DayPlan | null
  /** Waits for it. Null when nothing fits, or while search cannot answer. */
  find(): Promise<DayPlan | null>
  /** Give it the changes after the index has them. */
  apply(events: ChangeEvent[]): void
}

/**
 * What people set up, in the words they use, and the things that belong to it. An operator's catalog may serve any of
 * them; one for which the planner chooses anything else is passed over, because a plan of the day must make sense.
 */
export const WISHES: ReadonlyArray<{ wish: string; things: string }> = [
  {
    wish: 'home office setup under $1,200',
    things:
      'desk, office chair, monitor, desk lamp, laptop, keyboard, computer mouse, webcam, printer, headset, router, bookcase',
  },
  {
    wish: 'camping kit for two under $900',
    things:
      'tent, sleeping bag, camping stove, hiking backpack, sleeping pad, camping lantern, cooler, water filter',
  },
  {
    wish: 'everything for a newborn under $900',
    things: 'stroller, car seat, baby monitor, crib, bassinet, diaper bag, baby carrier, bottle',
  },
  {
    wish: 'podcast starter kit under $600',
    things: 'microphone, headphones, audio interface, microphone stand, webcam, mixer',
  },
  {
    wish: 'home gym starter kit under $500',
    things:
      'adjustable dumbbells, yoga mat, running shoes, kettlebell, resistance bands, exercise bike, treadmill, smartwatch',
  },
  {
    wish: 'kitchen essentials for a first apartment under $800',
    things:
      'chef knife, cookware set, blender, air fryer, espresso machine, coffee grinder, kettle, toaster, cutting board, mixer, microwave',
  },
  {
    wish: 'tent, sleeping bag and camping stove for a first camping trip under $400',
    things: 'tent, sleeping bag, camping stove',
  },
  {
    wish: 'espresso machine, coffee grinder and kettle for $900',
    things: 'espresso machine, coffee grinder, kettle',
  },
  {
    wish: 'gaming setup: monitor, mechanical keyboard, mouse and headphones under $800',
    things: 'monitor, mechanical keyboard, computer mouse, headphones, headset',
  },
  {
    wish: 'garden starter kit under $400',
    things: 'spade, pruner, hose, garden gloves, rake, watering can, planter, wheelbarrow, trowel',
  },
  {
    wish: 'sofa, coffee table and floor lamp for a living room under $2,000',
    things: 'sofa, coffee table, floor lamp, rug, bookcase, tv stand',
  },
  {
    wish: 'drill, saw and tool box for a first workshop under $500',
    things: 'drill, saw, tool box, screwdriver, hammer, workbench',
  },
  {
    wish: 'cleanser, moisturizer and sunscreen under $120',
    things: 'cleanser, moisturizer, sunscreen, serum',
  },
  {
    wish: 'bike, helmet and bike lock for commuting under $1,500',
    things: 'bike, helmet, bike lock, bike light, pannier',
  },
]
const LEAST_LINES = 3
/** A catalog under import changes all the time; a plan whose products stay as they are may be this old. */
const PAUSE_MS = 10_000

export function createPlanOfDay(deps: { db: Db; clock: Clock; log: Log; search: Search }): PlanOfDay {
  const { clock, log, search } = deps
  // Without a language model, whose words would differ between nodes.
  const { sketch } = createBundles({ ...deps, writer: null })
  let made: { day: number; shown: DayPlan | null } | null = null
  let making: Promise<void> | null = null
  let changes = 0
  let madeOf = -1
  let triedAt = Number.NEGATIVE_INFINITY

  let failedAt = Number.NEGATIVE_INFINITY
  /** The model did not answer just now, so nobody waits for it again. */
  const isOutOfReach = () => clock.now().getTime() - failedAt < PAUSE_MS

  const today = () => Math.floor(clock.now().getTime() / DAY_MS)
  const isFresh = () => made?.day === today() && madeOf === changes

  /** Null unless it fills enough lines within its budget, all with things that belong to it. */
  async function planFor({ wish, things }: (typeof WISHES)[number]): Promise<BundleResponse | null> {
    const named = await search.reading((index) => readWish(things, index.vocabulary()).things)
    const belonging = new Set(named.map(({ category }) => category))
    if (belonging.size < LEAST_LINES) return null
    if ((await search.embed(wish)) === null) throw new AppError('unavailable', 'no model answers')
    const response = await sketch({ query: wish })
    const makesSense = response.categories.every(
      ({ slug, product, cost, over_budget }) => belonging.has(slug) && product && cost && !over_budget,
    )
    return makesSense && response.categories.length >= LEAST_LINES ? response : null
  }

  async function idsOf({ categories }: BundleResponse): Promise<string[]> {
    return search.reading((index) =>
      categories.flatMap(({ product }) => index.at(index.findBySlug(product?.slug ?? '') ?? -1)?.id ?? []),
    )
  }

  async function make(): Promise<void> {
    triedAt = clock.now().getTime()
    const [day, seen] = [today(), changes]
    const at = day % WISHES.length
    const breathe = createBreather()
    try {
      // Reading wishes takes a tenth of a second of a node that has just started.
      const isEmpty = await search.reading((index) => index.size === 0)
      for (const one of isEmpty ? [] : [...WISHES.slice(at), ...WISHES.slice(0, at)]) {
        const response = await planFor(one)
        await breathe()
        if (response === null) continue
        made = {
          day,
          shown: { version: `${day} ${seen}`, wish: one.wish, response, products: await idsOf(response) },
        }
        madeOf = seen
        return
      }
      made = { day, shown: null }
      madeOf = seen
    } catch (error) {
      // The index is loading, or no model answers: words alone would choose other things on this node than on others.
      if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error
      failedAt = triedAt
    }
  }

  const makeOnce = () => {
    making ??= make().finally(() => {
      making = null
    })
    return making
  }
  const shown = () => (made?.day === today() ? made.shown : null)

  return {
    current() {
      const mayTry = clock.now().getTime() - triedAt >= PAUSE_MS
      if (!isFresh() && making === null && mayTry) inBackground(log, 'making the plan of the day', makeOnce())
      return shown()
    },
    async find() {
      if (!isFresh() && (making !== null || !isOutOfReach())) await makeOnce()
      return shown()
    },
    apply(events) {
      if (events.length === 0) return
      changes += 1
      failedAt = Number.NEGATIVE_INFINITY
      const products = new Set(made?.shown?.products)
      const isTouched = events.some(({ productId }) => productId === null || products.has(productId))
      if (isTouched) made = null
    },
  }
}
