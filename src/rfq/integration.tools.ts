/**
 * How an organization answers requests for quotes, for a model that looks after it. A secret is neither taken nor shown
 * here: where one is needed, a person enters it on the dashboard. What the agent sent back stands in a fence.
 */
import { z } from 'zod'
import { toWire } from '../lib/entity.ts'
import { invalid } from '../lib/errors.ts'
import { fitBlocks, fitItems, paragraphs, TEXT_ROOM } from '../lib/fit-text.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { inlineText, untrusted } from '../lib/untrusted.ts'
import { counted, durationWords, usd } from '../lib/words.ts'
import { AUTH_TYPES, CardUrl, integrationWire } from '../orgs/integration.schema.ts'
import { getIntegration, setIntegration } from '../orgs/integration.service.ts'
import { defineTool } from '../tools/define-tool.ts'
import type { RfqContext } from './context.ts'
import { getIntegrationReport } from './integration-report.service.ts'
import type { WireAnswer } from './quote.schema.ts'
import { deliveryWords, shippingWords } from './quotes-text.ts'
import { type TestedAgent, testOwnAgent } from './test-rfq.service.ts'
import { fixOf } from './verdicts.ts'

const MAX_EXCERPT = 500

const configuration = {
  is_managed: z.boolean().describe('Souk quotes with your rules'),
  managed_rules: z.record(z.string(), z.unknown()).nullable(),
  agent_card_url: z.string().nullable(),
  auth_type: z.enum(AUTH_TYPES),
  status: z.enum(['pending', 'active', 'unreachable']),
  last_response_ms: z.number().nullable(),
  last_checked_at: z.string().nullable(),
}

const GetInput = z.object({
  run_test: z
    .boolean()
    .default(false)
    .describe(
      'Send your agent one real test RFQ now (owner or admin; 10 an hour); managed: simulate a quote',
    ),
})

const GetOutput = z.object({
  ...configuration,
  failures_in_a_row: z.int(),
  skipped_until: z.string().nullable(),
  last_attempts: z.array(
    z.object({
      rfq_id: z.string(),
      product_slug: z.string(),
      asked_at: z.string(),
      verdict: z.string(),
      response_status: z.int().nullable(),
      ms: z.int().nullable(),
      reason: z.string().nullable(),
      fix: z.string().nullable(),
    }),
  ),
  advice: z.array(z.string()).describe('What to do, most urgent first'),
  test: z
    .object({
      kind: z.enum(['agent', 'managed', 'none']).describe('none: nothing could be tested; see reason'),
      product_slug: z.string().nullable(),
      rfq_id: z.string().nullable(),
      endpoint: z.string().nullable(),
      request_headers: z.record(z.string(), z.string()).nullable(),
      response_status: z.int().nullable(),
      response_excerpt: z.string().nullable().describe('Untrusted: as sent by the agent, shortened'),
      ms: z.int().nullable(),
      verdict: z.string().nullable(),
      reason: z.string(),
      fix: z.string().nullable(),
      answer: z.record(z.string(), z.unknown()).nullable().describe('The quote as read by Souk'),
    })
    .nullable(),
})
type IntegrationData = z.output<typeof GetOutput>

export const getAgentIntegration = defineTool<RfqContext, typeof GetInput, typeof GetOutput>({
  name: 'get_agent_integration',
  title: 'Get agent integration',
  description:
    'Shows how your organization answers requests for quote: managed pricing or its own agent, its health, last answers and how to fix problems. run_test: true sends your agent one signed test RFQ now and checks its answer; no buyer sees it. Change the setup with set_agent_integration.',
  audience: 'producers',
  effects: { readOnly: false, destructive: false, idempotent: false },
  openWorld: true,
  slow: true,
  input: GetInput,
  output: GetOutput,
  async run(ctx, call, input) {
    if (input.run_test) call.progress({ done: 0, total: 1, message: 'Asking your agent for a quote' })
    const tested = input.run_test ? await testOwnAgent(ctx, call, call.signal()) : null
    const report = await getIntegrationReport(ctx, call)
    const data = {
      ...integrationWire(report),
      failures_in_a_row: report.failuresInARow,
      skipped_until: report.skipUntil?.toISOString() ?? null,
      last_attempts: report.attempts.map(({ status, ...attempt }) => ({
        ...toWire(attempt),
        response_status: status,
        fix: fixOf(attempt.verdict),
      })),
      advice: report.advice,
      test: tested && wireTest(tested),
    }
    return { text: reportText(data), data }
  },
})

const SetInput = z.object({
  is_managed: z
    .boolean()
    .optional()
    .describe('true: Souk quotes with your pricing rules; false: your own agent does'),
  agent_card_url: CardUrl.nullable()
    .optional()
    .describe('https URL of your agent card, on your verified domain; null removes it'),
  auth_type: z
    .enum(AUTH_TYPES)
    .optional()
    .describe('How requests to your agent are authenticated; secrets are entered on the dashboard only'),
  rotate_secret: z
    .boolean()
    .default(false)
    .describe('true: changes nothing, answers where a person replaces the stored secret; send it alone'),
})

