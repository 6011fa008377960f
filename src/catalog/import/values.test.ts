import { describe, expect, it } from 'vitest'
import { categoryPath, isInEffect, parseLoose, setOwn, slashIsPath, splitUrls } from './values.ts'

describe('cells', () => {
  it('hold addresses separated by bars, lines or commas, and addresses with commas in them', () => {
    expect(
      splitUrls('https://a.example/1,2.jpg, https://a.example/3.jpg | https://a.example/4.jpg\n'),
    ).toEqual(['https://a.example/1,2.jpg', 'https://a.example/3.jpg', 'https://a.example/4.jpg'])
  })

  it('hold lists of addresses as JSON, as Python prints them, with spaces and without a scheme', () => {
    expect(splitUrls('[{"src": "https://a.example/1.jpg"}, {"src": "//a.example/2.jpg"}]')).toEqual([
      'https://a.example/1.jpg',
      'https://a.example/2.jpg',
    ])
    expect(splitUrls("['https://a.example/1.jpg', 'https://a.example/2.jpg']")).toHaveLength(2)
    expect(splitUrls('https://a.example/my picture.jpg; //a.example/2.jpg')).toEqual([
      'https://a.example/my%20picture.jpg',
      'https://a.example/2.jpg',
    ])
    expect(parseLoose('{"a"=>nil, "b"=>["x => y"]}')).toEqual({ a: null, b: ['x => y'] })
    expect(parseLoose('{broken')).toBeUndefined()
  })

  it.each([
    ['Home > Kitchen > Kettles', ['Home', 'Kitchen', 'Kettles']],
    ['["Clothing >> Women >> Bags"]', ['Clothing', 'Women', 'Bags']],
    ['Home » Kitchen', ['Home', 'Kitchen']],
    ['Home | Kitchen', ['Home', 'Kitchen']],
    ['Home / Kitchen', ['Home', 'Kitchen']],
    ['Home/Kitchen/Kettles', ['Home', 'Kitchen', 'Kettles']],
    ['TV/Video', ['TV/Video']],
    ['CD/DVD/LP', ['CD/DVD/LP']],
    ['Home>Kitchen', ['Home', 'Kitchen']],
    ['Monitors >27 inch', ['Monitors >27 inch']],
    ['Screens > Monitors >=27 inch', ['Screens', 'Monitors >=27 inch']],
    ['Toys > 3D puzzles', ['Toys', '3D puzzles']],
    ['Sale; Home &gt; Kitchen', ['Home', 'Kitchen']],
    ['Default Category/Gear', ['Gear']],
    ['Uncategorized', undefined],
    [' > ', undefined],
  ])('name the path of a category: %s', (text, path) => expect(categoryPath(text)).toEqual(path))

  it.each([
    ['stands alone elsewhere', ['Drinks', 'Drinks/Coffee'], true],
    ['has several below it', ['Drinks/Coffee', 'Drinks/Tea', 'Food'], true],
    ['is part of a longer path', ['TV/Video', 'Home/Kitchen/Kettles'], true],
    ['comes in one form alone', ['TV/Video', 'Home/Garden', 'Food', 'TV/Video'], false],
  ])('show that a slash makes a path: what stands before it %s', (_, cells, isPath) => {
    expect(slashIsPath(cells)).toBe(isPath)
    expect(categoryPath('Home/Garden', { slash: isPath })).toHaveLength(isPath ? 2 : 1)
  })

  it('bound a path in depth', () => {
    const path = categoryPath(Array.from({ length: 40 }, (_, n) => `c${n}`).join(' > '))
    expect(path).toHaveLength(12)
    expect(path?.at(-1)).toBe('c39')
  })

  it('say when a sale is on', () => {
    const now = new Date('2026-06-01T12:00:00Z')
    expect(isInEffect('', '', now)).toBe(true)
    expect(isInEffect('2026-01-01', '2026-06-01', now)).toBe(true)
    expect(isInEffect('2026-01-01', '2026-05-31', now)).toBe(false)
    expect(isInEffect('2026-07-01', 'soon', now)).toBe(false)
  })

  it('cannot replace a prototype', () => {
    const target: Record<string, unknown> = {}
    setOwn(target, '__proto__', { polluted: true })
    setOwn(target, 'constructor', 'mine')
    expect(target).toEqual({ constructor: 'mine' })
    expect(target).not.toHaveProperty('polluted')
  })
})
