/** What became of asking an agent, in a word with its tone, and what to do about it without the names of tools. */
import type { AttemptVerdict } from '../../../rfq/rfq.schema.ts'
import { fixOf } from '../../../rfq/verdict-fixes.ts'
import type { Tone } from '../../console/parts.tsx'

export const VERDICT_WORDS: Record<AttemptVerdict, { label: string; tone: Tone }> = {
  quoted: { label: 'Quoted', tone: 'good' },
  out_of_stock: { label: 'Quoted, out of stock', tone: 'mixed' },
  declined: { label: 'Declined', tone: 'good' },
  invalid: { label: 'Answer not valid', tone: 'bad' },
  not_json: { label: 'Answer not JSON', tone: 'bad' },
  too_large: { label: 'Answer too large', tone: 'bad' },
  redirect: { label: 'Redirected', tone: 'bad' },
  bad_status: { label: 'Wrong status', tone: 'bad' },
  timeout: { label: 'Too late', tone: 'bad' },
  unreachable: { label: 'Not reached', tone: 'bad' },
  refused_address: { label: 'Address not allowed', tone: 'bad' },
  retry: { label: 'Asked once more', tone: 'mixed' },
  skipped: { label: 'Not asked', tone: 'quiet' },
  canceled: { label: 'Withdrawn', tone: 'quiet' },
}

const SKIPPED =
  'After ten failures in a row an agent is left alone for a minute at a time. Mend the cause, then test it.'

/** Of a verdict as it is stored; null where there is nothing to mend. */
export function fixWords(verdict: string): string | null {
  return verdict === 'skipped' ? SKIPPED : fixOf(verdict)
}