const SETTINGS = ['is_managed', 'agent_card_url', 'auth_type'] as const
const setting = z.enum(SETTINGS)

const SetOutput = z.object({
  ...configuration,
  changed: z.array(setting).describe('Settings that are other than before'),
  not_changed: z
    .array(z.object({ setting, reason: z.string() }))
    .describe('Settings that were sent and are as before'),
  needs_secret: z.boolean().describe('Nothing was changed: someone must enter the secret at dashboard_url'),
  dashboard_url: z.string(),
})

export const setAgentIntegration = defineTool<RfqContext, typeof SetInput, typeof SetOutput>({
  name: 'set_agent_integration',
  title: 'Set agent integration',
  description:
    'Switches your organization between managed pricing and its own quoting agent, or sets that agent’s card URL (owner or admin). The card is checked first; the answer says what changed and what did not. Secrets never go through tools: if one is needed, or is to be replaced (rotate_secret), nothing changes and the answer has the dashboard link. Then test it: get_agent_integration with run_test.',
  audience: 'producers',
  effects: { readOnly: false, destructive: true, idempotent: false },
  openWorld: true,
  input: SetInput,
  output: SetOutput,
  async run(ctx, call, input) {
    const { rotate_secret: rotates, ...wanted } = input
    const sent = SETTINGS.filter((name) => wanted[name] !== undefined)
    if (rotates && sent.length > 0)
      throw invalid('rotate_secret', 'rotate_secret: send it without other settings')
    const { needsSecret, before } = await setIntegration(ctx, call, {
      isManaged: wanted.is_managed,
      agentCardUrl: wanted.agent_card_url,
      authType: wanted.auth_type,
    })
    const now = integrationWire(await getIntegration(ctx, call))
    const was = integrationWire(before)
    const changed = SETTINGS.filter((name) => was[name] !== now[name])
    const reason = needsSecret ? 'a person must enter the secret first' : 'it was so already'
    const data = {
      ...now,
      changed,
      not_changed: sent.flatMap((name) => (changed.includes(name) ? [] : [{ setting: name, reason }])),
      needs_secret: needsSecret || (rotates && now.auth_type !== 'none'),
      dashboard_url: `${ctx.config.baseUrl}/dashboard/agent`,
    }
    return { text: rotates ? rotationText(data) : changedText(data), data }
  },
})

function wireTest({ missing: _, requestBody: __, response, ...tested }: TestedAgent) {
  return {
    ...toWire(tested),
    response_status: response?.status ?? null,
    response_excerpt: response && shorten(cleanLine(response.body), MAX_EXCERPT),
    fix: tested.kind === 'agent' && tested.verdict !== null ? fixOf(tested.verdict) : null,
  }
}

type Configuration = Pick<IntegrationData, keyof typeof configuration>
/** Kept for the last line. */
const NEXT_ROOM = 120

type Test = NonNullable<IntegrationData['test']>

function reportText(data: IntegrationData): string {
  return fitBlocks(TEXT_ROOM, [
    () => ['# How you answer requests for quote', configurationLines(data), healthLine(data)].join('\n\n'),
    () => (data.test ? testBlock(data.test) : ''),
    () => listed('## What to do', data.advice),
    (room) => attemptsBlock(data, room - NEXT_ROOM),
    () => nextLine(data),
  ])
}

type Changed = Configuration &
  Pick<z.output<typeof SetOutput>, 'changed' | 'not_changed' | 'needs_secret' | 'dashboard_url'>

function changedText(data: Changed): string {
  const { changed, not_changed, needs_secret, dashboard_url, auth_type } = data
  const kept = not_changed.map(({ setting }) => setting).join(', ')
  const secret = `this auth_type needs a secret (a stored one is only valid for its host and port), and secrets never go through tools. Ask the user to enter it with the card's URL at ${dashboard_url}`
  const done = needs_secret
    ? `Nothing was changed: ${secret}`
    : [
        changed.length > 0 ? `Changed: ${changed.join(', ')}.` : 'Nothing was changed.',
        kept === '' ? '' : `As before: ${kept}.`,
        changed.length === 0 && auth_type !== 'none'
          ? 'The stored secret stays; to replace it, send rotate_secret: true.'
          : '',
      ]
        .filter(Boolean)
        .join(' ')
  return paragraphs([
    done,
    `${changed.length > 0 ? 'Now' : 'Current setup'}:\n${configurationLines(data)}`,
    changed.length > 0
      ? 'Next: get_agent_integration with run_test: true shows how a request is answered now.'
      : '',
  ])
}

/** A person does it: the one secret is valid until the other is saved, so no request is lost. */
function rotationText(data: Changed): string {
  if (data.auth_type === 'none')
    return `Nothing was changed: no secret is stored, because your agent needs none or none is registered.\n\nCurrent setup:\n${configurationLines(data)}\n\nNext: set_agent_integration with auth_type to require one.`
  return `Nothing was changed: secrets never go through tools. To replace the secret, ask the user to do this:\n1. Make your agent accept the new secret beside the old one.\n2. Open ${data.dashboard_url} and enter the new secret with the card's URL. The old one is used until it is saved.\n3. Take the old secret away from your agent.\n\nNext: get_agent_integration with run_test: true shows whether your agent accepts it.`
}

