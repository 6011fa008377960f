/**
 * Tells the metrics in Prometheus' text format. The library writes the format and measures the process itself (event
 * loop, garbage, memory, processor, handles); it is loaded when somebody first asks, because most nodes of a small
 * service are never asked.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Metric, Registry } from 'prom-client'
import { declaredMetrics, gauge } from './metrics.ts'
import { version } from './paths.ts'

type Exposition = { contentType: string; text: string }

gauge(
  'souk_build_info',
  'Always 1; its labels give the release and the Node version.',
  ['version', 'node'],
  () => [[[version(), process.versions.node], 1]],
)

let ofProcess: Promise<Registry> | undefined

export async function tellMetrics(): Promise<Exposition> {
  const { Registry } = await import('./metrics.library.ts')
  ofProcess ??= measureProcess()
  const registry = new Registry()
  for (const { name, help, type, samples } of declaredMetrics().values()) {
    const get = async () => ({ name, help, type, aggregator: 'sum', values: await samples() })
    registry.registerMetric({ name, help, type, get } as unknown as Metric)
  }
  const [ours, measured] = await Promise.all([registry.metrics(), (await ofProcess).metrics()])
  // A lag that was not measured yet is not told: the library spells it in a way that the format does not know.
  return { contentType: registry.contentType, text: ours + measured.replaceAll(/^.* Nan\n/gm, '') }
}

async function measureProcess(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import('./metrics.library.ts')
  // Loading took a while: who is served has a turn before the rest.
  await turn()
  const register = new Registry()
  collectDefaultMetrics({ register })
  return register
}
