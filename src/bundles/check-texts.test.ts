/** What a text about a plan may not say, in the many ways there are to say it. */
import { describe, expect, test } from 'vitest'
import { candidateOf, categoryOf, passingOver, productOf, wishOf } from '../../test/bundles.ts'
import { createNameTable } from '../search/understand/names.ts'
import { checkTexts, createNamesOther } from './check-texts.ts'
import { planFitting } from './plan.ts'

const wish = wishOf({ query: 'a chair and two lamps for my study under 450 dollars please' })
const throne = productOf('throne', {
  ...{ title: 'Norda Throne Chair', brand: 'Norda', model: 'Throne', priceHighCents: 89_900 },
})
const planned = planFitting({
  budgetCents: 45_000,
  categories: [
    categoryOf(
      'office-chairs',
      [
        candidateOf('perch', 8, {
          title: 'Sitwell Perch 2 Mesh Chair, 500 lb',
          brand: 'Sitwell',
          model: 'Perch 2',
          priceLowCents: 30_000,
          priceHighCents: 34_950,
          rating: 4.5,
          reviewCount: 6_412,
          verdict: 'Free of squeaks, and the Danish mesh breathes.',
        }),
      ],
      { label: 'Office chairs' },
    ),
    categoryOf(
      'desk-lamps',
      [candidateOf('glow', 5, { title: 'Lumo Glow 4K', brand: 'Lumo', model: '27', priceHighCents: 4_000 })],
      {
        label: 'Desk lamps',
        quantity: 2,
      },
    ),
  ],
})
const plan = passingOver(planned, 'office-chairs', throne)
const namesOther = createNamesOther(() => ({
  brands: createNameTable(['Zorbo', 'Black Forest']),
  models: createNameTable(['flare', 'mega seat', 'x900', '2']),
}))
const overview = 'The plan comes to $429.50 of your $450.'
const lamp = 'The Lumo Glow 4K is $40 each, $80 for the 2 of them.'

function refusal(change: { overview?: string; chair?: string; lamp?: string }, among = plan): string | null {
  const chair = change.chair ?? 'The Sitwell Perch 2 costs $349.50.'
  const answer = { overview: change.overview ?? overview, reasonings: [chair, change.lamp ?? lamp] }
  const checked = checkTexts(among, wish, answer, namesOther)
  return 'refused' in checked ? checked.refused : null
}
const ofChair = (more: string) => refusal({ chair: `The Sitwell Perch 2 costs $349.50. ${more}` })

test.each([
  'It holds 4.5 stars over 6,412 reviews.',
  'Reviewers give it 4.5 out of 5.',
  'It is rated 4.5/5, and came 2nd; $300 is the lowest price listed.',
  'The Norda Throne would have been $899, or $549.50 more.',
  'That is 81% of the total and 78 percent of the budget.',
  'About $350 is what it takes.',
  'With the other two lines, the plan keeps to your $450.',
  'Danish mesh keeps it airy, and it is free of squeaks.',
  "It's the highest-ranked of the office chairs that fits; the Throne isn't.",
  'Combining it with the lamps leaves $20.50.',
])('a true sentence may stay: %s', (sentence) => {
  expect(ofChair(sentence)).toBeNull()
})

describe('a figure that is not in the plan', () => {
  test.each([
    'It used to be $499.',
    'It is $ 1.',
    'It costs 349 euros elsewhere, or 360 dollars.',
    'USD 340 is the price.',
    'It costs $3,4950.',
    'Save 20% now.',
    'That is 20 percent less.',
    'It is rated 4.9.',
    'It has 6,413 reviews.',
    'It carries 600 lb.',
    'It costs $349.50k.',
    'It costs $1.2k.',
    'It comes with 3 cushions.',
    'It costs fifty less.',
    'It costs five dollars less.',
    'Nearly a hundred buyers like it.',
    'It is twice as good.',
    'It is a quarter off.',
    'The lamp is $40.',
    'It is the ninth of its kind.',
    'It costs ３４０ dollars.',
    'It costs ٣٤٠.',
    'It costs ½ of that.',
    'It costs $27.',
    'Take 27% more.',
    'It weighs 2x4K5.',
  ])('%s', (sentence) => {
    expect(ofChair(sentence)).toMatch(/^line 1: (a figure|other digits|markup)/)
  })

  test("of another line is no figure of this one; the overview may hold every line's", () => {
    expect(refusal({ lamp: 'The Lumo Glow 4K costs $349.50.' })).toBe(
      'line 2: a figure that is not in the plan',
    )
    expect(refusal({ overview: `${overview} The chair is $349.50 and the lamps $80.` })).toBeNull()
  })
})