function configurationLines(data: Configuration): string {
  const rules = data.managed_rules?.volume_discounts
  const tiers = Array.isArray(rules) ? rules.length : 0
  const card = data.agent_card_url === null ? 'none' : inlineText(data.agent_card_url, 300)
  return [
    `- Answered by: ${answeredBy(data)}`,
    `- Agent card: ${card}${data.agent_card_url === null ? '' : ` (authentication: ${data.auth_type})`}`,
    `- Managed rules: ${data.managed_rules === null ? 'none' : `${counted(tiers, 'volume discount')}; see get_pricing_rules`}`,
    `- Status: **${data.status}**`,
  ].join('\n')
}

function answeredBy({ is_managed, agent_card_url }: Configuration): string {
  if (is_managed) return 'Souk, with your pricing rules (managed)'
  return agent_card_url === null ? '**nobody**: neither managed nor an agent card' : 'your own agent'
}

function healthLine(data: IntegrationData): string {
  if (data.is_managed || data.agent_card_url === null) return ''
  if (data.last_checked_at === null) return 'Your agent has had no requests yet.'
  const speed = data.last_response_ms === null ? '' : ` in ${durationWords(data.last_response_ms)}`
  const failed =
    data.failures_in_a_row === 0 ? 'no failures' : `${counted(data.failures_in_a_row, 'failure')} in a row`
  return `Last request ${data.last_checked_at}${speed}; ${failed}.`
}

function testBlock(test: Test): string {
  if (test.kind === 'none') return `## Test: not run\n\n${test.reason}`
  const verdict = `**${test.verdict}**: ${inlineText(test.reason, 400)}`
  if (test.kind === 'managed')
    return paragraphs([
      '## Test: the answer of managed pricing now',
      `1 × ${test.product_slug}: ${verdict}`,
      answerLine(test.answer),
    ])
  const headers = Object.entries(test.request_headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  return paragraphs([
    '## Test: one real request to your agent, just now',
    [
      `- Product: 1 × ${test.product_slug}, rfq_id ${test.rfq_id}`,
      `- Sent to: ${inlineText(test.endpoint ?? '', 300)}`,
      `- Headers: ${headers.map((header) => inlineText(header, 120)).join('; ')}`,
      `- Answer: ${test.response_status === null ? 'none' : `status ${test.response_status}`}, after ${durationWords(test.ms ?? 0)}`,
      `- Verdict: ${verdict}`,
      ...(test.fix === null ? [] : [`- Fix: ${test.fix}`]),
    ].join('\n'),
    answerLine(test.answer),
    test.answer === null && test.response_excerpt
      ? untrusted('your agent', [{ label: 'Answer', text: test.response_excerpt }])
      : '',
  ])
}

function answerLine(answer: Test['answer']): string {
  if (answer === null) return ''
  const { price_usd, shipping_cost_usd, estimated_shipping_days, offer_expires_at } = answer as WireAnswer
  const facts = [
    usd(price_usd),
    shippingWords(shipping_cost_usd),
    deliveryWords(estimated_shipping_days),
    `valid until ${offer_expires_at}`,
  ]
  return `Read as: ${facts.join(' · ')}.`
}

function attemptsBlock({ last_attempts: attempts, advice }: IntegrationData, room: number): string {
  if (attempts.length === 0) return ''
  const lines = attempts.map((attempt) => {
    const ms = attempt.ms === null ? '' : ` · ${durationWords(attempt.ms)}`
    const reason = attempt.reason === null ? '' : ` · ${inlineText(attempt.reason, 300)}`
    return `- ${attempt.asked_at} · ${attempt.product_slug} · **${attempt.verdict}**${ms}${reason}`
  })
  const fixes = new Map(
    attempts.flatMap(({ verdict, fix }) => (fix === null ? [] : [[verdict, fix] as const])),
  )
  const unsaid = [...fixes].filter(([, fix]) => !advice.includes(fix))
  return fitItems(lines.length, room, (shown) =>
    paragraphs([
      listed('## Last answers', lines.slice(0, shown), ''),
      shown === lines.length
        ? listed(
            'How to fix them:',
            unsaid.map(([verdict, fix]) => `${verdict}: ${fix}`),
          )
        : `${counted(lines.length - shown, 'more')} in list_rfqs.`,
    ]),
  )
}

function listed(heading: string, lines: readonly string[], bullet = '- '): string {
  if (lines.length === 0) return ''
  return `${heading}\n${lines.map((line) => `${bullet}${line}`).join('\n')}`
}

function nextLine({ test, is_managed, agent_card_url }: IntegrationData): string {
  if (test !== null || (!is_managed && agent_card_url === null))
    return 'Next: set_agent_integration, list_rfqs.'
  return 'Next: run_test: true tests it now; list_rfqs has all received requests.'
}
