import { describe, expect, it } from 'vitest'
import { lastSegment, parseMoney, parseNumber, parsePrice, setOwn, splitUrls } from './values.ts'

describe('an amount of money', () => {
  it.each([
    ['12.50', 12.5],
    ['12', 12],
    ['.99', 0.99],
    ['0', 0],
    ['$1,299.00', 1299],
    ['1,299', 1299],
    ['12,50', 12.5],
    ['1.299,00', 1299],
    ['1 299,00', 1299],
    ['1\u00a0299', 1299],
    ['1.299.000', 1299000],
    ['12.5000', 12.5],
    ['USD 15.00', 15],
    ['15.00 USD', 15],
    ['US$15', 15],
    ['$15 usd', 15],
  ])('%s is a number of dollars', (text, amount) => {
    expect(parseMoney(text)).toBe(amount)
  })

  it.each([
    '12,50 €',
    '€12.50',
    '£10',
    '15.00 EUR',
    '15 gbp',
    'C$20',
    'CA$20',
    '199 kr',
    '¥1000',
    '1.299 zł',
  ])('%s is another currency, never a number of dollars', (text) => {
    expect(parseMoney(text)).toEqual({ currency: expect.any(String) })
  })

  it.each(['', 'call us', '-5', '1.299', '12.50.30', '1,2,3', '12 pieces', 'from 12', '1e5', '8%'])(
    '%s is not clearly an amount',
    (text) => {
      expect(parseMoney(text)).toBeNull()
    },
  )

  it('is told from long text at once', () => {
    const started = performance.now()
    expect(parseMoney(`1${'.'.repeat(500_000)}x1`)).toBeNull()
    expect(parsePrice(`1${' '.repeat(500_000)}x1`)).toBeNull()
    expect(performance.now() - started).toBeLessThan(500)
  })
})

describe('a price', () => {
  it.each([
    ['49', { low: 49, high: 49 }],
    ['49-59', { low: 49, high: 59 }],
    ['$49 – $59', { low: 49, high: 59 }],
    ['$1,049.50 to $1,259', { low: 1049.5, high: 1259 }],
    ['49.00 - 59.00 USD', { low: 49, high: 59 }],
  ])('%s is a range', (text, price) => {
    expect(parsePrice(text)).toEqual(price)
  })

  it('in another currency at either end is in another currency', () => {
    expect(parsePrice('49 – 59 €')).toEqual({ currency: '€' })
    expect(parsePrice('€49 – 59')).toEqual({ currency: '€' })
  })

  it('is left alone when it is not clearly one', () => {
    for (const text of ['', '-', '49-', '1-2-3', 'on request', '-49']) expect(parsePrice(text)).toBeNull()
  })
})

describe('cells', () => {
  it('are numbers only when they clearly are', () => {
    expect(['4.537', '1,234', '-3', '4,5'].map(parseNumber)).toEqual([4.537, 1234, -3, 4.5])
    expect(['', 'four', '4.5/5', '0x10', 'Infinity', '1e3'].map(parseNumber)).toEqual(Array(6).fill(null))
  })

  it('hold addresses separated by bars, lines or commas, and addresses with commas in them', () => {
    expect(
      splitUrls('https://a.example/1,2.jpg, https://a.example/3.jpg | https://a.example/4.jpg\n'),
    ).toEqual(['https://a.example/1,2.jpg', 'https://a.example/3.jpg', 'https://a.example/4.jpg'])
  })

  it('name the innermost category of a path', () => {
    expect(lastSegment('Home > Kitchen > Kettles')).toBe('Kettles')
    expect(lastSegment('Kettles >')).toBe('Kettles')
    expect(lastSegment('')).toBe('')
  })

  it('cannot replace a prototype', () => {
    const target: Record<string, unknown> = {}
    setOwn(target, '__proto__', { polluted: true })
    setOwn(target, 'constructor', 'mine')
    expect(target).toEqual({ constructor: 'mine' })
    expect(target).not.toHaveProperty('polluted')
  })
})
