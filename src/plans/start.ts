/**
 * Puts plans together for one node: the services, the language model that explains plans if one is configured, and the
 * job that forgets old days and old plans. The model has a way out of its own: the operator named its address, which may well be on
 * this machine, and nothing else is to be reached by it.
 */

import { createNamesOther } from '../bundles/check-texts.ts'
import { createModelWriter } from '../bundles/model-writer.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { parseOutboundAllow } from '../lib/outbound.allow.ts'
import { createOutbound } from '../lib/outbound.ts'
import type { Search } from '../search/search.service.ts'
import { hostAndPort } from '../search/start.ts'
import { type Bundles, createBundles } from './bundles.service.ts'
import { type PlansContext, sweepPlans } from './plans.service.ts'
import { sweepBundleDays } from './quota.service.ts'

export function createBundlesRuntime(
  ctx: { db: Db; clock: Clock; log: Log },
  { config, search }: { config: Pick<Config, 'llm'>; search: Search },
): { bundles: Bundles; plans: PlansContext; jobs: Job[]; stop(): Promise<void> } {
  const { llm } = config
  const outbound = llm && createOutbound({ allow: parseOutboundAllow(hostAndPort(llm.url)) })
  const namesOther = createNamesOther(() => search.index().vocabulary())
  const writer = llm && outbound && createModelWriter(llm, outbound, { log: ctx.log, namesOther })
  const sweep = defineSweep({
    kind: 'bundles.sweep',
    every: 'day',
    clockOf: ctx.db,
    run: async (tools) => ({ days: await sweepBundleDays(ctx), ...(await sweepPlans(ctx, tools)) }),
  })
  const plans = { ...ctx, search, writer }
  return {
    bundles: createBundles(plans),
    plans,
    jobs: [sweep],
    stop: async () => outbound?.close(),
  }
}
