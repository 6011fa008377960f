/**
 * How often agents read each product, for its producers. Counted in memory and written behind the answers, all that
 * gathered since the last time in one statement; a count that is lost with its node is missed by nobody.
 */
import type { Db } from '../db/database.ts'
import type { ReadFace } from '../db/tables.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import { inBackground } from '../lib/background.ts'
import { type Clock, DAY_MS, isoDay } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import {
  addReads,
  type CountedReads,
  deleteReadsBefore,
  findDaysOfOthers,
  findOthers,
  foldAgents,
} from './product-reads.queries.ts'

type ProductRead = {
  productId: string
  face: ReadFace
  /** What the client calls itself; it is counted under its family. */
  agent: string
}

export type ProductReads = {
  count(read: ProductRead): void
  /** Resolves when what was counted so far is written or given up. */
  settled(): Promise<void>
}

const GATHER_MS = 1_000
const MOST_WAITING = 50_000
const KEPT_DAYS = 400
const NAMES_A_ROUND = 1_000

export function createProductReads(
  ctx: { db: Db; clock: Clock; log: Log },
  { mostWaiting = MOST_WAITING }: { mostWaiting?: number } = {},
): ProductReads {
  let waiting = new Map<string, CountedReads>()
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(async () => {
      const counted = [...waiting.values()]
      waiting = new Map()
      try {
        if (counted.length > 0) await addReads(ctx.db, counted)
      } catch (error) {
        ctx.log.warn({ err: error }, 'product reads could not be counted')
        dropped += counted.reduce((sum, { reads }) => sum + reads, 0)
      }
      if (dropped > 0) ctx.log.warn({ reads: dropped }, 'some product reads were not counted')
      dropped = 0
    })
    return writing
  }

  return {
    count({ productId, face, agent: name }) {
      const agent = agentFamily(name)
      const day = isoDay(ctx.clock.now())
      const key = `${productId} ${day} ${face} ${agent}`
      const known = waiting.get(key)
      if (known) known.reads++
      else if (waiting.size >= mostWaiting) dropped++
      else waiting.set(key, { productId, day, face, agent, reads: 1 })
      timer ??= setTimeout(() => inBackground(ctx.log, 'counting reads', write()), GATHER_MS).unref()
    },
    settled: write,
  }
}

/**
 * Counts stay longer than a year, so that a season can be compared with the last one. Names that are no family's come
 * from versions that kept every name, and from their nodes that still run beside this one: they are folded day by day.
 */
export function createProductReadsSweep(ctx: { db: Db; clock: Clock }): Job {
  return defineSweep({
    kind: 'sweep-product-reads',
    every: 'day',
    clockOf: ctx.db,
    async run() {
      const before = new Date(ctx.clock.now().getTime() - KEPT_DAYS * DAY_MS)
      const reads = await deleteReadsBefore(ctx.db, isoDay(before))
      let folded = 0
      for (const day of await findDaysOfOthers(ctx.db, AGENT_FAMILIES)) folded += await foldDay(ctx.db, day)
      return { reads, folded }
    },
  })
}

/** In rounds, each its own transaction: somebody may have made up a million names. */
async function foldDay(db: Db, day: string): Promise<number> {
  for (let folded = 0; ; ) {
    const names = await findOthers(db, { day, families: AGENT_FAMILIES, limit: NAMES_A_ROUND })
    if (names.length === 0) return folded
    const families = names.map(agentFamily)
    folded += await db.transaction().execute((tx) => foldAgents(tx, { day, names, families }))
  }
}

/*
 * The families that agents are counted under. A client names itself, and anybody can make up names; each new name would
 * be a new row. So a name counts for the family it belongs to, and every other name counts as `other`.
 */

/** In order: the first that fits decides, so assistants come before the libraries and browsers they are built on. */
const FAMILIES: ReadonlyArray<readonly [family: string, pattern: RegExp]> = [
  ['Claude', /claude|anthropic/i],
  ['ChatGPT', /chatgpt|openai|\boai\b|codex/i],
  ['Gemini', /gemini|google/i],
  ['Copilot', /copilot|bing|microsoft/i],
  ['Perplexity', /perplexity/i],
  ['Mistral', /mistral|le ?chat\b/i],
  ['Grok', /\bgrok|\bx\.ai\b|\bxai\b/i],
  ['Meta AI', /\bmeta[- ]?(?:ai|external)|facebook/i],
  ['DeepSeek', /deepseek/i],
  ['Qwen', /qwen|alibaba/i],
  ['Kimi', /\bkimi\b|moonshot/i],
  ['Amazon', /amazon|\bamzn/i],
  ['Apple', /apple(?!webkit)/i],
  ['Cursor', /cursor/i],
  ['VS Code', /visual studio code|\bvs ?code/i],
  ['Windsurf', /windsurf/i],
  ['Zed', /\bzed\b/i],
  ['Cline', /\bcline\b/i],
  ['Goose', /\bgoose\b/i],
  ['LangChain', /lang(?:chain|graph)/i],
  ['MCP Inspector', /mcp[- ]?inspector/i],
  ['Python', /python|httpx|aiohttp/i],
  ['Node.js', /\bnode\b|undici|axios|\bgot\b|\bbun\b|\bdeno\b/i],
  ['Go', /go-http-client/i],
  ['Java', /\bjava\b|okhttp/i],
  ['curl', /\bcurl\b|wget/i],
  ['Browser', /mozilla/i],
]
const OTHER = 'other'
const LONGEST_NAME = 300

export const AGENT_FAMILIES: readonly string[] = [...FAMILIES.map(([family]) => family), OTHER]

/** A name that is a family's own stays as it is, so folding twice changes nothing. */
export function agentFamily(name: string): string {
  if (AGENT_FAMILIES.includes(name)) return name
  const read = name.slice(0, LONGEST_NAME)
  return FAMILIES.find(([, pattern]) => pattern.test(read))?.[0] ?? OTHER
}
