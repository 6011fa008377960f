/** The findings of health that are about what the service is for: search, and requests for quotes. */
import { byLimits } from '../../../lib/checks.ts'
import { rfqFacts } from '../../../rfq/rfq.service.ts'
import { checkModel } from '../../../search/embed/check-model.ts'
import { searchFacts } from '../../../search/facts.service.ts'
import { agoWords } from '../../components/moment.tsx'
import { countOf, formatCount } from '../../format.ts'
import type { AdminDeps } from '../deps.ts'
import { type Check, DAY, MINUTE, megabytes, reading, span } from './health.words.ts'

export async function searchChecks({ ctx, config, search }: AdminDeps): Promise<Check[]> {
  const node = search.facts?.() ?? { model: null, indexed: null }
  const facts = await reading(ctx, (tx) => searchFacts({ db: tx }, node))
  const missing = facts.products - (facts.indexed?.products ?? 0)
  return [
    {
      name: 'Embedder',
      ...(facts.model === null
        ? {
            state: 'bad',
            text: 'none is connected: searching by words alone',
            fix: 'check that the embedding endpoint answers; it is tried again by itself',
          }
        : { state: 'ok', text: `the model ${facts.model}` }),
    },
    ...(config.embedder === null ? [{ name: 'Model files', ...checkModel() }] : []),
    {
      name: 'Embedded products',
      ...byLimits(
        facts.wholePending,
        { look: 1, bad: Number.POSITIVE_INFINITY },
        {
          text: `${formatCount(facts.products - facts.wholePending)} of ${formatCount(facts.products)}`,
          fix: `${formatCount(facts.wholePending)} wait; they are found by words until then`,
        },
      ),
    },
    {
      name: 'Embedded sentences',
      ...byLimits(
        facts.sentencesPending,
        { look: 1, bad: Number.POSITIVE_INFINITY },
        {
          text: `of ${formatCount(facts.products - facts.sentencesPending)} of ${formatCount(facts.products)} products`,
          fix: `those of ${formatCount(facts.sentencesPending)} wait; results are in a slightly worse order until then`,
        },
      ),
    },
    {
      name: 'Index of this node',
      ...(facts.indexed === null
        ? { state: 'bad', text: 'is being filled', fix: 'wait; the log says when it is done' }
        : byLimits(
            Math.abs(missing),
            { look: 1, bad: Number.POSITIVE_INFINITY },
            {
              text: `${countOf(facts.indexed.products, 'product')}, ${megabytes(facts.indexed.bytes)}`,
              fix: `the catalog has ${formatCount(facts.products)}: it follows within seconds; if not, restart this node`,
            },
          )),
    },
  ]
}

export async function quoteChecks({ ctx }: AdminDeps): Promise<Check[]> {
  const facts = await reading(ctx, (tx) => rfqFacts({ db: tx }))
  const now = ctx.clock.now()
  const age = (at: Date | null) => (at ? now.getTime() - at.getTime() : 0)
  return [
    {
      name: 'In flight',
      ...byLimits(
        age(facts.oldestAt),
        { look: 5 * MINUTE, bad: 60 * MINUTE },
        {
          text:
            facts.inFlight === 0
              ? 'none'
              : `${countOf(facts.inFlight, 'request')}, the oldest for ${span(age(facts.oldestAt))}`,
          fix: 'see Jobs: rfq jobs should run at once',
        },
      ),
    },
    {
      name: 'Agents of sellers',
      ...byLimits(
        facts.unreachable,
        { look: 1, bad: Number.POSITIVE_INFINITY },
        {
          text: `${countOf(facts.agents, 'agent')}, ${formatCount(facts.unreachable)} unreachable`,
          fix: 'their organizations see why on their own pages; nothing to do unless all fail',
        },
      ),
    },
    {
      name: 'Signing key',
      ...byLimits(
        age(facts.keySince),
        { look: 365 * DAY, bad: Number.POSITIVE_INFINITY },
        {
          text:
            facts.keySince === null ? 'made with the first quote' : `made ${agoWords(facts.keySince, now)}`,
          fix: 'over a year old: npm run souk -- admin rotate-quote-key',
        },
      ),
    },
  ]
}
