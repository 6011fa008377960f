/** Counts calls of tools by name and outcome, and makes each a span where the request is traced. */
import { counter, histogram } from '../../lib/metrics.ts'
import { inSpan } from '../../lib/tracing.ts'
import { RpcError } from './protocol.ts'

/** Refused: what the caller did was wrong or may not be. Fault: it was ours, or the database's. */
export type Outcome = 'ok' | 'refused' | 'fault'

const calls = counter(
  'souk_tool_calls_total',
  'Calls of tools by name (unknown for names that no tool has) and outcome: ok, refused or fault.',
  ['tool', 'outcome'],
)
const durations = histogram('souk_tool_call_duration_seconds', 'Calls of tools.', ['tool'])

export function observeTool<T>(
  tool: string,
  work: (ended: (outcome: Outcome) => void) => Promise<T>,
): Promise<T> {
  const started = performance.now()
  let outcome: Outcome = 'ok'
  const attributes = { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': tool }
  return inSpan(`tools/call ${tool}`, { attributes }, async (span) => {
    try {
      return await work((given) => {
        outcome = given
      })
    } catch (error) {
      outcome = error instanceof RpcError ? 'refused' : 'fault'
      throw error
    } finally {
      calls.inc(tool, outcome)
      durations.observe((performance.now() - started) / 1_000, tool)
      if (outcome === 'fault') span?.fail('fault')
    }
  })
}
