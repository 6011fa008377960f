import { describe, expect, test } from 'vitest'
import { currentScope, inScope } from './request-scope.ts'
import { childSpan, inSpan, readTraceparent, rootSpan, wantsTracing } from './tracing.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

describe('tracing', () => {
  test('is off unless the standard variables ask for it', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
    expect(wantsTracing({})).toBe(false)
    expect(wantsTracing({ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' })).toBe(false)
    expect(wantsTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBe(false)
    expect(wantsTracing({ OTEL_TRACES_EXPORTER: 'none', ...endpoint })).toBe(false)
    expect(wantsTracing({ OTEL_SDK_DISABLED: 'TRUE', ...endpoint })).toBe(false)
    expect(wantsTracing(endpoint)).toBe(true)
    expect(wantsTracing({ OTEL_SDK_DISABLED: 'false', ...endpoint })).toBe(true)
    expect(wantsTracing({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' })).toBe(true)
    expect(wantsTracing({ OTEL_TRACES_EXPORTER: 'console' })).toBe(true)
    expect(wantsTracing({ OTEL_TRACES_EXPORTER: 'otlp' })).toBe(true)
  })

  test('when it is off, there is only the work', async () => {
    expect(rootSpan('x', {})).toBeNull()
    expect(childSpan('x', {})).toBeNull()
    const scope = { ids: { requestId: 'one' }, span: null }
    const given = await inScope(scope, () => inSpan('x', {}, async (span) => [span, currentScope()]))
    expect(given).toEqual([null, scope])
    await expect(inSpan('x', {}, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })
})

test('a traceparent is read by its standard, or not at all', () => {
  const good = `00-${TRACE}-${SPAN}-01`
  expect(readTraceparent(good, 'a=1')).toEqual({ traceId: TRACE, spanId: SPAN, sampled: true, state: 'a=1' })
  expect(readTraceparent(`00-${TRACE}-${SPAN}-00`)).toMatchObject({ sampled: false })
  // A later version may say more, and what is known of it is used.
  expect(readTraceparent(`cc-${TRACE}-${SPAN}-01-what-comes`)).toMatchObject({ traceId: TRACE })
  const bad = [
    '',
    'x',
    `${good}-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.slice(1)}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-0g`,
    `${good}\n`,
  ]
  for (const text of bad) expect(readTraceparent(text), text).toBeNull()
  expect(readTraceparent(good, 'x'.repeat(600))).not.toHaveProperty('state')
})
