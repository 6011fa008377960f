/**
 * /dashboard/agent: sellers register their agent's card with its secret, which no tool ever takes, see how it answers,
 * and test it. A link may fill in the form, but only a button changes anything.
 */
import { z } from 'zod'
import { awaitLater } from '../../../lib/background.ts'
import { typedRegion } from '../../../lib/regions.ts'
import {
  type AuthType,
  type CardRegistration,
  type Integration,
  RegisterCardBody,
} from '../../../orgs/integration.schema.ts'
import { changeIntegration, getIntegration, registerAgentCard } from '../../../orgs/integration.service.ts'
import { checkUcp, getUcpCheck, type LastUcpCheck } from '../../../orgs/ucp.service.ts'
import { listMyProducts } from '../../../producers/my-products.service.ts'
import { type BuyerView, viewAsBuyer } from '../../../rfq/buyer-view.service.ts'
import { getIntegrationReport, MOST_ATTEMPTS, type Trouble } from '../../../rfq/integration-report.service.ts'
import { RfqRequest } from '../../../rfq/rfq.schema.ts'
import { MOST_TESTS, type TestedAgent, testOwnAgent } from '../../../rfq/test-rfq.service.ts'
import { fixOf } from '../../../rfq/verdicts.ts'
import { isOutboxOpen } from '../../account/outbox.routes.tsx'
import { Moment } from '../../components/moment.tsx'
import { sentence } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { Form, type FormProps, type FormState } from '../../kit/fields.tsx'
import { type FieldSpec, Fields, type FormSpec, formOf } from '../../kit/form.tsx'
import { Action, Facts, LinkButton, LinkLine, Panel, State, Waiting } from '../../kit/parts.tsx'
import { Hole } from '../../stream-page.tsx'
import { Attempt, attemptOfTest } from '../attempts/attempt.tsx'
import { formatMs } from '../attempts/readable.ts'
import { type Dashboard, type DashboardDeps, type Visitor, type VisitorSeen, WhoMay } from '../guard.tsx'
import {
  AGENT_PATH,
  CLAIM_PATH,
  FOUND_PATH,
  ORGANIZATION_PATH,
  PRICING_PATH,
  pricingPath,
  SANDBOX_PATH,
} from '../paths.ts'
import { REQUEST_FIELDS } from '../request.form.ts'
import { History } from './agent.history.tsx'
import { BuyerSees } from './buyer-view.tsx'

const ANSWERING_PATH = `${AGENT_PATH}/answering`
const UCP_PATH = `${AGENT_PATH}/ucp`
const TEST_PATH = `${AGENT_PATH}/test`
/** What a link may fill in, and what is kept of a form after signing in: never the secret. */
const KEPT = ['agent_card_url', 'auth_type'] as const
const MOST_SUGGESTED = 50

export const AGENT_SAID = {
  card: 'Agent card saved. Your agent now answers buyers.',
  managed: 'Managed pricing is on. Souk now answers buyers for you.',
  own: 'Your own agent now answers buyers.',
  cleared: 'Agent card and secret removed.',
  ucp: 'We checked your shop for a UCP profile.',
} as const

const AUTH_WORDS: Record<AuthType, string> = {
  none: 'None (anyone could call your agent)',
  bearer: 'Bearer token',
  hmac: 'HMAC signature',
}

const cardFields = (hints: { url?: string; secret?: string } = {}): FormSpec => ({
  agent_card_url: { kind: 'url', label: 'Agent card URL', required: true, hint: hints.url },
  auth_type: {
    ...{ kind: 'choice', label: 'Authentication', options: Object.entries(AUTH_WORDS) },
    hint: 'How your agent knows a request is from Souk.',
  },
  secret: { kind: 'secret', label: 'Secret', hint: hints.secret },
})
const CARD = cardFields()

