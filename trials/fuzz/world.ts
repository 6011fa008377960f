/** The world of a fuzzing run: one node that cannot leave the machine, and enough people that their daily quotas last. */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ClusterOptions } from '../cluster.ts'
import { openWorld, type World } from '../world.ts'

const moduleOf = (...parts: string[]) => pathToFileURL(path.join(import.meta.dirname, ...parts)).href

/** Of all requests a quarter are tool calls, 500 a day for each person; most are of producers. */
const peopleFor = (requests: number) => Math.ceil(requests / 3_500)

export function openFuzzWorld(
  requests: number,
  { env, ...rest }: Omit<ClusterOptions, 'nodes'> = {},
): Promise<World> {
  const preload = [moduleOf('inside-only.mjs'), moduleOf('..', 'load', 'heap-probe.mjs')]
  return openWorld({
    ...rest,
    nodes: 1,
    shoppers: 12 + peopleFor(requests),
    producers: 6 + peopleFor(requests),
    env: {
      NODE_OPTIONS: ['--expose-gc', ...preload.map((file) => `--import=${file}`)].join(' '),
      SOUK_LOG: 'warn',
      SOUK_RFQ_DEADLINE_MS: '1000',
      ...env,
    },
  })
}
