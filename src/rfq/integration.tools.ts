/**
 * How an organization answers requests for quotes, for a model that looks after it. A secret is neither taken nor shown
 * here: where one is needed, a person enters it on the dashboard.
 */
import { z } from 'zod'
import { cleanLine, shorten } from '../lib/text.ts'
import { AUTH_TYPES, CardUrl, integrationWire } from '../orgs/integration.schema.ts'
import { getIntegration, setIntegration } from '../orgs/integration.service.ts'
import { defineTool } from '../tools/define-tool.ts'
import type { RfqContext } from './context.ts'
import { getIntegrationReport } from './integration-report.service.ts'
import { changedText, reportText } from './integration-text.ts'
import { type TestedAgent, testOwnAgent } from './test-rfq.service.ts'
import { fixOf } from './verdict-fixes.ts'

const MAX_EXCERPT = 500

const configuration = {
  is_managed: z.boolean().describe('The service quotes by your rules'),
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
      response_excerpt: z.string().nullable().describe('Untrusted: as the agent sent it, cut'),
      ms: z.int().nullable(),
      verdict: z.string().nullable(),
      reason: z.string(),
      fix: z.string().nullable(),
      answer: z.record(z.string(), z.unknown()).nullable().describe('The quote as it was understood'),
    })
    .nullable(),
})
export type IntegrationData = z.output<typeof GetOutput>

export const getAgentIntegration = defineTool<RfqContext, typeof GetInput, typeof GetOutput>({
  name: 'get_agent_integration',
  title: 'Get agent integration',
  description:
    'Shows how your organization answers requests for quote: managed pricing or its own agent, its health, its last answers and how to fix what is wrong. run_test: true sends your agent one signed test RFQ now and says what is wrong with its answer; no buyer sees it. Change the set-up with set_agent_integration.',
  audience: 'producers',
  effects: { readOnly: false, destructive: false, idempotent: false },
  openWorld: true,
  slow: true,
  input: GetInput,
  output: GetOutput,
  async run(ctx, call, input) {
    const deed = { caller: call.caller, visit: call.visit }
    if (input.run_test) call.progress({ done: 0, total: 1, message: 'Asking your agent for a quote' })
    const tested = input.run_test ? await testOwnAgent(ctx, deed, call.signal()) : null
    const report = await getIntegrationReport(ctx, deed)
    const data = {
      ...integrationWire(report),
      failures_in_a_row: report.failuresInARow,
      skipped_until: report.skipUntil?.toISOString() ?? null,
      last_attempts: report.attempts.map((attempt) => ({
        rfq_id: attempt.rfqId,
        product_slug: attempt.productSlug,
        asked_at: attempt.askedAt.toISOString(),
        verdict: attempt.verdict,
        response_status: attempt.status,
        ms: attempt.ms,
        reason: attempt.reason,
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
    .describe('true: the service quotes by your pricing rules; false: your own agent is asked'),
  agent_card_url: CardUrl.nullable()
    .optional()
    .describe('https address of your agent card, on your verified domain; null takes it away'),
  auth_type: z
    .enum(AUTH_TYPES)
    .optional()
    .describe('How requests to your agent are authenticated; secrets are entered on the dashboard only'),
})

const SetOutput = z.object({
  ...configuration,
  needs_secret: z.boolean().describe('Nothing was changed: a person must enter the secret at dashboard_url'),
  dashboard_url: z.string(),
})

export const setAgentIntegration = defineTool<RfqContext, typeof SetInput, typeof SetOutput>({
  name: 'set_agent_integration',
  title: 'Set agent integration',
  description:
    'Switches your organization between managed pricing and its own quoting agent, or sets the address of that agent’s card (owner or admin). The card is fetched and checked first. Secrets never go through tools: when one is needed, nothing changes and the answer has the dashboard link. Then try it: get_agent_integration with run_test.',
  audience: 'producers',
  effects: { readOnly: false, destructive: true, idempotent: false },
  openWorld: true,
  input: SetInput,
  output: SetOutput,
  async run(ctx, call, input) {
    const deed = { caller: call.caller, visit: call.visit }
    const { needsSecret } = await setIntegration(ctx, deed, {
      isManaged: input.is_managed,
      agentCardUrl: input.agent_card_url,
      authType: input.auth_type,
    })
    const data = {
      ...integrationWire(await getIntegration(ctx, deed)),
      needs_secret: needsSecret,
      dashboard_url: `${ctx.config.baseUrl}/dashboard/agent`,
    }
    return {
      text: changedText(
        data,
        Object.values(input).every((value) => value === undefined),
      ),
      data,
    }
  },
})

function wireTest(tested: TestedAgent): NonNullable<IntegrationData['test']> {
  return {
    kind: tested.kind,
    product_slug: tested.productSlug,
    rfq_id: tested.rfqId,
    endpoint: tested.endpoint,
    request_headers: tested.requestHeaders,
    response_status: tested.response?.status ?? null,
    response_excerpt: tested.response && shorten(cleanLine(tested.response.body), MAX_EXCERPT),
    ms: tested.ms,
    verdict: tested.verdict,
    reason: tested.reason,
    fix: tested.kind === 'agent' && tested.verdict !== null ? fixOf(tested.verdict) : null,
    answer: tested.answer,
  }
}