/** The form's one secret goes where the API has two. One that would be ignored is refused. */
const CardForm = formOf(
  CARD,
  z.unknown().transform((form, check): CardRegistration => {
    const { secret, ...card } = form as Record<string, string>
    const refuse = (field: string, issue: object) =>
      check.issues.push({ code: 'custom', ...issue, path: [field] } as z.core.$ZodRawIssue)
    if ((card.auth_type ?? 'none') === 'none' && secret)
      refuse('auth_type', { message: 'You entered a secret. Choose how to use it, or leave it empty.' })
    const given = { ...card, bearer_token: secret, hmac_secret: secret }
    const parsed = RegisterCardBody.safeParse(given, { reportInput: true })
    if (parsed.success) return parsed.data
    for (const issue of parsed.error.issues) {
      const [field = ''] = issue.path.map(String)
      refuse(field in CARD ? field : 'secret', issue)
    }
    return z.NEVER
  }),
)

/** Each button says all of what is to be, so that two pressed together cannot mix. */
const AnsweringForm = z
  .object({
    is_managed: z.enum(['true', 'false']),
    agent_card: z.enum(['keep', 'clear']),
    from: z.enum(['agent', 'pricing', 'start']).default('agent'),
  })
  .transform(({ is_managed, agent_card, from }) => ({
    isManaged: is_managed === 'true',
    clearCard: agent_card === 'clear',
    page: { agent: AGENT_PATH, pricing: PRICING_PATH, start: FOUND_PATH }[from],
  }))

const TestForm = formOf(
  REQUEST_FIELDS,
  RfqRequest.extend({ product_slug: RfqRequest.shape.product_slug.optional() }),
)

export function mountAgent(dashboard: Dashboard, { ctx, config }: DashboardDeps): void {
  const deadlineMs = ctx.rfqDeadlineMs

  async function show({ c, visitor, state }: VisitorSeen): Promise<Page> {
    const { org } = visitor
    const manages = visitor.may('manage')
    const linked = c.req.method === 'POST' ? {} : keptOf(c.req.query())
    const [report, ucp, products] = await Promise.all([
      getIntegrationReport(ctx, visitor, { attempts: MOST_ATTEMPTS }),
      getUcpCheck(ctx, visitor),
      testable(visitor),
    ])
    const { isManaged, agentCardUrl, troubles, attempts } = report
    // The frame of the page says that an organization is deactivated.
    const told = troubles.filter(({ kind }) => kind !== 'deactivated')
    return {
      title: 'Agent',
      lead: `Set up how ${org.name} answers requests for quotes.`,
      said: AGENT_SAID,
      body: [
        <Panel title="Status">
          {told.length > 0 && (
            <div class="aside">
              <h3>What to do</h3>
              <ul class="rows">
                {told.map((trouble) => (
                  <li>{troubleWords(trouble)}</li>
                ))}
              </ul>
            </div>
          )}
          <Facts facts={factsOf(report)} />
          {isManaged && <LinkLine to={PRICING_PATH}>Edit your pricing rules</LinkLine>}
          <WhoMay visitor={visitor} right="manage" />
        </Panel>,
        manages && <CardPanel visitor={visitor} integration={report} state={state} linked={linked} />,
        <History attempts={attempts} />,
        manages && (isManaged || agentCardUrl !== null) && (
          <Panel title="Test" id="test">
            <TestNow state={state} products={products} isManaged={isManaged} />
          </Panel>
        ),
        visitor.may('edit') && isOutboxOpen(c, config) && (
          <p>
            Developing an agent on this computer? <a href={SANDBOX_PATH}>Try it in the sandbox</a>
          </p>
        ),
        manages && <AnswersPanel integration={report} />,
        <UcpPanel visitor={visitor} check={ucp} />,
      ],
    }
  }

  dashboard.page(AGENT_PATH, 'read', show)

  dashboard.action(AGENT_PATH, {
    schema: CardForm,
    from: (_c, form) => `${AGENT_PATH}?${new URLSearchParams(keptOf(form))}`,
    done: 'card',
    act: ({ act, input }) => registerAgentCard(ctx, act, input),
  })

  dashboard.action(ANSWERING_PATH, {
    schema: AnsweringForm,
    async act({ act, input: { isManaged, clearCard, page } }) {
      await changeIntegration(ctx, act, { isManaged, clearCard })
      return `${page}?done=${clearCard ? 'cleared' : isManaged ? 'managed' : 'own'}`
    },
  })

  dashboard.action(UCP_PATH, {
    done: `${AGENT_PATH}?done=ucp#ucp`,
    act: ({ act }) => checkUcp(ctx, act),
  })

  /** A refusal comes back with the form. Once the test is sent, the page is shown and waits for the answer. */
  dashboard.action(TEST_PATH, {
    ...{ schema: TestForm, from: `${AGENT_PATH}#test` },
    async act({ act, visitor, input }) {
      const { product_slug: productSlug, quantity, delivery_region: deliveryRegion } = input
      const [{ isManaged }, products] = await Promise.all([getIntegration(ctx, act), testable(visitor)])
      const values = {
        product_slug: productSlug ?? '',
        quantity: String(quantity),
        delivery_region: typedRegion(deliveryRegion ?? ''),
      }
      const page = (shown: Page['body']): Page => ({
        title: 'Agent test',
        actions: <LinkButton to={AGENT_PATH} label="Back to agent" />,
        body: [
          shown,
          <Panel title="Test again">
            <TestNow state={{ values, errors: {} }} products={products} isManaged={isManaged} />
          </Panel>,
        ],
      })
      const gone = new AbortController()
      const sending = Promise.withResolvers<null>()
      const asked = { ...(productSlug && { productSlug }), quantity, deliveryRegion }
      // A fault is reported where the result is awaited below, also when that begins later.
      const testing = awaitLater(testOwnAgent(ctx, act, gone.signal, asked, () => sending.resolve(null)))
      const result = async (tested: TestedAgent) => {
        const { productSlug: named, answer } = tested
        const view = named !== null && answer ? await viewAsBuyer(ctx, act, { productSlug: named }) : null
        return <Tested {...{ tested, deadlineMs, view, quantity }} />
      }
      const early = await Promise.race([testing, sending.promise])
      if (early) return page(await result(early))
      const waiting = (
        <>
          <Waiting label="Waiting for the answer">
            Waiting for your agent. It has {formatMs(deadlineMs)} to answer.
          </Waiting>
          <Hole />
        </>
      )
      return {
        ...page(waiting),
        async stream(write, signal) {
          signal.addEventListener('abort', () => gone.abort())
          await write(await result(await testing))
        },
      }
    },
  })

  /** The products a test can ask for, by slug and title. */
  async function testable(visitor: Visitor): Promise<NonNullable<FieldSpec['options']>> {
    if (!visitor.may('manage')) return []
    const { products } = await listMyProducts(ctx, visitor, {
      ...{ relationshipType: null, verificationStatus: 'verified', query: null, hasIssues: null },
      ...{ limit: MOST_SUGGESTED, offset: 0 },
    })
    return products.map(({ facts: { slug, title } }) => [slug, title])
  }
}