describe('a name that is not in the plan', () => {
  test.each([
    'The Zorbo is better.',
    'Zorbo is better.',
    'Get zorbo instead.',
    'Take the mega seat.',
    'Consider Flare.',
    'Better: Quandix.',
    'Quandix makes a better one.',
    'It beats the Herman Aeron.',
    'It beats the iMac.',
    'Sold by QUANDIX.',
    'It is like "Quandix" in use.',
    'Go for a black forest seat.',
  ])('%s', (sentence) => {
    expect(ofChair(sentence)).toBe('line 1: a name that is not in the plan')
  })

  test('is refused with a digit in it too', () => {
    expect(ofChair('Take the x900.')).toMatch(/^line 1: a /)
    expect(ofChair('Look at the Sitwell Perch 3.')).toMatch(/^line 1: a /)
  })
})

test.each([
  ['<b>Good</b> chair.', 'markup'],
  ['See [this](there).', 'markup'],
  ['It is **good**.', 'markup'],
  ['See https://shop.example/x', 'address'],
  ['See shop.example for more.', 'address'],
  ['See www dot shop.', 'address'],
  ['Write to me@shop', 'markup'],
  ['Line\nbreak.', 'markup'],
  ['Zero\u200bwidth.', 'markup'],
  ['Turned \u202e round.', 'markup'],
  ['Nul \u0000 byte.', 'markup'],
  ['A smile \u{1f600} here.', 'markup'],
  ['The \u0405itwell is good.', 'another script'],
  ['It ships free today.', 'promise'],
  ['It has a warranty.', 'promise'],
  ['It is on sale.', 'promise'],
  ['It is the cheapest.', 'promise'],
  ['It is sponsored.', 'promise'],
  ['As an AI, it is good.', 'instructions'],
  ['My instructions say so.', 'instructions'],
  ['You said a chair and two lamps for my study.', 'echo'],
])('refused: %j', (sentence, why) => {
  expect(ofChair(sentence)).toContain(why)
})

test('a text that is too long, too short, or not about its product is refused', () => {
  expect(ofChair('good '.repeat(100))).toBe('line 1: too long')
  expect(refusal({ overview: `${overview} ${'Good. '.repeat(150)}` })).toBe('overview: too long')
  expect(refusal({ lamp: 'Good.' })).toBe('line 2: too short')
  expect(refusal({ lamp: 'A fine choice for the money.' })).toBe('line 2: the product is not named')
  expect(refusal({ overview: 'A fine plan for the money you have.' })).toMatch(/^overview: neither the total/)
})

test('a line over budget must be said to be so, in its text and in the overview', () => {
  const poor = planFitting({ budgetCents: 9_000, categories: poorCategories() })
  const texts = (overview: string, chair: string) => refusal({ overview, chair }, poor)
  const honest = 'The Sitwell Perch 2 at $349.50 is over what is left.'
  expect(texts('With $90 the whole is $429.50, over by $339.50.', honest)).toBeNull()
  expect(texts('With $90 you get all for $429.50.', honest)).toMatch(/^overview: it does not say/)
  expect(
    texts('With $90 the whole is $429.50, over by $339.50.', 'The Sitwell Perch 2 fits at $349.50.'),
  ).toMatch(/^line 1: it does not say/)
})

function poorCategories() {
  const [chair, lamps] = plan.lines.map(({ product }) => product)
  if (!chair || !lamps) throw new Error('the plan is not filled')
  return [
    categoryOf('office-chairs', [candidateOf('perch', 1, chair)], { label: 'Office chairs' }),
    categoryOf('desk-lamps', [candidateOf('glow', 1, lamps)], { label: 'Desk lamps', quantity: 2 }),
  ]
}
