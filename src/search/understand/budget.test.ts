import { describe, expect, it } from 'vitest'
import { findBudget } from './budget.ts'
import { tokenize } from './tokens.ts'

const PRODUCT_WORDS = new Set(['kettle', 'kettles', 'toaster', 'rug'])

function budgetOf(query: string) {
  return findBudget(query, tokenize(query), (word) => PRODUCT_WORDS.has(word))
}

describe('a cap', () => {
  it.each([
    ['toaster under $40', 40],
    ['rug below 300 dollars', 300],
    ['sponge under a dollar', 1],
    ['rug, 400 to spend max', 400],
    ['waffle iron less than 55 bucks', 55],
    ['a kettle that costs less than $35', 35],
    ['garden hose max $60', 60],
    ['garden hose, max 65', 65],
    ['picture frame maximum of 25 dollars', 25],
    ['trail camera up to $120', 120],
    ['rice cooker up to 80 dollars please', 80],
    ['cheaper than $90 umbrella stand', 90],
    ['sub-$50 curling iron', 50],
    ['<$80 bathroom scale', 80],
    ['ukulele <= $150', 150],
    ['sofa table at most 220 dollars', 220],
    ['no more than $75 for a rain coat', 75],
    ['nothing over 60 dollars, wool scarf', 60],
    ['fountain pen not over $45', 45],
    ["I don't want to spend more than 200 on a rug", 200],
    ['wall clock without spending more than $30', 30],
    ['shelf that does not cost more than $70', 70],
    ['budget of 300, coffee table', 300],
    ['coffee table, budget: 250', 250],
    ['my budget is 400 for a bike trailer', 400],
    ['can pay 90 for a kettle', 90],
    ['guitar stand 40 dollars or less', 40],
    ['guitar stand $35 max', 35],
    ['100 dollar budget, birthday drone', 100],
    ['piano bench under 1,200 dollars', 1200],
    ['kayak under $1.5k', 1500],
    ['kayak under a grand', 1000],
    ['canoe for under two grand', 2000],
    ['trumpet under two hundred dollars', 200],
    ['trumpet for less than a hundred and fifty bucks', 150],
    ['under a hundred, gift for my uncle', 100],
    ['spice rack under $ 20', 20],
    ['spice rack under 20usd', 20],
    ['spice rack under US$20', 20],
    ['spice rack under 19.99', 19.99],
    ['under 60 kettle', 60],
    ['kettle 100 max', 100],
    ['hammock at around 100 dollars or less', 100],
    ['kettle 100 bucks max', 100],
    ['easel under 2k', 2000],
    ['bath towels under 145 in green', 145],
    ['two lanterns under $15 each', 15],
    ['4 person picnic set under $60', 60],
    ['12 inch skillet for less than $50', 50],
  ])('%s → at most %s', (query, dollars) => {
    const { budget } = budgetOf(query)
    expect(budget).toMatchObject({
      minCents: null,
      maxCents: Math.round(dollars * 100),
      approximate: false,
    })
  })
})

describe('a floor or a range', () => {
  it.each([
    ['watch over $200', 200, null],
    ['violin at least $300', 300, null],
    ['rug above 500', 500, null],
    ['wedding gift from $50', 50, null],
    ['wedding gift $80 and up', 80, null],
    ['fountain pen $100+', 100, null],
    ['nothing under $40, perfume', 40, null],
    ['not less than 60 dollars, perfume', 60, null],
    ['rug between $100 and $250', 100, 250],
    ['rug between 100 and 250', 100, 250],
    ['rug between a hundred and two hundred dollars', 100, 200],
    ['rug between fifty and a hundred bucks', 50, 100],
    ['lamp from $30 to $60', 30, 60],
    ['lamp $30-$60', 30, 60],
    ['lamp $30–60', 30, 60],
    ['lamp 30 to 60 dollars', 30, 60],
    ['lamp 30-60 bucks', 30, 60],
    ['sofa 1-2k dollars', 1000, 2000],
    ['sofa 2 to 3 hundred dollars', 200, 300],
    ['rug between $250 and $100', 100, 250],
    ['easel more than $40 but less than $70', 40, 70],
    ['headset 80-120', 80, 120],
    ['headset 80 to 120, blue', 80, 120],
    ['headset 80 – 120 dollars', 80, 120],
    ['headset $80 - 120', 80, 120],
    ['headset from 50 to 90', 50, 90],
    ['headset in the 80 to 120 range', 80, 120],
    ['easel 1k-2k', 1000, 2000],
    ['easel less than 100 dollars but more than 50', 50, 100],
    ['easel starting at 50', 50, null],
    ['over $20 and under $50 board game', 20, 50],
  ])('%s → %s to %s', (query, min, max) => {
    const { budget } = budgetOf(query)
    expect(budget).toMatchObject({
      minCents: min === null ? null : min * 100,
      maxCents: max === null ? null : max * 100,
    })
  })
})

