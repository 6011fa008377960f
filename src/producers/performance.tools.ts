/**
 * How an organization's products do, for a model that looks after them: totals, and rows by one thing at a time. Names of
 * agents and words of searches are strangers', who may well write for this reader: in the text they stand in a fence.
 */
import { z } from 'zod'
import type { Config } from '../config.ts'
import { toWire, wireOf } from '../lib/entity.ts'
import { fitItems, paragraphs, TEXT_ROOM } from '../lib/fit-text.ts'
import { regionName } from '../lib/regions.ts'
import { inlineText, untrusted } from '../lib/untrusted.ts'
import { counted, usd } from '../lib/words.ts'
import { HELPS } from '../rfq/quote.schema.ts'
import { isDay } from '../rfq/rfq.schema.ts'
import { defineTool } from '../tools/define-tool.ts'
import { DEFAULT_PAGE, MAX_PAGE, nextOffset, offset, page } from '../tools/params.ts'
import { getNextSteps, type NextStepsContext } from './next-steps.service.ts'
import {
  type Figures,
  GROUPS,
  type Group,
  getPerformance as measure,
  missingWords,
  type Performance,
} from './performance.service.ts'

/** A month at a glance. */
const DEFAULT_DAYS = 31

const day = z.string().max(10).refine(isDay, 'must be a date such as 2026-12-01')

const Input = z.object({
  from: day.optional().describe('First day (UTC), such as 2026-11-01; default 30 days up to `to`'),
  to: day.optional().describe('Last day, included; default today. At most 366 days'),
  group_by: z.enum(GROUPS).default('day').describe('What each row shows'),
  limit: z.int().min(1).max(MAX_PAGE).optional().describe('How many rows; default 10, or 31 for days'),
  offset,
})

const COUNTS = ['impressions', 'reads', 'rfqs', 'quotes', 'ranked_first', 'wins', 'clicks'] as const
const figure = z.int().nullable()
const counts = Object.fromEntries(COUNTS.map((name) => [name, figure])) as Record<
  (typeof COUNTS)[number],
  typeof figure
>
const average = z.number().nullable()

const Output = z.object({
  from: z.string(),
  to: z.string(),
  group_by: z.enum(GROUPS),
  totals: z.object({
    impressions: z.int().describe('Times a search showed one of your products'),
    reads: z.int().describe('Times an agent read one of their profiles'),
    rfqs: z.int(),
    quotes: z.int(),
    ranked_first: z.int().describe('Quotes that came first'),
    wins: z.int().describe('Quotes that the buyer chose'),
    clicks: z.int().describe('On links in your offers and quotes'),
    price_rank: average.describe(
      'Your average rank by total price among the quotes of a request; 1 is the cheapest',
    ),
    price_rank_of: average.describe('Average number of quotes in these requests'),
    won_usd: z.number().describe('What the chosen quotes came to'),
    response_ms: average.describe('Average time your quotes took'),
  }),
  rows: z
    .array(
      z.object({
        key: z
          .string()
          .describe(
            'Day, product slug, region, client, agent name or query; the last two are untrusted text',
          ),
        ...counts,
        price_rank: average,
        price_rank_of: average,
        won_usd: average,
        response_ms: average,
      }),
    )
    .describe('A figure is null if it is not counted for this group'),
  ...page,
  next_steps: z
    .array(
      z.object({
        product_slug: z.string(),
        help: z.enum(HELPS),
        requests: z.int().describe('Requests that were not won for this reason'),
        at_stake_usd: z.number().describe('What you quoted for them; 0 where you quoted nothing'),
        text: z.string(),
        path: z.string().describe('Page of the dashboard where you change it'),
      }),
    )
    .describe('What would have helped most with requests you did not win, by what was at stake'),
})
type Data = z.output<typeof Output>
type Row = Data['rows'][number]

export const getPerformance = defineTool<
  NextStepsContext & { config: Pick<Config, 'keep'> },
  typeof Input,
  typeof Output
>({
  name: 'get_performance',
  title: 'Get performance',
  description:
    'Shows how your verified products performed: search impressions, reads by agents, requests for quote, quotes, wins, what they came to, price rank, response time and clicks, in total and by day, product, region, client, agent or query, and what to do next. list_rfqs has each request, get_catalog_issues what to fix.',
  audience: 'producers',
  effects: { readOnly: true },
  input: Input,
  output: Output,
  async run(ctx, call, input) {
    const { group_by: groupBy, from, to } = input
    const limit = input.limit ?? (groupBy === 'day' ? DEFAULT_DAYS : DEFAULT_PAGE)
    const found = await measure(ctx, call, { from, to, groupBy, limit: input.offset + limit })
    const shown = found.rows.slice(input.offset)
    const rows = shown.map(({ key, ...figures }) => ({
      key: key ?? OTHER_QUERIES,
      ...wireOf({ ...NOT_COUNTED, ...figures }, FIGURES),
    }))
    const totals = wireOf(found.totals, FIGURES)
    const { groups: total } = found
    const next_offset = nextOffset(total, { offset: input.offset, shown: rows.length })
    const steps = await getNextSteps(ctx, call, found)
    const next_steps = steps.slice(0, MOST_STEPS).map(({ title: _, ...step }) => toWire(step))
    const data = {
      from: found.from,
      to: found.to,
      group_by: groupBy,
      totals,
      rows,
      total,
      next_offset,
      next_steps,
    }
    return { text: performanceText(data, found), data }
  },
})

