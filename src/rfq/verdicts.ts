import type { SellerOutcome } from './outcome.ts'

/** What can become of asking one producer, in the words of every face: its people, their models, their dashboard. */

type Verdict = {
  /** A sentence that its people can act on. */
  text: string
  /** As the dashboard says it in a word. */
  label: string
  tone: 'good' | 'mixed' | 'bad' | 'quiet'
  /** Counts towards the failures in a row that make an integration unreachable. */
  failure?: true
  /** What to do about it. */
  fix?: string
  /** The same for people, where the other names a tool. */
  fixOnPages?: string
  /** As buyers learn of it, in a word and in a few. */
  buyers: [SellerOutcome, string]
}

const WRONG = ['invalid', 'sent an answer that is not a valid quote'] as [SellerOutcome, string]

export const VERDICTS = {
  quoted: { text: 'Answered with a quote.', label: 'Quoted', tone: 'good', buyers: ['quoted', 'quoted'] },
  out_of_stock: {
    text: 'Answered with an out-of-stock quote, which is listed last.',
    label: 'Quoted, out of stock',
    tone: 'mixed',
    fix: 'Quote with in_stock: true once there is stock; an out-of-stock quote is listed after all others.',
    buyers: ['out_of_stock', 'out of stock'],
  },
  declined: {
    text: 'Declined this request.',
    label: 'Declined',
    tone: 'good',
    buyers: ['declined', 'declined'],
  },
  not_delivered: {
    text: 'Declined: not delivered to this region.',
    label: 'Not delivered there',
    tone: 'mixed',
    fix: 'Add the region to delivery_regions if you deliver there.',
    buyers: ['not_delivered_there', 'does not deliver there'],
  },
  invalid: {
    text: 'The answer is not a valid quote, so it was dropped.',
    label: 'Invalid answer',
    tone: 'bad',
    failure: true,
    fix: 'Answer with one bare JSON object: price_usd (number, dollars), in_stock (boolean), claim_url (https), offer_expires_at (ISO 8601, at most 24 hours ahead); to decline, price_usd 0, in_stock false and empty strings.',
    buyers: WRONG,
  },
  not_json: {
    text: 'The answer is not a JSON document.',
    label: 'Answer not JSON',
    tone: 'bad',
    failure: true,
    fix: 'Send only JSON in UTF-8 with Content-Type application/json: no HTML, no other text.',
    buyers: WRONG,
  },
  too_large: {
    text: 'The answer is over 64 KB, so it was dropped.',
    label: 'Answer too large',
    tone: 'bad',
    failure: true,
    fix: 'Keep the answer under 64 KB: send only the quote fields.',
    buyers: WRONG,
  },
  redirect: {
    text: 'Answered with a redirect; redirects are not followed.',
    label: 'Redirected',
    tone: 'bad',
    failure: true,
    fix: 'Serve POST /message:send at the root of the card’s host without redirects, including http to https or www.',
    buyers: WRONG,
  },
  bad_status: {
    text: 'Answered with a status other than 200.',
    label: 'Wrong status',
    tone: 'bad',
    failure: true,
    fix: 'Answer with 200, also to decline. 401 or 403: check the secret, and the signature over "<timestamp>.<raw body>". 404: serve POST /message:send at the root of the card’s host. 5xx: check the agent’s log.',
    buyers: ['invalid', 'answered with an error'],
  },
  timeout: {
    text: 'Did not answer before the deadline.',
    label: 'Too late',
    tone: 'bad',
    failure: true,
    fix: 'Answer within a few seconds; decline rather than wait for slow systems.',
    buyers: ['timed_out', 'did not answer in time'],
  },
  unreachable: {
    text: 'Could not connect.',
    label: 'Not reached',
    tone: 'bad',
    failure: true,
    fix: 'Check that the host of the card resolves, accepts connections on its port, and has a valid certificate for its name. If the secret can no longer be read, enter it again on the dashboard.',
    buyers: ['timed_out', 'could not be reached'],
  },
  refused_address: {
    text: 'The address is not a public https address, so it was not called.',
    label: 'Address not allowed',
    tone: 'bad',
    failure: true,
    fix: 'The card’s host must resolve to public addresses only, and be reached over https.',
    buyers: ['timed_out', 'could not be reached'],
  },
  retry: {
    text: 'The first attempt failed, so the request was sent again.',
    label: 'Retried',
    tone: 'mixed',
    fix: 'It answered only on the second try, or not at all: check for restarts, connection limits, and 502 to 504 from a proxy.',
    buyers: ['timed_out', 'did not answer in time'],
  },
  skipped: {
    text: 'Skipped after many failures in a row.',
    label: 'Skipped',
    tone: 'quiet',
    fix: 'After ten failures in a row, an agent is skipped for a minute at a time: fix the cause, then test it (run_test).',
    fixOnPages:
      'After ten failures in a row, an agent is skipped for a minute at a time. Fix the cause, then test it.',
    buyers: ['timed_out', 'not asked: its agent keeps failing'],
  },
  canceled: {
    text: 'The buyer withdrew the request.',
    label: 'Withdrawn',
    tone: 'quiet',
    buyers: ['timed_out', 'did not answer before the request was canceled'],
  },
} as const satisfies Record<string, Verdict>
export type AttemptVerdict = keyof typeof VERDICTS

const known: Record<string, Verdict | undefined> = VERDICTS

export function isFailure(verdict: AttemptVerdict): boolean {
  return known[verdict]?.failure ?? false
}

/** As the buyer of the request learns of it. A try that never ended was not answered in time. */
export function publicOutcome(verdict: string | null): { outcome: SellerOutcome; reason: string } {
  const [outcome, reason] = known[verdict ?? 'timeout']?.buyers ?? WRONG
  return { outcome, reason }
}

/** Of a verdict as it is stored: one that this version does not know has no fix. Null where there is nothing to do. */
export function fixOf(verdict: string, face: 'tools' | 'pages' = 'tools'): string | null {
  const { fix, fixOnPages = fix } = Object.hasOwn(VERDICTS, verdict) ? (known[verdict] ?? {}) : {}
  return (face === 'pages' ? fixOnPages : fix) ?? null
}
