import { expect, it } from 'vitest'
import { lacksOf } from './absence.ts'

const plain = { title: 'A thing', description: null, verdict: null, bestFor: [], specs: [] }

it.each<[string, string, string[]]>([
  ['Microphone', 'None', ['microphon']],
  ['Noise cancelling', 'None, about 24 dB passive', ['nois', 'cancel']],
  ['Power', '0 W', ['power']],
  ['Type', 'Manual lever, no electricity', ['electr']],
  ['Weight', '0.75 lb', []],
  ['Latex-free', 'Yes', ['latex']],
  ['Latex-free', 'No', []],
  ['Wheels', '2 oversized, sealed bearings', []],
])('a spec that says none denies its name: %s: %s', (name, value, lacks) => {
  const found = lacksOf({ ...plain, specs: [{ name, value }] })
  for (const stem of lacks) expect(found.some((term) => term.startsWith(stem))).toBe(true)
  if (lacks.length === 0) expect(found).toEqual([])
})

it.each<[string, string]>([
  ['There is no microphone at all, on the assumption that you own a better one.', 'microphon'],
  ['Noise cancelling is deliberately absent to protect the tuning.', 'cancel'],
  ['The absent microphone rules it out as a family camera.', 'microphon'],
  ['It lacks a clock.', 'clock'],
  ['A brushless motor.', 'brush'],
  ['Nothing to charge, nothing to leak.', 'charg'],
  ['A lamp without a cord.', 'cord'],
])('a sentence that denies is heard: %s', (description, stem) => {
  expect(lacksOf({ ...plain, description }).some((term) => term.startsWith(stem))).toBe(true)
})

it('a product that only says what it has lacks nothing', () => {
  expect(
    lacksOf({ ...plain, title: 'Steel mug with a lid', description: 'Keeps tea hot. Fits a hand.' }),
  ).toEqual([])
})

it('what a product spares is not what an act is done with', () => {
  const lacks = (description: string) => lacksOf({ ...plain, description })
  expect(lacks('Music without plugging your ears.')).toEqual([])
  expect(lacks('Music for days without plugging in.')).toContain('plug')
})