describe('an amount that is only near', () => {
  it.each([
    ['hammock around $100', 85, 115],
    ['hammock about 100 dollars', 85, 115],
    ['hammock roughly 200', 170, 230],
    ['hammock $100ish', 85, 115],
    ['hammock $100 or so', 85, 115],
    ['hammock in the $100 range', 85, 115],
    ['hammock for a hundred bucks', null, 100],
    ['$100 hammock', null, 100],
    ['hammock under about $100', null, 100],
    ['hammock 900ish', 765, 1035],
    ['hammock approx. 100', 85, 115],
    ['a couple hundred dollars for a telescope', 170, 230],
  ])('%s → %s to %s, approximately', (query, min, max) => {
    expect(budgetOf(query).budget).toMatchObject({
      minCents: min === null ? null : min * 100,
      maxCents: max === null ? null : max * 100,
      approximate: true,
    })
  })

  it('gives way to a firm limit', () => {
    expect(budgetOf('ideally $50, max $80, desk fan').budget).toMatchObject({
      maxCents: 8000,
      approximate: false,
    })
  })
})

describe('a number that is no budget', () => {
  it.each([
    '15-inch shelf to go under a desk',
    'rain shell under 300 g',
    'dinner kit ready in under 30 minutes',
    'ladder for up to 300 lb',
    'television under 43 inches',
    'television under 43"',
    'television under 43 in wide',
    'bath towels under 45 in long',
    'television under 43 in stand',
    'dehumidifier under 45 dB',
    'over-ear muffs',
    'scarf to wear around the neck',
    'organizer for under the sink',
    'projector 4k 60 hz',
    'weights 5-50',
    'lens 70-200',
    'hub usb 2-4',
    'almanac 2020-2024',
    'monitor 100-144 hz',
    'rod adjustable from 30 to 60',
    'phone pro 256 max',
    'display under 4k',
    '500 watt inverter',
    'alarm with a $0 subscription',
    'alarm with a $5 a month plan',
    'alarm with a $5 monthly plan',
    'alarm without a monthly fee of $5',
    'puzzle for kids under 5',
    'jeans for women over 50',
    'helmet size under 58',
    'sneaker max 90',
    'phone pro max 256',
    'hub for up to 10 devices',
    'crate that holds up to 120',
    'a book about 1984',
    'a $50 gift card holder',
    'save $20 on a blender',
    '$15 off a blender',
    'like the $500 one but lighter',
    'tray around 30 by 40',
    'tray about 15 to 18 inches',
    'between 60 and 80 degrees',
    'beads 2~40',
    'part q300 under lid',
    '24 pack of pencils',
    'ages 8 to 12 chemistry kit',
    'wine from 2015',
    'below 32 fahrenheit gloves',
    'three dollar sign necklaces no 7',
    'under no circumstances loud',
    '10 under bed boxes',
  ])('%s', (query) => {
    expect(budgetOf(query).budget).toBeNull()
  })
})

describe('another currency', () => {
  it.each([
    ['tea set under £40', 'under £40', 'GBP', null, 40],
    ['tea set 40 euros', '40 euros', 'EUR', null, 40],
    ['tea set under €40', 'under €40', 'EUR', null, 40],
    ['tea set over 40 €', 'over 40 €', 'EUR', 40, null],
    ['tea set £50-£80', '£50-£80', 'GBP', 50, 80],
    ['tea set 50 to 80 euros', '50 to 80 euros', 'EUR', 50, 80],
    ['tea set around 100 EUR', 'around 100 EUR', 'EUR', 85, 115],
    ['tea set max 40 quid', 'max 40 quid', 'GBP', null, 40],
    ['tea set C$40', 'C$40', 'CAD', null, 40],
    ['tea set under A$40', 'under A$40', 'AUD', null, 40],
    ['tea set $40 CAD', '$40 CAD', 'CAD', null, 40],
    ['tea set 40 canadian dollars', '40 canadian dollars', 'CAD', null, 40],
    ['tea set below ¥4000', 'below ¥4000', 'JPY', null, 4000],
    ['tea set under 400 kr', 'under 400 kr', null, null, 400],
  ])('%s is kept apart and never read as dollars', (query, phrase, currency, min, max) => {
    const { budget, foreignBudget, foreign } = budgetOf(query)
    expect(budget).toBeNull()
    expect(foreignBudget).toMatchObject({ currency, min, max, phrase })
    const tokens = tokenize(query)
    const [range] = foreign
    expect(query.slice(tokens[range?.from ?? 0]?.start, tokens[(range?.to ?? 1) - 1]?.end)).toBe(phrase)
  })
})

it('the words of the budget are quoted as they were written', () => {
  expect(budgetOf('Quiet kettle UNDER  $40, please').budget?.phrase).toBe('UNDER  $40')
  expect(budgetOf('more than $40 and less than $70').budget?.phrase).toBe('more than $40, less than $70')
})

it('a floor above the cap is dropped and the cap kept', () => {
  expect(budgetOf('over $100 under $50').budget).toMatchObject({ minCents: null, maxCents: 5000 })
})