function keptOf(given: Record<string, string>): FormState['values'] {
  return Object.fromEntries(KEPT.flatMap((name) => (given[name] ? [[name, given[name]]] : [])))
}

function troubleWords(trouble: Trouble) {
  switch (trouble.kind) {
    case 'deactivated':
      return null
    case 'nobody_answers':
      return 'Buyers’ requests don’t reach you. Register your agent below, or turn on managed pricing.'
    case 'secret_lost':
      return 'We can no longer read your agent’s secret. Save the card with the secret again.'
    case 'left_alone':
      return (
        <>
          Your agent failed many times in a row. We’ll ask it again after <Moment at={trouble.until} />.
        </>
      )
    case 'failing':
      return fixOf(trouble.verdict, 'pages') ?? trouble.fix
    case 'untried':
      return 'Your agent hasn’t answered a request yet. Test it to make sure it works.'
  }
}

/** Health outlives a switch to managed pricing and back, so each fact names the card or who answers now. */
function factsOf(integration: Integration): Array<[string, Page['body']]> {
  const { isManaged, agentCardUrl, authType, lastCheckedAt, lastResponseMs } = integration
  const facts: Array<[string, Page['body']]> = [
    [
      'Answered by',
      isManaged ? 'Souk, with your pricing rules' : agentCardUrl === null ? 'No one yet' : 'Your own agent',
    ],
    ['Status', statusWords(integration)],
    [
      'Agent card',
      `${agentCardUrl ?? 'None'}${agentCardUrl !== null && isManaged ? ' (saved, not in use)' : ''}`,
    ],
  ]
  if (agentCardUrl === null) return facts
  return [
    ...facts,
    ['Authentication', AUTH_WORDS[authType]],
    [
      'Last request',
      <>
        {lastCheckedAt === null ? 'None yet' : <Moment at={lastCheckedAt} />}
        {lastResponseMs !== null && `, last answer took ${formatMs(lastResponseMs)}`}
      </>,
    ],
  ]
}

