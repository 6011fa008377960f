/** What a producer does about each end that asking its agent can have; null where there is nothing to mend. */
import { type AttemptVerdict, VERDICT_TEXTS } from './rfq.schema.ts'

const FIXES: Record<AttemptVerdict, string | null> = {
  quoted: null,
  declined: null,
  canceled: null,
  out_of_stock:
    'Quote with in_stock: true once there is stock; an out-of-stock quote is listed after all others.',
  invalid:
    'Answer with one bare JSON object: price_usd (number, dollars), in_stock (boolean), claim_url (https), offer_expires_at (ISO 8601, at most 24 hours ahead); to decline, price_usd 0, in_stock false and empty strings.',
  not_json:
    'Send the answer itself as JSON in UTF-8 with Content-Type application/json: no HTML page, no text around it.',
  too_large: 'Keep the answer under 64 KB: only the fields of the quote belong in it.',
  redirect:
    'Serve POST /message:send at the root of the card’s own host; redirects, of http to https or to www too, are not followed.',
  bad_status:
    'Answer with 200, also to decline. 401 or 403: check the secret, and the signature over "<timestamp>.<raw body>". 404: serve POST /message:send at the root of the card’s host. 5xx: see the log of the agent.',
  timeout: 'Answer sooner, best within a few seconds: decline rather than wait for what is slow.',
  unreachable:
    'Check that the host of the card resolves, accepts connections on its port, and has a valid certificate for its name. If the secret can no longer be read, enter it again on the dashboard.',
  refused_address: 'The card’s host must resolve to public addresses only, and be reached over https.',
  retry:
    'It answered only at the second try, or not at all: check for restarts, limits on connections, and 502 to 504 from a proxy.',
  skipped:
    'After ten failures in a row an agent is left alone for a minute at a time: mend the cause, then test it (run_test).',
}

/** Of a verdict as it is stored: one that this version does not know has no fix. */
export function fixOf(verdict: string): string | null {
  return isVerdict(verdict) ? FIXES[verdict] : null
}

function isVerdict(verdict: string): verdict is AttemptVerdict {
  return Object.hasOwn(VERDICT_TEXTS, verdict)
}
