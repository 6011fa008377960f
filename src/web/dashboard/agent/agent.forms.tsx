/**
 * The forms that change how an organization answers. The secret is only ever written: its field is always empty, also
 * after an error. What a link has filled in is said to be so, since the link may be a stranger's.
 */
import type { AuthType, Integration } from '../../../orgs/integration.schema.ts'
import type { Org } from '../../../orgs/orgs.schema.ts'
import { Field, type FormState, Hidden, Select } from '../../kit/fields.tsx'
import { Confirm, Panel } from '../../kit/parts.tsx'
import { ActionForm, type Visitor } from '../page.tsx'
import { AGENT_PATH, ORGANIZATION_PATH } from '../paths.ts'
import { AUTH_WORDS } from './agent.facts.tsx'

export const ANSWERING_PATH = `${AGENT_PATH}/answering`

export const LABELS = {
  agent_card_url: 'Address of the agent card',
  auth_type: 'How your agent knows that it is us',
  secret: 'Secret',
} as const

type CardProps = {
  visitor: Visitor
  integration: Integration
  state: FormState
  /** The form holds what the address of the page says. */
  byLink: boolean
}

export function CardPanel(props: CardProps) {
  const { visitor, integration, state, byLink } = props
  const registered = integration.agentCardUrl !== null
  const proved = visitor.org.verificationStatus === 'verified' && visitor.org.domain !== null
  const asked = byLink || Object.keys(LABELS).some((name) => name in state.errors)
  return (
    <Panel title={registered ? 'Agent card' : 'Register your agent'} id="card">
      {!proved && <p>{provingWords(visitor.org)}</p>}
      {!proved && (
        <p>
          <a href={ORGANIZATION_PATH}>Profile and domain</a>
        </p>
      )}
      {proved && !registered && <CardForm {...props} />}
      {proved && registered && (
        <details open={asked}>
          <summary>Change the card or the secret</summary>
          <CardForm {...props} />
        </details>
      )}
      {registered && <Remove visitor={visitor} integration={integration} />}
    </Panel>
  )
}

function CardForm({ visitor, integration, state, byLink }: CardProps) {
  const { org } = visitor
  const { agentCardUrl, authType } = integration
  const isStored = agentCardUrl !== null && authType !== 'none'
  return (
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
      <ActionForm visitor={visitor} action={AGENT_PATH} label="Save">
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
      </ActionForm>
    </>
  )
}

function AuthField({ state, stored }: { state: FormState; stored: AuthType }) {
  return (
    <Select
      state={state}
      name="auth_type"
      label={LABELS.auth_type}
      options={Object.entries(AUTH_WORDS)}
      value={stored}
    />
  )
}

function provingWords({ domain }: Org): string {
  return domain === null
    ? 'First give your organization a domain and prove that it is yours: the card must stand there.'
    : `First prove that ${domain} is yours, since the card must stand there.`
}

type AnswersProps = { visitor: Visitor; integration: Integration }

/** The one switch of who answers. Nothing to switch to is no switch. */
export function AnswersPanel({ visitor, integration }: AnswersProps) {
  const { isManaged, agentCardUrl } = integration
  if (isManaged && agentCardUrl === null) return null
  return (
    <Panel
      title={isManaged ? 'Let your agent answer again' : 'Let Souk answer for you'}
      id="who-answers"
      lead={
        isManaged
          ? 'The registered card and its secret are used as they are.'
          : 'Managed pricing needs no server: Souk answers at once, by your pricing rules. A registered card is kept, but not asked.'
      }
    >
      <Answering
        visitor={visitor}
        isManaged={!isManaged}
        card="keep"
        label={isManaged ? 'Use your own agent' : 'Switch to managed pricing'}
      />
    </Panel>
  )
}

function Remove({ visitor, integration }: AnswersProps) {
  const { isManaged } = integration
  return (
    <Confirm ask="Remove the card">
      <p>
        The card, its secret and what is known of its health are deleted.{' '}
        {isManaged ? 'Souk goes on answering for you.' : 'Nobody answers for you then.'}
      </p>
      <Answering visitor={visitor} isManaged={isManaged} card="clear" label="Remove the card" />
    </Confirm>
  )
}

type AnsweringProps = {
  visitor: Visitor
  isManaged: boolean
  card: 'keep' | 'clear'
  label: string
  /** Where the button stands, to come back to; the agent's page when nothing is said. */
  from?: 'pricing'
}

export function Answering({ visitor, isManaged, card, label, from }: AnsweringProps) {
  return (
    <ActionForm
      visitor={visitor}
      action={ANSWERING_PATH}
      label={label}
      kind={card === 'clear' ? 'danger' : 'plain'}
    >
      <Hidden name="is_managed" value={String(isManaged)} />
      <Hidden name="agent_card" value={card} />
      <Hidden name="from" value={from} />
    </ActionForm>
  )
}
