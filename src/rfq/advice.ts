/**
 * What would have helped most with a request that was not won, and where to change it. It says how far the total was above
 * the winner's in steps of 5 % and nothing else of others.
 */
import type { ReceivedRfqRow } from './inspector.queries.ts'
import { NO_LINK } from './managed.ts'
import type { Help } from './quote.schema.ts'
import { bandWords } from './rank.ts'

export type Advice = {
  help: Help
  gapBand: string | null
  /** A sentence. */
  text: string
  /** A page of the dashboard, at the field. */
  path: string
}

type Asked = Pick<
  ReceivedRfqRow,
  'outcome' | 'verdict' | 'reason' | 'kind' | 'loss' | 'choice' | 'rank' | 'productSlug'
>

/** Null for what is won, first, under way or withdrawn, and for losses that were recorded without their cause. */
export function adviceOf(rfq: Asked): Advice | null {
  const found = helpOf(rfq)
  if (found === null) return null
  const { help, gapBand } = found
  return { help, gapBand, text: wordsOf(rfq, help, gapBand), path: pathOf(rfq, help) }
}

function helpOf({
  outcome,
  verdict,
  reason,
  kind,
  loss,
  choice,
  rank,
}: Asked): Pick<Advice, 'help' | 'gapBand'> | null {
  if (outcome === 'failed') return { help: 'answer', gapBand: null }
  if (outcome === 'declined') {
    if (verdict === 'not_delivered') return { help: 'region', gapBand: null }
    // Rules decline where they leave no price; why an agent does is known to its people alone.
    return { help: kind === 'managed' && reason !== NO_LINK ? 'price' : 'answer', gapBand: null }
  }
  if (outcome !== 'lost') return null
  if (loss) return { help: loss.help, gapBand: loss.gapBand }
  return choice === 'another' && rank === 1 ? { help: 'price', gapBand: null } : null
}

function wordsOf({ outcome, reason, rank, loss }: Asked, help: Help, gapBand: string | null): string {
  const gap = gapBand === null ? '' : ` Your total was ${bandWords(gapBand)} above the winner’s.`
  if (reason === NO_LINK) return 'Buyers need a link: verify your domain or add a website.'
  if (help === 'price' && outcome === 'declined') return 'Set a price that your rules can quote.'
  if (help === 'price' && rank === 1 && loss === null)
    return 'You ranked first, but the buyer chose another quote.'
  return `${WORDS[help]}${gap}`
}

const WORDS: Record<Help, string> = {
  price: 'A lower price would have helped most.',
  shipping: 'A lower or stated shipping cost would have helped most.',
  delivery: 'A shorter or stated delivery time would have helped most.',
  stock: 'Having enough in stock would have helped most.',
  region: 'Delivering to this region would have helped.',
  answer: 'A valid and reliable answer would have helped most.',
}

const FIELDS: Record<Exclude<Help, 'answer'>, string> = {
  price: 'price_usd',
  shipping: 'shipping_cost_usd',
  delivery: 'lead_time_days',
  stock: 'stock',
  region: 'delivery_regions',
}

/** Those who answer with an agent of their own change it there. */
function pathOf({ kind, reason, productSlug }: Asked, help: Help): string {
  if (reason === NO_LINK) return '/dashboard/organization'
  return help === 'answer' || kind === 'agent'
    ? '/dashboard/agent'
    : `/dashboard/pricing/${productSlug}#field-${FIELDS[help]}`
}
