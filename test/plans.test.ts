/**
 * The wishes of eval/plans*.jsonl can all be satisfied from the demo catalog, and their scorer
 * finds what is wrong with a plan.
 */
import { describe, expect, test } from 'vitest'
import { meets, readKinds, readShelf, type Shelved } from '../eval/plans.shelf.ts'
import {
  CLASSES,
  type Fault,
  faultsOfChoice,
  faultsOfPlan,
  type JudgedLine,
  type JudgedPlan,
  LARGEST_SHARE,
  type PlanRole,
  type PlanWish,
  RATING_FLOOR,
  readPlanWishes,
  roleOf,
  scorePlan,
} from '../eval/plans.ts'

const shelf = readShelf()
const wishes = readPlanWishes()
const all = [
  ...wishes,
  ...(
    ['plans.practice', 'plans.lessons', 'plans.strangers', 'plans.fresh', 'plans.newcomers'] as const
  ).flatMap(readPlanWishes),
]
const categories = Object.keys(readKinds())

const piecesOf = ({ quantity = 1 }: PlanRole) => Math.min(...[quantity].flat())
const centsOf = ({ cents }: Shelved) => cents ?? Infinity

function lineOf(product: Shelved, quantity = 1): JudgedLine {
  const { slug, category, cents } = product
  return {
    slug: category,
    quantity,
    costCents: (cents ?? 0) * quantity,
    overBudget: false,
    product: { slug },
  }
}

function planOf(lines: JudgedLine[], budget: number | null): JudgedPlan {
  const totalCents = lines.reduce((sum, { costCents }) => sum + (costCents ?? 0), 0)
  return { budgetCents: budget === null ? null : budget * 100, totalCents, lines }
}

/** Everything that may fill a role, cheapest first. */
function optionsOf(wish: PlanWish, role: PlanRole): Shelved[] {
  const most = wish.budget === null || role.main ? Infinity : wish.budget * 100 * LARGEST_SHARE
  return role.in
    .flatMap((category) => shelf.of(category))
    .filter((one) => one.isThing && !one.discontinued && one.rating >= RATING_FLOOR)
    .filter((one) => centsOf(one) * piecesOf(role) <= most)
    .filter((one) => faultsOfChoice(wish, one, piecesOf(role)).length === 0)
    .sort((a, b) => centsOf(a) - centsOf(b))
}

/**
 * The cheapest plan that fills every required role. What may fill a role depends on no other role, but for the one that
 * must cost most: it takes the cheapest that does.
 */
function cheapestPlan(wish: PlanWish): JudgedPlan {
  const required = wish.roles.filter((role) => role.required !== false)
  const plain = required
    .filter((role) => !role.costliest)
    .flatMap((role) =>
      optionsOf(wish, role)
        .slice(0, 1)
        .map((one) => lineOf(one, piecesOf(role))),
    )
  const largest = Math.max(0, ...plain.map(({ costCents }) => costCents ?? 0))
  const costly = required
    .filter((role) => role.costliest)
    .flatMap((role) => {
      const enough = optionsOf(wish, role).find((one) => centsOf(one) * piecesOf(role) >= largest)
      return enough ? [lineOf(enough, piecesOf(role))] : []
    })
  return planOf([...plain, ...costly], wish.budget)
}

