/** How an organization answers requests for quotes, in words for a model. What its agent sent back stands in a fence. */
import { fitBlocks, fitItems, TEXT_ROOM } from '../lib/fit-text.ts'
import { inlineText, untrusted } from '../lib/untrusted.ts'
import { counted, usd } from '../lib/words.ts'
import type { IntegrationData } from './integration.tools.ts'

type Configuration = Pick<
  IntegrationData,
  | 'is_managed'
  | 'managed_rules'
  | 'agent_card_url'
  | 'auth_type'
  | 'status'
  | 'last_response_ms'
  | 'last_checked_at'
>
/** Kept for the last line. */
const NEXT_ROOM = 120

type Test = NonNullable<IntegrationData['test']>

export function reportText(data: IntegrationData): string {
  return fitBlocks(TEXT_ROOM, [
    () => ['# How you answer requests for quote', configurationLines(data), healthLine(data)].join('\n\n'),
    () => (data.test ? testBlock(data.test) : ''),
    () => listed('## What to do', data.advice),
    (room) => attemptsBlock(data, room - NEXT_ROOM),
    () => nextLine(data),
  ])
}

export function changedText(
  data: Configuration & { needs_secret: boolean; dashboard_url: string },
  nothingGiven: boolean,
): string {
  if (nothingGiven) return `Nothing was changed. As it is:\n${configurationLines(data)}`
  return [
    data.needs_secret
      ? `Nothing was changed: this way to authenticate needs a secret (one that is kept stays with the host and port it was entered for), and secrets never go through tools. Ask the person to enter it, with the card's address, at ${data.dashboard_url}`
      : 'Saved.',
    `${data.needs_secret ? 'As it is' : 'Now'}:\n${configurationLines(data)}`,
    data.needs_secret
      ? ''
      : 'Next: get_agent_integration with run_test: true shows how a request is answered now.',
  ]
    .filter(Boolean)
    .join('\n\n')
}

function configurationLines(data: Configuration): string {
  const rules = data.managed_rules?.volume_discounts
  const tiers = Array.isArray(rules) ? rules.length : 0
  const card = data.agent_card_url === null ? 'none' : inlineText(data.agent_card_url, 300)
  return [
    `- Answered by: ${answeredBy(data)}`,
    `- Agent card: ${card}${data.agent_card_url === null ? '' : ` (authentication: ${data.auth_type})`}`,
    `- Managed rules: ${data.managed_rules === null ? 'none' : `${counted(tiers, 'volume discount')}; get_pricing_rules has them`}`,
    `- Status: **${data.status}**`,
  ].join('\n')
}

function answeredBy({ is_managed, agent_card_url }: Configuration): string {
  if (is_managed) return 'the service, by your pricing rules (managed)'
  return agent_card_url === null ? '**nobody**: neither managed nor an agent card' : 'your own agent'
}

function healthLine(data: IntegrationData): string {
  if (data.is_managed || data.agent_card_url === null) return ''
  if (data.last_checked_at === null) return 'Your agent has not been asked yet.'
  const speed = data.last_response_ms === null ? '' : ` in ${data.last_response_ms} ms`
  const failed =
    data.failures_in_a_row === 0 ? 'no failures' : `${counted(data.failures_in_a_row, 'failure')} in a row`
  return `Last asked ${data.last_checked_at}${speed}; ${failed}.`
}

function testBlock(test: Test): string {
  if (test.kind === 'none') return `## Test: not run\n\n${test.reason}`
  const verdict = `**${test.verdict}**: ${inlineText(test.reason, 400)}`
  if (test.kind === 'managed')
    return [
      '## Test: what managed pricing would answer now',
      `1 × ${test.product_slug}: ${verdict}`,
      answerLine(test.answer),
    ]
      .filter(Boolean)
      .join('\n\n')
  const headers = Object.entries(test.request_headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  return [
    '## Test: one real request to your agent, just now',
    [
      `- Asked for: 1 × ${test.product_slug}, rfq_id ${test.rfq_id}`,
      `- Sent to: ${inlineText(test.endpoint ?? '', 300)}`,
      `- Headers: ${headers.map((header) => inlineText(header, 120)).join('; ')}`,
      `- Answer: ${test.response_status === null ? 'none' : `status ${test.response_status}`}, after ${test.ms} ms`,
      `- Verdict: ${verdict}`,
      ...(test.fix === null ? [] : [`- Fix: ${test.fix}`]),
    ].join('\n'),
    answerLine(test.answer),
    test.answer === null && test.response_excerpt
      ? untrusted('your agent', [{ label: 'Answer', text: test.response_excerpt }])
      : '',
  ]
    .filter(Boolean)
    .join('\n\n')
}

function answerLine(answer: Test['answer']): string {
  if (answer === null) return ''
  const { price_usd, shipping_cost_usd, estimated_shipping_days, offer_expires_at } = answer
  const facts = [
    typeof price_usd === 'number' ? usd(price_usd) : '',
    typeof shipping_cost_usd === 'number' ? `shipping ${usd(shipping_cost_usd)}` : 'shipping not stated',
    typeof estimated_shipping_days === 'number'
      ? `delivery in ${counted(estimated_shipping_days, 'business day')}`
      : 'delivery time not stated',
    `valid until ${offer_expires_at}`,
  ]
  return `Understood as: ${facts.filter(Boolean).join(' · ')}.`
}

function attemptsBlock({ last_attempts: attempts, advice }: IntegrationData, room: number): string {
  if (attempts.length === 0) return ''
  const lines = attempts.map((attempt) => {
    const ms = attempt.ms === null ? '' : ` · ${attempt.ms} ms`
    const reason = attempt.reason === null ? '' : ` · ${inlineText(attempt.reason, 300)}`
    return `- ${attempt.asked_at} · ${attempt.product_slug} · **${attempt.verdict}**${ms}${reason}`
  })
  const fixes = new Map(
    attempts.flatMap(({ verdict, fix }) => (fix === null ? [] : [[verdict, fix] as const])),
  )
  const unsaid = [...fixes].filter(([, fix]) => !advice.includes(fix))
  return fitItems(lines.length, room, (shown) =>
    [
      listed('## Last answers', lines.slice(0, shown), ''),
      shown === lines.length
        ? listed(
            'How to mend them:',
            unsaid.map(([verdict, fix]) => `${verdict}: ${fix}`),
          )
        : `${counted(lines.length - shown, 'more')} in list_rfqs.`,
    ]
      .filter(Boolean)
      .join('\n\n'),
  )
}

function listed(heading: string, lines: readonly string[], bullet = '- '): string {
  if (lines.length === 0) return ''
  return `${heading}\n${lines.map((line) => `${bullet}${line}`).join('\n')}`
}

function nextLine({ test, is_managed, agent_card_url }: IntegrationData): string {
  if (test !== null || (!is_managed && agent_card_url === null))
    return 'Next: set_agent_integration, list_rfqs.'
  return 'Next: run_test: true tries it now; list_rfqs has all requests received.'
}