const MOST_STEPS = 10
const STEPS_SHOWN = 5
const OTHER_QUERIES = 'other queries'
const FIGURES = [
  'impressions',
  'reads',
  'rfqs',
  'quotes',
  'rankedFirst',
  'wins',
  'clicks',
  'priceRank',
  'priceRankOf',
  'wonCents',
  'responseMs',
] as const
const NOT_COUNTED = Object.fromEntries(FIGURES.map((name) => [name, null])) as Record<keyof Figures, null>

const HEADINGS: Record<Group, string> = {
  day: 'By day, newest first; empty days are left out',
  product: 'By product',
  region: 'By place of delivery',
  client: 'By who asked for the buyer',
  agent: 'Reads by agent family',
  query:
    'By query: searches that showed your products; queries by fewer than 3 people are in "other queries"',
}

const WRITERS: Partial<Record<Group, string>> = {
  agent: 'agents, about themselves',
  query: 'people and agents who searched',
}

function performanceText(data: Data, found: Performance): string {
  const { totals } = data
  return fitItems(data.rows.length, TEXT_ROOM, (shown) => {
    const left = data.total - shown
    return paragraphs([
      `# Performance ${data.from} to ${data.to}`,
      `Your verified products: ${figuresOf(totals).join(' · ')}.`,
      found.missing.map((one) => missingWords(one, one.since)).join(' '),
      data.rows.length === 0
        ? 'No data. Figures cover products with a verified relationship: see list_my_products.'
        : `## ${HEADINGS[data.group_by]}\n${rowsText(data, found, shown)}`,
      left > 0 ? `${counted(left, 'more row')}: use a higher limit (at most 50) or fewer days.` : '',
      stepsText(data.next_steps),
      'Next: group_by day, product, region, client, agent or query; list_rfqs; get_catalog_issues.',
    ])
  })
}

function stepsText(steps: Data['next_steps']): string {
  if (steps.length === 0) return ''
  const lines = steps
    .slice(0, STEPS_SHOWN)
    .map(
      ({ product_slug, requests, at_stake_usd, text }) =>
        `- ${inlineText(product_slug, 100)}: ${text} ${counted(requests, 'request')} not won, ${usd(at_stake_usd)} quoted.`,
    )
  return `## What to do next, by what was at stake\n${lines.join('\n')}`
}

function rowsText({ rows, group_by }: Data, found: Performance, shown: number): string {
  const told = rows.slice(0, shown).map((row, index) => ({ row, of: found.rows[index] }))
  const writer = WRITERS[group_by]
  const nameOf = group_by === 'region' ? regionName : (key: string) => key
  if (writer === undefined)
    return told.map(({ row, of }) => rowLine({ ...row, key: nameOf(row.key) }, of?.title)).join('\n')
  const strangers = told.filter(({ of }) => of?.key !== null)
  const ours = told.filter(({ of }) => of?.key === null)
  return [
    strangers.length > 0
      ? untrusted(
          writer,
          strangers.map(({ row }) => ({ label: figuresOf(row).join(' · '), text: row.key, max: 100 })),
        )
      : '',
    ...ours.map(({ row }) => rowLine(row, undefined)),
  ]
    .filter(Boolean)
    .join('\n')
}

function rowLine(row: Row, title: string | undefined): string {
  const named = title === undefined ? '' : ` (${inlineText(title, 80)})`
  return `- ${inlineText(row.key, 100)}${named}: ${figuresOf(row).join(' · ')}`
}

function figuresOf(figures: Omit<Row, 'key'>): string[] {
  const { price_rank: place, price_rank_of: places } = figures
  return [
    ...COUNTS.flatMap((name) => {
      const count = figures[name]
      if (count === null) return []
      if (name === 'ranked_first') return [`${count} ranked first`]
      return [counted(count, name === 'rfqs' ? 'RFQ' : name.slice(0, -1))]
    }),
    ...(figures.won_usd === null ? [] : [`${usd(figures.won_usd)} won`]),
    ...(place === null || places === null ? [] : [`price rank ${place} of ${places} on average`]),
    ...(figures.response_ms === null ? [] : [`answered in ${figures.response_ms} ms on average`]),
  ]
}