describe('the wishes', () => {
  test('are 60 for tuning and 60 that are scored, of every class in both', () => {
    for (const set of ['tuning', 'scored'] as const) {
      const some = wishes.filter((wish) => wish.set === set)
      expect(some, set).toHaveLength(60)
      for (const kind of CLASSES)
        expect(some.filter((wish) => wish.class === kind).length, `${set} ${kind}`).toBeGreaterThanOrEqual(4)
    }
    expect(new Set(all.map(({ query }) => query)).size).toBe(all.length)
  })

  test('name known categories and brands, and no category in two roles', () => {
    const brands = new Set(categories.flatMap((category) => shelf.of(category).map(({ brand }) => brand)))
    for (const { query, roles, welcome = [], must_not_have = [], brands_not = [] } of all) {
      const filled = roles.flatMap((role) => role.in)
      for (const slug of [...filled, ...welcome, ...must_not_have]) expect(categories, query).toContain(slug)
      for (const brand of brands_not) expect(brands, query).toContain(brand)
      expect(new Set(filled).size, query).toBe(filled.length)
      expect(
        filled.filter((slug) => must_not_have.includes(slug)),
        query,
      ).toEqual([])
      expect(
        roles.some((role) => role.required !== false),
        query,
      ).toBe(true)
    }
  })

  test('every one is satisfied by a plan of demo products within its budget', () => {
    for (const wish of all) expect(scorePlan(wish, cheapestPlan(wish), shelf), wish.query).toEqual([])
  })
})

test('plans.kinds.json names products of its categories, each once', () => {
  for (const [category, { not, special }] of Object.entries(readKinds())) {
    const slugs = shelf.of(category).map(({ slug }) => slug)
    const named = [...not, ...Object.values(special).flat()]
    expect(slugs.length, category).toBeGreaterThan(0)
    for (const slug of named) expect(slugs).toContain(slug)
    expect(new Set(named).size, category).toBe(named.length)
  }
})

test('a need is read from specs, text and title', () => {
  const tent = shelf.find('fellmarrow-wisp-1p')
  if (!tent) throw new Error('no such tent')
  expect(meets(tent, { spec: 'Packed weight', max: 0.48 })).toBe(true)
  expect(meets(tent, { spec: 'Packed weight', max: 0.4 })).toBe(false)
  expect(meets(tent, { spec: 'No such spec', min: 1 })).toBe(false)
  expect(meets(tent, { not: 'shelter' })).toBe(false)
  expect(meets(tent, { any: [{ text: 'inflatable' }, { is: [tent.slug] }] })).toBe(true)
  expect(meets(tent, { in: 'laptops', text: 'inflatable' })).toBe(true)
})

