/**
 * What the sections find, by name: what each figure says, which way is better, what it must be, and beside whom we mean to
 * be ahead. Ratios were found within one run; only they can be compared with those of another machine.
 */

/** The median of the rounds, and half of what the middle half of them spans. */
export type Figure = { value: number; spread: number }
export type Figures = Record<string, Figure>

export type Meaning = {
  says: string
  better: 'more' | 'less'
  /** Given by the work that it belongs to. */
  target?: number
  /** Beside another that does the same: 1 is level with it. */
  contender?: string
  /** Why another may be ahead, or the target be missed. */
  why?: string
  /** Seconds, megabytes and the like: they say nothing of another machine. */
  absolute?: true
}

const FLOOR = 'it sends ready bytes and does nothing else'
const NEAR_FLOOR = 'the floor, a bare dispatch with the same validation, is not far from that itself'
const WORDS = 'it knows words alone: no meaning, no budgets, no negations; see the quality beside it'
const FUSION = 'it joins two lists and reads no budgets, negations or brands; see the quality beside it'
const SCAN = 'it compares vectors and does nothing else; see the quality beside it'

export const MEANINGS: Record<string, Meaning> = {
  'start.second_seconds': { says: '`npm start` again, to ready', better: 'less', target: 2, absolute: true },
  'start.second_of_bare': {
    says: '`npm start` again, to ready, beside a bare `node:http` server started by npm',
    better: 'less',
  },
  'reads.json_of_bare': {
    says: 'product as JSON-LD, requests a second beside bare `node:http` with the same bytes',
    better: 'more',
    target: 0.7,
    contender: 'bare node:http',
    why: `${FLOOR}; we write a log line, a request id, an entity tag and a policy for every answer`,
  },
  'reads.json_of_fastify': {
    says: 'the same beside Fastify with its log on, which writes the JSON of a product in memory',
    better: 'more',
    contender: 'Fastify',
  },
  'reads.json_of_fastify_bytes': {
    says: 'the same beside Fastify with ready bytes',
    better: 'more',
    contender: 'Fastify, ready bytes',
    why: 'it writes no log, no request id, no entity tag and no policy; we do for every answer',
  },
  'reads.json_of_express': {
    says: 'the same beside Express, which writes the JSON of a product in memory',
    better: 'more',
    contender: 'Express',
  },
  'reads.json_of_express_bytes': {
    says: 'the same beside Express with ready bytes',
    better: 'more',
    contender: 'Express, ready bytes',
  },
  'reads.html_of_json': { says: 'product page beside its JSON-LD, requests a second', better: 'more' },
  'reads.first_html_of_json': {
    says: 'CPU of a page made for the first time beside its JSON-LD',
    better: 'less',
  },
  'import.of_parsing': {
    says: 'importing new products beside reading and parsing the same file, time',
    better: 'less',
  },
  'import.rss_mb': {
    says: 'memory of an import at its highest',
    better: 'less',
    target: 600,
    absolute: true,
  },
  'import.per_second': { says: 'new products a second', better: 'more', absolute: true },
  'importing.healthz_worst_ms': {
    says: 'slowest `/healthz` while 100,000 products are imported by a command beside the node, ms',
    better: 'less',
    target: 100,
    absolute: true,
  },
  'importing.page_healthz_worst_ms': {
    says: 'the same, by the page of the node: uploaded, checked and imported, ms',
    better: 'less',
    target: 100,
    absolute: true,
  },
  'embedding.whole_of_before': {
    says: 'whole vectors of new products, products a second beside everything in one thread',
    better: 'more',
    target: 2.7,
  },
  'embedding.everything_of_before': {
    says: 'the same with their sentences',
    better: 'more',
    target: 1.6,
  },
  'embedding.whole_per_second': {
    says: 'products found by meaning a second',
    better: 'more',
    absolute: true,
  },
  'embedding.everything_per_second': {
    says: 'the same with their sentences',
    better: 'more',
    absolute: true,
  },
  'embedding.query_beside_ms': {
    says: 'vector of a new query while products are embedded, 95 of 100, ms',
    better: 'less',
    target: 50,
    absolute: true,
  },
  'uploads.healthz_worst_ms': {
    says: "slowest `/healthz` while a producer's file is uploaded, looked at, checked and imported, ms",
    better: 'less',
    target: 100,
    absolute: true,
  },
  'tokens.of_select_1': {
    says: 'access-token check beside `select 1`, one at a time',
    better: 'less',
  },
  'tokens.of_select_10': { says: 'the same, ten at once', better: 'less' },
  'tools.call_of_bare': {
    says: 'CPU of `tools/call search_products` beside a bare dispatch with the same validation',
    better: 'less',
    target: 2.5,
  },
  'tools.categories_of_bare': {
    says: 'CPU of `tools/call list_categories` beside the same',
    better: 'less',
    target: 2.5,
  },
  'tools.list_of_bare': { says: 'CPU of `tools/list` beside the same', better: 'less', target: 2.5 },
  'tools.token_looked_up_share': {
    says: 'of the CPU of a call, what looking its token up takes',
    better: 'less',
  },
  'tools.token_remembered_share': {
    says: 'of the CPU of a call, what a token known from just before takes',
    better: 'less',
  },
  'search.new_of_embedding': {
    says: 'a new query beside its embedding alone, eight in flight, time',
    better: 'less',
    target: 1.5,
  },
  'search.new_alone_of_embedding': { says: 'the same, one at a time', better: 'less' },
  'search.repeated_of_bare': {
    says: 'a repeated query, requests a second beside bare `node:http` with the same bytes',
    better: 'more',
    target: 0.5,
    contender: 'bare node:http',
    why: FLOOR,
  },
  'search.fastest_other_100k': {
    says: 'time of the fastest other engine beside ours, 100,000 products',
    better: 'more',
    target: 5,
  },
  ...Object.fromEntries(
    ['100k', '1m'].flatMap(
      (size): Array<[string, Meaning]> => [
        [
          `search.exact_of_signs_${size}`,
          {
            says: `nearest 100 of ${size} vectors, time of the exact scan beside signs first`,
            better: 'more',
            target: 5,
          },
        ],
        [
          `search.signs_recall_${size}`,
          {
            says: `of the nearest 100 of ${size} vectors, share found by signs`,
            better: 'more',
            target: 0.99,
          },
        ],
      ],
    ),
  ),
  'suggest.ms_95_100k': {
    says: 'suggestions for a key that is pressed, 100,000 products, 95 of 100, ms',
    better: 'less',
    target: 15,
    absolute: true,
  },
  ...Object.fromEntries(
    ['10k', '100k'].map((size): [string, Meaning] => [
      `suggest.scan_of_souk_${size}`,
      {
        says: `suggestions, time of a plain scan over names beside ours, ${size} products, 95 of 100`,
        better: 'more',
        contender: 'plain scan of names',
      },
    ]),
  ),
  'variants.p50_of_plain': {
    says: 'search over 1,000 products with 12 variants each, p50 beside the same products without',
    better: 'less',
    target: 1.2,
  },
  'rfq.after_slowest_new_seconds': {
    says: 'request for quote to 1,000 producers, complete after the slowest answer, new connections',
    better: 'less',
    target: 0.5,
    absolute: true,
  },
  'rfq.after_slowest_kept_seconds': {
    says: 'the same, kept connections',
    better: 'less',
    target: 0.5,
    absolute: true,
  },
  'rfq.over_bare_new_seconds': {
    says: 'the same beside a bare `Promise.all`, longer by, new connections',
    better: 'less',
    target: 0.5,
    absolute: true,
  },
  'rfq.over_bare_kept_seconds': {
    says: 'the same, kept connections',
    better: 'less',
    target: 0.5,
    absolute: true,
  },
  'rfq.of_bare_new': {
    says: 'time of a bare `Promise.all` beside the request for quote, new connections',
    better: 'more',
    contender: 'bare Promise.all',
    why: 'it signs nothing, keeps nothing and ranks nothing',
  },
  'rfq.hanging_of_answering': {
    says: '200 requests at once with one producer that hangs beside none, time of the others',
    better: 'less',
    target: 1.25,
  },
  'bundles.plan_ms': { says: 'planning a bundle, median, ms', better: 'less', absolute: true },
  'bundles.plan_ms_95': {
    says: 'planning a bundle, 95 of 100, ms',
    better: 'less',
    target: 20,
    absolute: true,
  },
  'fetched.rss_growth': {
    says: 'memory of a node without a catalog, with the largest catalog beside the smallest',
    better: 'less',
    target: 1.15,
  },
  'fetched.p50_of_memory': {
    says: 'new search by words in PostgreSQL beside one by words and meaning in memory, p50, largest catalog',
    better: 'less',
  },
  'fetched.p50_ms': {
    says: 'new search by words in PostgreSQL, p50, largest catalog',
    better: 'less',
    absolute: true,
  },
  'listings.shown_seconds': {
    says: 'a change is in every file over the catalog after',
    better: 'less',
    target: 1,
    absolute: true,
  },
  'listings.rss_growth_mb': {
    says: 'memory that files over the catalog take',
    better: 'less',
    target: 300,
    absolute: true,
  },
  'listings.first_seconds': { says: 'slowest first answer of a file', better: 'less', absolute: true },
  ...Object.fromEntries(
    (['call', 'categories', 'list'] as const).flatMap((call) =>
      (['v2', 'v1'] as const).map((version): [string, Meaning] => [
        `tools.${call}_sdk_${version}_of_souk`,
        {
          says: `CPU of the protocol's own library, ${version}, beside ours: ${call}`,
          better: 'more',
          contender: `MCP SDK ${version}`,
          ...(version === 'v2' && { target: 8, why: NEAR_FLOOR }),
        },
      ]),
    ),
  ),
  ...Object.fromEntries(
    [
      ['orama', 'Orama, hybrid', FUSION],
      ['minisearch', 'MiniSearch', WORDS],
      ['scan', 'plain scan', SCAN],
    ].flatMap(([engine, contender, why]) => [
      ...['demo', '10k', '100k'].map((size): [string, Meaning] => [
        `search.${engine}_of_souk_${size}`,
        {
          says: `time a query of ${contender} beside ours, ${size === 'demo' ? 'demo catalog' : `${size} products`}`,
          better: 'more',
          contender,
          why,
        },
      ]),
      [
        `search.quality_of_${engine}`,
        { says: `our nDCG@10 beside that of ${contender}`, better: 'more', contender } satisfies Meaning,
      ] as [string, Meaning],
    ]),
  ),
}