function statusWords({ isManaged, agentCardUrl, status }: Integration): string {
  if (!isManaged && agentCardUrl === null)
    return 'Not set up. Register an agent card or turn on managed pricing to get requests.'
  if (status === 'active') return 'Active'
  if (status === 'pending') return 'Pending. Your agent becomes active with its first valid answer.'
  return 'Unreachable. Recent requests failed. We still ask your agent, but its quotes rank lower until it answers.'
}

type CardProps = {
  visitor: Visitor
  integration: Integration
  state: FormState
  /** What the address of the page fills in. */
  linked: FormState['values']
}

function CardPanel({ visitor: { org }, integration, state, linked }: CardProps) {
  const { agentCardUrl, authType, isManaged } = integration
  const registered = agentCardUrl !== null
  const byLink = Object.keys(linked).length > 0
  const stored = { agent_card_url: agentCardUrl ?? '', auth_type: authType }
  const fields = cardFields({
    url: `For example https://${org.domain}/.well-known/agent-card.json`,
    secret: `Your bearer token or HMAC key, at least 16 characters. ${
      registered && authType !== 'none'
        ? 'A secret is stored encrypted. Enter it, or a new one, each time you save.'
        : 'Stored encrypted and never shown again.'
    }`,
  })
  const form = (
    <>
      <p class="soft">
        Host the card on {org.domain} or a subdomain, over HTTPS, with the skill <code>respond-to-rfq</code>.
        When you save, we read the card and your agent starts answering.
      </p>
      {byLink && (
        <p class="aside">A link filled in this form. Check that the values are yours before you save.</p>
      )}
      <Form action={AGENT_PATH} label="Save">
        <Fields of={fields} state={{ ...state, values: { ...stored, ...linked, ...state.values } }} />
      </Form>
    </>
  )
  return (
    <Panel title={registered ? 'Agent card' : 'Register your agent'} id="card">
      {org.verificationStatus !== 'verified' || org.domain === null ? (
        <p>
          {org.domain === null
            ? 'First add your domain and verify it. Your agent card must be hosted there.'
            : `First verify ${org.domain}. Your agent card must be hosted there.`}{' '}
          <a href={ORGANIZATION_PATH}>Profile and domain</a>
        </p>
      ) : registered ? (
        <details open={byLink || Object.keys(CARD).some((name) => name in state.errors)}>
          <summary>Change the card or secret</summary>
          {form}
        </details>
      ) : (
        form
      )}
      {registered && (
        <Action
          {...{ to: ANSWERING_PATH, label: 'Remove card', kind: 'danger', ask: 'Remove card' }}
          fields={{ is_managed: String(isManaged), agent_card: 'clear' }}
        >
          <p>
            This deletes the card, its secret and its health.{' '}
            {isManaged ? 'Souk keeps answering for you.' : 'Buyers will get no answer from you.'}
          </p>
        </Action>
      )}
    </Panel>
  )
}

/** The switch of who answers; hidden where there is nothing to switch to. */
function AnswersPanel({ integration: { isManaged, agentCardUrl } }: { integration: Integration }) {
  if (isManaged && agentCardUrl === null) return null
  return (
    <Panel
      title={isManaged ? 'Switch back to your agent' : 'Let Souk answer for you'}
      id="who-answers"
      lead={
        isManaged
          ? 'We’ll use the card and secret you registered.'
          : 'Managed pricing needs no server. Souk answers buyers instantly with your pricing rules. Your card is saved, but not used.'
      }
    >
      <AnsweringAction isManaged={!isManaged} />
    </Panel>
  )
}

/** Switches who answers, and comes back to the page it is on. */
export function AnsweringAction({
  isManaged,
  from,
  label = isManaged ? 'Turn on managed pricing' : 'Use your own agent',
  kind,
}: {
  isManaged: boolean
  from?: 'pricing' | 'start'
  label?: string
  kind?: FormProps['kind']
}) {
  const fields = { is_managed: String(isManaged), agent_card: 'keep', from }
  return <Action to={ANSWERING_PATH} label={label} kind={kind} fields={fields} />
}