describe('the scorer', () => {
  const wish: PlanWish = {
    query: 'desk, two chairs and a quiet keyboard for $1500, nothing from Tessivo, I have a lamp',
    set: 'tuning',
    class: 'list',
    budget: 1500,
    roles: [
      { name: 'desk', in: ['standing-desks'], named: true },
      { name: 'chairs', in: ['office-chairs'], quantity: 2, named: true, cap: 350, main: true },
      { name: 'keyboard', in: ['mechanical-keyboards'], share: { max: 0.1 }, needs: [{ text: 'silent' }] },
      { name: 'mouse', in: ['computer-mice'], required: false },
    ],
    welcome: ['webcams'],
    must_not_have: ['desk-lamps'],
    brands_not: ['Tessivo'],
  }
  const take = (slug: string, quantity = 1, more: Partial<JudgedLine> = {}): JudgedLine => {
    const product = shelf.find(slug)
    if (!product) throw new Error(`no product ${slug}`)
    return { ...lineOf(product, quantity), ...more }
  }
  const right = { desk: take('meridesk-rise-duo'), chairs: take('meridesk-tallow-2', 2) }
  const keyboard = take('kestwick-quietkeys-q108')
  const kindsOf = (lines: JudgedLine[]): Array<Fault['kind']> =>
    scorePlan(wish, planOf(lines, 1500), shelf).map(({ kind }) => kind)
  const withThe = (
    changed: Partial<Record<'desk' | 'chairs' | 'keyboard', JudgedLine>>,
    more: JudgedLine[] = [],
  ) => kindsOf([...Object.values({ ...right, keyboard, ...changed }), ...more])

  test('finds nothing wrong with a plan that satisfies the wish', () => {
    expect(withThe({})).toEqual([])
    expect(withThe({}, [take('grevisk-b2-basic'), take('lumaro-facet-mini')])).toEqual([])
  })

  test.each<[string, Array<Fault['kind']>, Array<Fault['kind']>]>([
    ['a missing role', kindsOf([right.desk, right.chairs]), ['role missing']],
    ['an accessory', withThe({ desk: take('brightquill-riser-32') }), ['not the thing']],
    ['a special kind', withThe({ desk: take('paperlane-sprout') }), ['special kind']],
    ['a requirement', withThe({ keyboard: take('grevisk-k1-full') }), ['requirement']],
    ['too costly a part', withThe({ keyboard: take('brightquill-longhand-tkl') }), ['price sanity']],
    ['a category that nobody asked for', withThe({}, [take('tamrel-snackbox-2')]), ['forbidden']],
    ['what is owned', withThe({}, [take('brightquill-scholar')]), ['already owned']],
    ['a brand', withThe({ desk: take('tessivo-elbow-l63'), chairs: take('oriso-cove', 2) }), ['brand']],
    [
      'a cap',
      withThe({ desk: take('hearthline-alcove-36'), chairs: take('hearthline-alder-executive', 2) }),
      ['cap'],
    ],
    ['a quantity', withThe({ chairs: take('meridesk-tallow-2') }), ['quantity']],
    ['a poor rating', withThe({ desk: take('halvix-lift-40') }), ['rating floor']],
    [
      'a line too large',
      withThe({ desk: take('northvale-hush-38'), chairs: take('oriso-cove', 2) }),
      ['over 45 %'],
    ],
    ['a total over budget', withThe({}, [take('halvix-onair-pro-4k60')]), ['over budget']],
    ['a cost that is not its price', withThe({ desk: { ...right.desk, costCents: 100 } }), ['sums']],
    ['a discontinued product', withThe({ keyboard }, [take('vantrel-deskcam-2')]), ['discontinued']],
    [
      'an empty line',
      withThe({ desk: { ...right.desk, product: null, costCents: null } }),
      ['role missing', 'nothing chosen'],
    ],
    ['a needless over budget', withThe({ desk: { ...right.desk, overBudget: true } }), ['over budget']],
  ])('names %s', (_, found, kinds) => {
    expect(found).toEqual(kinds)
  })

  test('finds a budget that was misread, and a total that is not the sum', () => {
    const lines = [right.desk, right.chairs, keyboard]
    expect(scorePlan(wish, planOf(lines, 2000), shelf).map(({ kind }) => kind)).toEqual(['budget read'])
    const plan = { ...planOf(lines, 1500), totalCents: 1 }
    expect(scorePlan(wish, plan, shelf).map(({ kind }) => kind)).toEqual(['sums'])
  })

  test('lets a named line over budget be, when nothing of its kind fits', () => {
    const lines = [take('northvale-ardent-task', 2), take('kestwick-quietkeys-q108', 1, { overBudget: true })]
    const chairs: PlanWish = {
      ...wish,
      budget: 2400,
      roles: wish.roles.slice(1, 3).map(({ cap: _, ...role }) => ({ ...role, named: true })),
    }
    expect(scorePlan(chairs, planOf(lines, 2400), shelf)).toEqual([])
    expect(roleOf(chairs, 'office-chairs')?.name).toBe('chairs')
  })

  test('judges a plan without a wish by its main thing and by what is named', () => {
    const two = [take('brightquill-scholar'), take('brightquill-easel-22')]
    expect(faultsOfPlan(planOf(two, 500), 50_000, shelf)).toEqual([])
    const three = [take('ottmere-lowline'), take('tamrel-dorm-5'), take('knifewright-workhorse-8')]
    expect(faultsOfPlan(planOf(three, 400), 40_000, shelf).map(({ kind }) => kind)).toEqual(['over 45 %'])
    const lines = [take('brightquill-hopper'), take('kestwick-tenor-16'), take('tessivo-tick')]
    expect(faultsOfPlan(planOf(lines, 1400), 140_000, shelf).map(({ kind }) => kind)).toEqual([
      'not the thing',
      'rating floor',
    ])
  })
})
