import { describe, expect, test } from 'vitest'
import { candidateOf, categoryOf, productOf, wishOf } from '../../test/bundles.ts'
import { fits } from './fit.ts'
import { planFitting } from './plan.ts'
import { writePlan } from './write-plan.ts'

const laptop = (inches: string) =>
  productOf(`laptop-${inches}`, {
    category: { slug: 'laptops', label: 'Laptops' },
    shortSpecs: `Display: ${inches}-inch 1920 x 1080\nKeyboard: 1.5 mm travel\nWeight: 1.7 kg\n`,
  })
const bag = (shortSpecs: string) =>
  productOf('bag', { category: { slug: 'bags', label: 'Bags' }, shortSpecs })

describe('one thing holds another', () => {
  test.each([
    ['Laptop sleeve: 16 in, padded\n', '15.6', true],
    ['Laptop sleeve: 15.5 in\n', '15.6', true],
    ['Laptop sleeve: 14 in\n', '15.6', false],
    ['Laptop sleeve: Felt, to 36 cm\n', '14', true],
    ['Laptop sleeve: No\n', '14', false],
    ['Laptop sleeve: padded\n', '14', null],
    ['Volume: 30 L\n', '14', undefined],
  ])('%j and %s inches: %s', (specs, inches, verdict) => {
    expect(fits(bag(specs), laptop(inches))).toBe(verdict)
  })

  test('by size and weight within a range', () => {
    const arm = productOf('arm', { shortSpecs: 'Monitor size: 17 to 32 in\nMax monitor weight: 9 kg\n' })
    const monitor = (shortSpecs: string) =>
      productOf('monitor', { category: { slug: 'monitors', label: 'Monitors' }, shortSpecs })
    expect(fits(arm, monitor('Size: 27 inches\nWeight: 6 kg\n'))).toBe(true)
    expect(fits(arm, monitor('Size: 49 inches\nWeight: 8 kg\n'))).toBe(false)
    expect(fits(arm, monitor('Size: 14 inches\n'))).toBe(false)
    expect(fits(arm, monitor('Size: 27 inches\nWeight: 14.1 kg with stand\n'))).toBe(false)
    expect(fits(arm, monitor('Resolution: 3840 x 2160\n'))).toBe(null)
  })

  test('by the name of a bed', () => {
    const sheet = productOf('sheet', { shortSpecs: 'Mattress size: Queen\n' })
    const mattress = (sizes: string) =>
      productOf('m', {
        category: { slug: 'mattresses', label: 'Mattresses' },
        shortSpecs: `Size: ${sizes}\n`,
      })
    expect(fits(sheet, mattress('Queen'))).toBe(true)
    expect(fits(sheet, mattress('King'))).toBe(false)
  })

  test('what is built in is no demand', () => {
    const keyboard = productOf('k', { category: { slug: 'keyboards', label: 'Keyboards' } })
    expect(fits(laptop('14'), keyboard)).toBe(undefined)
  })
})

describe('a plan', () => {
  const price = { priceLowCents: 5_000, priceHighCents: 5_000, rating: 4.5, reviewCount: 100 }
  const bags = (specs: string[]) =>
    categoryOf(
      'bags',
      specs.map((shortSpecs, at) => candidateOf(`bag-${at}`, 5 - at, { ...price, shortSpecs })),
      { label: 'Bags' },
    )
  const laptops = categoryOf(
    'laptops',
    [
      candidateOf('laptop', 5, {
        ...price,
        category: { slug: 'laptops', label: 'Laptops' },
        shortSpecs: 'Display: 15.6-inch\n',
      }),
    ],
    { label: 'Laptops' },
  )
  const plan = (specs: string[]) => planFitting({ budgetCents: 20_000, categories: [laptops, bags(specs)] })

  test('takes the bag that holds the laptop before a better one that is too small', () => {
    const { lines } = plan(['Laptop sleeve: 13 in\n', 'Laptop sleeve: 16 in\n', 'Volume: 30 L\n'])
    expect(lines[1]).toMatchObject({ product: { slug: 'bag-1' }, because: { holds: { fits: true } } })
  })

  test('says that it is unknown where none that states it is known', () => {
    const unknown = plan(['Laptop sleeve: padded\n'])
    expect(unknown.lines[1]?.because.holds).toEqual({ label: 'Laptops', fits: null })
    expect(writePlan(unknown, wishOf()).reasonings['bags']).toContain('Check that it fits the laptop')
    const small = plan(['Laptop sleeve: 13 in\n'])
    expect(writePlan(small, wishOf()).reasonings['bags']).toContain('It does not fit the laptop')
  })
})
