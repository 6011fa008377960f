import { describe, expect, it } from 'vitest'
import { inDollars } from './currency.ts'
import { createMoneyReader, currencyMeant, parseMoney, parseNumber, parsePrice } from './money.ts'

describe('an amount of money', () => {
  it.each([
    ['12.50', 12.5, null],
    ['12', 12, null],
    ['.99', 0.99, null],
    ['0', 0, null],
    ['$1,299.00', 1299, '$'],
    ['1,299', 1299, null],
    ['12,50', 12.5, null],
    ['1.299,00', 1299, null],
    ['1 299,00', 1299, null],
    ['1\u00a0299', 1299, null],
    ['1\u2009299,90', 1299.9, null],
    ["1'299.50", 1299.5, null],
    ['1.299.000', 1299000, null],
    ['12.5000', 12.5, null],
    ['USD 15.00', 15, 'USD'],
    ['15.00 USD', 15, 'USD'],
    ['US$15', 15, 'USD'],
    ['$15 usd', 15, '$'],
    ['12,50 €', 12.5, 'EUR'],
    ['€12.50', 12.5, 'EUR'],
    ['£10', 10, 'GBP'],
    ['15 gbp', 15, 'GBP'],
    ['C$20', 20, 'CAD'],
    ['199 kr', 199, 'kr'],
    ['1 990,00 Kč', 1990, 'CZK'],
    ['2 499:-', 2499, null],
    ['49,-', 49, null],
    ['Rs. 1,299', 1299, 'INR'],
    ['₹379', 379, 'INR'],
    ['from 12', 12, null],
    ['ab 12,90 €', 12.9, 'EUR'],
    ['à partir de 12 €', 12, 'EUR'],
  ])('%s', (text, amount, currency) => {
    expect(parseMoney(text)).toEqual({ amount, currency })
  })

  it.each(['', 'call us', '-5', '1.299', '12.50.30', '1,2,3', '12 pieces', '2 for 5', '1e5', '8%'])(
    '%s is not clearly one',
    (text) => {
      expect(parseMoney(text)).toBeNull()
    },
  )

  it('of three digits behind the mark is clear where the mark of the file is known', () => {
    expect(parseMoney('1.299 zł', ',')).toEqual({ amount: 1299, currency: 'PLN' })
    expect(parseMoney('1.299', '.')).toEqual({ amount: 1.299, currency: null })
  })

  it('is told from long text at once', () => {
    const started = performance.now()
    expect(parseMoney(`1${'.'.repeat(500_000)}x1`)).toBeNull()
    expect(parsePrice(`1${' '.repeat(500_000)}x1`)).toBeNull()
    expect(performance.now() - started).toBeLessThan(500)
  })
})

describe('a price', () => {
  it.each([
    ['49', { low: 49, high: 49, currency: null }],
    ['49-59', { low: 49, high: 59, currency: null }],
    ['$49 – $59', { low: 49, high: 59, currency: '$' }],
    ['$1,049.50 to $1,259', { low: 1049.5, high: 1259, currency: '$' }],
    ['49.00 - 59.00 USD', { low: 49, high: 59, currency: 'USD' }],
    ['49 – 59 €', { low: 49, high: 59, currency: 'EUR' }],
    ['€49 – 59', { low: 49, high: 59, currency: 'EUR' }],
  ])('%s is a range', (text, price) => {
    expect(parsePrice(text)).toEqual(price)
  })

  it('is left alone when it is not clearly one', () => {
    for (const text of ['', '-', '49-', '1-2-3', 'on request', '-49', '€49 – £59'])
      expect(parsePrice(text)).toBeNull()
  })
})

it('numbers are numbers only when they clearly are', () => {
  expect(['4.537', '1,234', '-3', '4,5'].map((text) => parseNumber(text))).toEqual([4.537, 1234, -3, 4.5])
  const others = ['', 'four', '4.5/5', '0x10', 'Infinity', '1e3']
  expect(others.map((text) => parseNumber(text))).toEqual(others.map(() => null))
})

it('the amounts of a row are in one currency', () => {
  const money = createMoneyReader()
  expect(money.amount('12 €')).toBe(12)
  expect(money.range('10 – 14')).toEqual({ low: 10, high: 14 })
  expect(money.amount('£9')).toBe('£9')
  expect(money.currency()).toBe('EUR')
})

it('a sign that several currencies share is that of the file, where it is one of them', () => {
  expect(currencyMeant('$', 'CAD')).toBe('CAD')
  expect(currencyMeant('$', 'EUR')).toBe('USD')
  expect(currencyMeant('kr', 'NOK')).toBe('NOK')
  expect(currencyMeant('kr', 'USD')).toBeNull()
  expect(currencyMeant('GBP', 'EUR')).toBe('GBP')
  expect(currencyMeant(null, 'EUR')).toBe('EUR')
})

describe('in dollars', () => {
  const rates = { EUR: { rate: 1.08, at: '2026-11-03' } }
  const row = {
    title: 'Kettle',
    price: { low: 50, high: 60 },
    list_price: 70,
    where_to_buy: [{ name: 'Shop', url: 'https://shop.example', price: 50 }],
    variants: [{ id: 'a', price: 50 }, { id: 'b' }],
  }

  it('an amount becomes dollars by the rate, and what it was is kept', () => {
    const said = inDollars({ ...row, currency: 'EUR' }, { currency: 'USD', rates })
    expect(said.product).toEqual({
      title: 'Kettle',
      price: { low: 54, high: 64.8 },
      list_price: 75.6,
      where_to_buy: [{ name: 'Shop', url: 'https://shop.example', price: 54 }],
      variants: [{ id: 'a', price: 54 }, { id: 'b' }],
    })
    expect(said.original).toEqual({
      currency: 'EUR',
      low: 50,
      high: 60,
      list: 70,
      rate: 1.08,
      ratedAt: '2026-11-03',
    })
    expect(said.note).toBeNull()
  })

  it('without a rate there is no price, what it was is kept, and the note says how to give one', () => {
    const { product, original, note } = inDollars({ ...row, currency: 'CZK' }, { currency: 'USD', rates })
    expect(product).toMatchObject({ price: undefined, list_price: undefined, title: 'Kettle' })
    expect(original).toMatchObject({ currency: 'CZK', low: 50, high: 60, rate: null })
    expect(note).toMatchObject({ field: 'price', fix: expect.stringContaining('--rate CZK=') })
  })

  it('dollars stay as they are, and a row without amounts has no currency', () => {
    expect(inDollars(row, { currency: 'USD', rates })).toMatchObject({ product: row, original: null })
    expect(inDollars({ title: 'Kettle' }, { currency: 'CZK', rates: {} })).toEqual({
      product: { title: 'Kettle' },
      currency: null,
      original: null,
      note: null,
    })
  })
})
