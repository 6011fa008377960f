import { expect, test } from 'vitest'
import { readPrometheusText, sampleValue } from '../../test/prometheus-text.ts'
import { tellMetrics } from './metrics.registry.ts'
import { counter, gauge, histogram } from './metrics.ts'

const told = async () => readPrometheusText((await tellMetrics()).text)

test('what is told is valid to the letter, with what the process measures of itself', async () => {
  const { contentType, text } = await tellMetrics()
  expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
  const families = readPrometheusText(text)
  expect(families.get('souk_build_info')?.samples).toMatchObject([
    { labels: { node: process.versions.node, version: expect.stringMatching(/^\d/) }, value: 1 },
  ])
  for (const name of [
    'nodejs_eventloop_lag_p99_seconds',
    'nodejs_heap_size_used_bytes',
    'process_cpu_seconds_total',
  ])
    expect(families.get(name)?.samples.length).toBeGreaterThan(0)
})

test('label values come back as they were, whatever they hold', async () => {
  const hostile = ['"', '\\', '\n', 'a"} 1\nevil{x="', '\\n', 'ü\u2028', '', '{}', '\\"']
  const said = counter('test_hostile_total', 'Line\nbreak and \\ in help.', ['said', 'again'])
  for (const value of hostile) said.inc(value, 'once')
  const family = (await told()).get('test_hostile_total')
  expect(family?.samples.map(({ labels }) => labels.said)).toEqual(hostile)
  expect(family?.samples.every(({ value }) => value === 1)).toBe(true)
})

test('values that would run into each other as one text are two series', async () => {
  const pairs = counter('test_pairs_total', 'Pairs.', ['a', 'b'])
  pairs.inc('x\ny', 'z')
  pairs.inc('x', 'y\nz')
  expect((await told()).get('test_pairs_total')?.samples).toHaveLength(2)
})

test('a histogram counts each value once, in the first bound that is not below it', async () => {
  const sizes = histogram('test_sizes', 'Sizes.', ['kind'], [1, 5, 10])
  for (const value of [0, 1, 1.1, 5, 7, 10, 11, 1_000]) sizes.observe(value, 'a')
  sizes.of('b').observe(3)
  const families = await told()
  const bucket = (kind: string, le: string) => sampleValue(families, 'test_sizes_bucket', { kind, le })
  expect(['1', '5', '10', '+Inf'].map((le) => bucket('a', le))).toEqual([2, 4, 6, 8])
  expect(sampleValue(families, 'test_sizes_sum', { kind: 'a' })).toBeCloseTo(1_035.1)
  expect(sampleValue(families, 'test_sizes_count', { kind: 'b' })).toBe(1)
})

test('a label that strangers fill stays bounded: the rest count as one, and none is lost', async () => {
  const strange = counter('test_strange_total', 'Strange.', ['who', 'what'])
  for (let n = 0; n < 10_000; n++) strange.inc(`stranger ${n}`, 'x')
  const samples = (await told()).get('test_strange_total')?.samples ?? []
  expect(samples.length).toBeLessThan(3_100)
  expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(10_000)
  expect(samples.at(-1)?.labels).toEqual({ who: 'other', what: 'other' })
})

test('a gauge that cannot be read has no sample, and the others have theirs', async () => {
  gauge('test_broken', 'Broken.', [], () => Promise.reject(new Error('away')))
  gauge('test_thrown', 'Broken.', [], () => {
    throw new Error('away')
  })
  gauge('test_whole', 'Whole.', ['state'], () => [[['used'], 2]])
  const families = await told()
  expect(families.get('test_broken')?.samples).toEqual([])
  expect(families.get('test_thrown')?.samples).toEqual([])
  expect(sampleValue(families, 'test_whole', { state: 'used' })).toBe(2)
  gauge('test_whole', 'Whole.', ['state'], () => [[['used'], 3]])
  expect(sampleValue(await told(), 'test_whole')).toBe(3)
})

test('a name is declared once', () => {
  counter('test_once_total', 'Once.', [])
  expect(() => counter('test_once_total', 'Once.', [])).toThrow('declared twice')
})
