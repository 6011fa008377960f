import { describe, expect, it } from 'vitest'
import { lastSegment, setOwn, splitUrls } from './values.ts'

describe('cells', () => {
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
