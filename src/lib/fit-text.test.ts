import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitBlocks, fitItems } from './fit-text.ts'

describe('fitting text into a room', () => {
  test('as many whole items as fit, and the text is always shorter than the room', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 50 })),
        fc.integer({ min: 1, max: 300 }),
        (sizes, room) => {
          const render = (shown: number) =>
            sizes
              .slice(0, shown)
              .map((size) => `${'x'.repeat(size)};`)
              .join('')
          const text = fitItems(sizes.length, room, render)
          const shown = text.split(';').length - 1
          expect(text).toBe(render(shown))
          expect(text.length).toBeLessThan(room)
          if (shown < sizes.length) expect(render(shown + 1).length).toBeGreaterThanOrEqual(room)
        },
      ),
    )
  })

  test('nothing at all, when not even the frame fits', () => {
    expect(fitItems(3, 4, () => 'frame')).toBe('')
  })

  test('blocks share the room, in their order, and an empty one leaves no gap', () => {
    const upTo = (text: string) => (room: number) => (text.length < room ? text : '')
    expect(fitBlocks(12, [upTo('aaaa'), () => '', upTo('bb'), upTo('cc')])).toBe('aaaa\n\nbb')
  })
})
