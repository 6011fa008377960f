/**
 * How an organization answers requests for quotes, and the forms that change it. The secret is only ever
 * written: its field is always empty, also after an error. Whoever may not change anything sees the same facts and is
 * told who may. What a link has filled in is said to be so, since the link may be a stranger's.
 */
import type { AuthType, Integration } from '../../orgs/integration.schema.ts'
import type { Org, OrgRole } from '../../orgs/orgs.schema.ts'
import { Back } from '../account/account-pages.tsx'
import { renderNotice } from '../account/auth-pages.tsx'
import { NarrowPage } from '../components/narrow-page.tsx'
import { ErrorSummary, Field, Form, type FormState, Hidden, Labelled } from '../forms/fields.tsx'
import type { Site } from '../site.ts'
import { AUTH_WORDS, Facts } from './agent.facts.tsx'

export const AGENT_PATH = '/dashboard/agent'
export const ANSWERING_PATH = `${AGENT_PATH}/answering`

export const LABELS = {
  agent_card_url: 'Address of the agent card',
  auth_type: 'How your agent knows that it is us',
  secret: 'Secret',
} as const

export const DONE = ['card', 'managed', 'own', 'cleared'] as const
export type Done = (typeof DONE)[number]

const DONE_WORDS: Record<Done, string> = {
  card: 'The card was read and saved. Your agent is asked from now on.',
  managed: 'From now on Souk answers for you, by your pricing rules.',
  own: 'From now on your own agent is asked.',
  cleared: 'The card and its secret were removed.',
}

export type AgentView = {
  org: Org
  role: OrgRole | null
  integration: Integration
  /** How many organizations the person belongs to. */
  organizations: number
}

type AgentPage = AgentView & {
  site: Site
  state: FormState
  /** The form holds what the address of the page says. */
  byLink: boolean
  done: Done | null
}

export function renderAgent(page: AgentPage): string {
  const { site, org, state, done, integration, organizations } = page
  const errors = Object.fromEntries(
    Object.entries(state.errors).map(([name, text]) => [name, sentence(text)]),
  )
  const obstacle = obstacleTo(page)
  return String(
    <NarrowPage site={site} title="Agent integration" lead={`How ${org.name} answers requests for quotes.`}>
      {done && (
        <p class="done" role="status">
          {DONE_WORDS[done]}
        </p>
      )}
      <ErrorSummary errors={errors} />
      {organizations > 1 && (
        <p class="hint">
          You belong to {organizations} organizations, and this is about {org.name}. To select another one:{' '}
          <code>POST /api/org/select/</code>
        </p>
      )}
      <Facts integration={integration} />
      {obstacle ? (
        <p class="aside">{obstacle}</p>
      ) : (
        <>
          <CardPart {...page} state={{ ...state, errors }} />
          <ManagedPart {...page} />
          <RemovePart {...page} />
        </>
      )}
      <Back />
    </NarrowPage>,
  )
}

/** Why this person can change nothing here; null when they can. */
function obstacleTo({ org, role }: AgentView): string | null {
  if (org.deactivatedAt !== null)
    return `${org.name} is deactivated, so nothing can be changed. Ask the operator of this service.`
  if (role === 'owner' || role === 'admin') return null
  return `You are ${role} of ${org.name}. An owner or admin can change this.`
}