type TestNowProps = { state: FormState; products: FieldSpec['options']; isManaged: boolean }

function TestNow({ state, products, isManaged }: TestNowProps) {
  const of: FormSpec = {
    ...REQUEST_FIELDS,
    product_slug: { ...REQUEST_FIELDS.product_slug, kind: 'text', label: 'Product', options: products },
  }
  const values = { quantity: '1', delivery_region: 'California', ...state.values }
  return (
    <>
      <p class="soft">
        {isManaged
          ? 'See what Souk would answer a buyer for you now. Nothing is sent.'
          : `Send your agent one request, signed like a real one, and see the request and the answer. Buyers don’t see it, and a wrong answer doesn’t count against you. Up to ${MOST_TESTS} tests an hour.`}
      </p>
      <Form action={TEST_PATH} label="Test now" kind="plain">
        <div class="filters">
          <Fields
            {...{ of, state: { ...state, values } }}
            only={['product_slug', 'quantity', 'delivery_region']}
          />
        </div>
      </Form>
    </>
  )
}

type TestedProps = { tested: TestedAgent; deadlineMs: number; view: BuyerView | null; quantity: number }

function Tested({ tested, deadlineMs, view, quantity }: TestedProps) {
  const { productSlug, kind, answer, missing } = tested
  const attempt = attemptOfTest(tested)
  if (attempt === null)
    return (
      <div class="ended">
        <Panel title="Nothing to test yet">
          {missing === 'product' ? (
            <p>
              You need a product with a verified claim. <a href={CLAIM_PATH}>Claim a product</a>
            </p>
          ) : (
            <p>
              <a href={AGENT_PATH}>Register your agent or turn on managed pricing</a> first.
            </p>
          )}
        </Panel>
      </div>
    )
  return (
    <div class="ended">
      <Panel title="Result">
        <Attempt attempt={attempt} title={productSlug ?? 'Test'} deadlineMs={deadlineMs}>
          {kind === 'managed' && productSlug !== null && (
            <p>
              Souk answers for you, so nothing was sent.{' '}
              <a href={`${pricingPath(productSlug)}#simulator`}>See how we calculate this price</a>
            </p>
          )}
          {kind === 'agent' && answer && (
            <details>
              <summary>How we read the answer</summary>
              <Facts
                facts={Object.entries(answer).flatMap(([name, value]) =>
                  value == null || value === '' ? [] : [[name, String(value)] as const],
                )}
              />
            </details>
          )}
        </Attempt>
      </Panel>
      {view && answer && <BuyerSees {...{ view, answer, quantity }} />}
    </div>
  )
}

/** Whether agents can check out at the organization's shop by UCP: what we found last, and a button to check again. */
function UcpPanel({ visitor: { org, may }, check }: { visitor: Visitor; check: LastUcpCheck | null }) {
  const checkable = org.domain === null ? org.shopifyShop !== null : org.verificationStatus === 'verified'
  return (
    <Panel
      title="Checkout by agents (UCP)"
      id="ucp"
      lead="Agents that speak UCP can buy from shops that publish a UCP profile. We look for yours on your domain, then on your Shopify shop."
    >
      {check === null ? (
        <p class="soft">Not checked yet.</p>
      ) : (
        <>
          <p class="line">
            <State tone={check.supported ? 'good' : 'quiet'}>
              {check.supported ? 'Profile found' : 'No profile found'}
            </State>
            <span class="soft">
              Checked <Moment at={check.checkedAt} />
            </span>
          </p>
          <ul class="rows">
            {check.probes.map(({ url, outcome }) => (
              <li>
                {url ?? 'Your Shopify shop'}
                <span class="row-note">{sentence(outcome)}</span>
              </li>
            ))}
          </ul>
          {check.checkoutEndpoint !== null && <p>Checkout at {check.checkoutEndpoint}</p>}
        </>
      )}
      {may('edit') &&
        (checkable ? (
          <Action to={UCP_PATH} label={check === null ? 'Check now' : 'Check again'} />
        ) : (
          <p>
            First verify your shop’s domain. <a href={ORGANIZATION_PATH}>Profile and domain</a>
          </p>
        ))}
    </Panel>
  )
}
