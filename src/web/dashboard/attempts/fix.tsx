/** What to do about a try that did not go well, in people's words, with the way to where it is done. */

import { fixOf } from '../../../rfq/verdicts.ts'
import { AGENT_PATH, PRICING_PATH } from '../paths.ts'
import type { ShownAttempt } from './attempt.tsx'

const WAYS: Record<string, readonly [href: string, words: string]> = {
  invalid: ['/docs/producers#without-the-kit', 'What an answer looks like'],
  bad_status: ['/docs/producers#know-who-is-asking', 'How to check that it is us'],
  skipped: [`${AGENT_PATH}#test`, 'Test your agent'],
}
const VERDICTS_DOC = ['/docs/rfq#verdicts', 'What each verdict means'] as const

/** Nothing where there is nothing to mend. */
export function Fix({ kind, verdict }: Pick<ShownAttempt, 'kind' | 'verdict'>) {
  if (verdict === null) return null
  if (kind === 'managed') return <ManagedFix verdict={verdict} />
  const fix = fixOf(verdict, 'pages')
  if (fix === null) return null
  const [href, words] = WAYS[verdict] ?? VERDICTS_DOC
  return (
    <p class="aside">
      <strong>How to fix it:</strong> {fix} <a href={href}>{words}</a>
    </p>
  )
}

function ManagedFix({ verdict }: { verdict: string }) {
  if (verdict === 'quoted' || verdict === 'canceled') return null
  return (
    <p class="aside">
      Souk answered by your rules. <a href={PRICING_PATH}>Change the rules of your products</a>
    </p>
  )
}