function CardPart({ org, integration, state, byLink }: AgentPage) {
  const { agentCardUrl, authType } = integration
  const isStored = agentCardUrl !== null && authType !== 'none'
  return (
    <section class="account-part">
      <h2>{agentCardUrl === null ? 'Register your agent' : 'Change the card or the secret'}</h2>
      {org.verificationStatus !== 'verified' || org.domain === null ? (
        <p>{provingWords(org)}</p>
      ) : (
        <>
          <p class="soft">
            The card must stand at {org.domain} or a subdomain of it, over https, and have the skill{' '}
            <code>respond-to-rfq</code>. It is read when you save. From then on your agent answers.
          </p>
          {byLink && (
            <p class="aside">
              The link you followed has filled in this form. Make sure that it is right before you save it.
            </p>
          )}
          <Form action={AGENT_PATH} label="Save">
            <Hidden name="org_id" value={org.id} />
            <Field
              state={state}
              name="agent_card_url"
              label={LABELS.agent_card_url}
              autocomplete="off"
              hint={`For example https://${org.domain}/.well-known/agent-card.json`}
              value={agentCardUrl ?? undefined}
              required
            />
            <AuthField state={state} stored={authType} />
            <Field
              state={state}
              name="secret"
              label={LABELS.secret}
              type="password"
              autocomplete="off"
              hint={`The bearer token, or the key of the signature: at least 16 characters. ${
                isStored
                  ? 'One is kept, encrypted; it is never shown. Each save needs it again, or a new one.'
                  : 'It is kept encrypted and never shown again.'
              }`}
            />
          </Form>
        </>
      )}
    </section>
  )
}

function AuthField({ state, stored }: { state: FormState; stored: AuthType }) {
  const chosen = state.values.auth_type ?? stored
  return (
    <Labelled state={state} name="auth_type" label={LABELS.auth_type}>
      {(control) => (
        <select autocomplete="off" {...control}>
          {Object.entries(AUTH_WORDS).map(([type, words]) => (
            <option value={type} selected={type === chosen}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

function provingWords({ domain }: Org): string {
  return domain === null
    ? 'First give your organization a domain with PATCH /api/org/ and prove it: the card must stand there.'
    : `First prove that ${domain} is yours, since the card must stand there. POST /api/org/verify-domain/ tells what to put where, and looks for it.`
}

function ManagedPart({ org, integration }: AgentPage) {
  const { isManaged, agentCardUrl } = integration
  if (isManaged && agentCardUrl === null) return null
  return (
    <section class="account-part">
      <h2>{isManaged ? 'Let your agent answer again' : 'Let Souk answer for you'}</h2>
      <p class="soft">
        {isManaged
          ? 'The registered card and its secret are used as they are.'
          : 'Managed pricing needs no server: Souk answers at once, by your pricing rules. A registered card is kept, but not asked.'}
      </p>
      <Answering
        org={org}
        isManaged={!isManaged}
        card="keep"
        label={isManaged ? 'Use your own agent' : 'Switch to managed pricing'}
      />
    </section>
  )
}

function RemovePart({ org, integration }: AgentPage) {
  const { isManaged, agentCardUrl } = integration
  if (agentCardUrl === null) return null
  return (
    <section class="account-part">
      <h2>Remove the card</h2>
      <p class="soft">
        The card, its secret and what is known of its health are deleted.{' '}
        {isManaged ? 'Souk goes on answering for you.' : 'Nobody answers for you then.'}
      </p>
      <Answering org={org} isManaged={isManaged} card="clear" label="Remove the card" />
    </section>
  )
}

type AnsweringProps = { org: Org; isManaged: boolean; card: 'keep' | 'clear'; label: string }

function Answering({ org, isManaged, card, label }: AnsweringProps) {
  return (
    <Form action={ANSWERING_PATH} label={label} kind={card === 'clear' ? 'danger' : 'plain'}>
      <Hidden name="org_id" value={org.id} />
      <Hidden name="is_managed" value={String(isManaged)} />
      <Hidden name="agent_card" value={card} />
    </Form>
  )
}

/** Services write their refusals as parts of a sentence. */
function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?/]$/.test(capital) ? capital : `${capital}.`
}

export function renderNoOrganization(site: Site): string {
  const text =
    'You belong to no organization, so there is no agent to set up. Register one with POST /api/org/register/, or ask an owner to invite you, and open this page again.'
  return renderNotice({
    site,
    title: 'No organization yet',
    text,
    link: '/account',
    label: 'Go to your account',
  })
}
