/**
 * The way from an account to answered requests, as a list: what is done, what is next, why it matters and where it is
 * done. The first open step is the one to take; once all are done the list folds away.
 */
import type { Obstacle, Onboarding, StepName } from '../../../producers/onboarding.service.ts'
import { Panel, State } from '../../kit/parts.tsx'
import { AGENT_PATH, ORGANIZATION_PATH, PRICING_PATH, PRODUCTS_PATH, REGISTER_PATH } from '../paths.ts'

type Step = { title: string; why: string; href: string; label: string }

const STEPS: Record<StepName, Step> = {
  email: {
    title: 'Confirm your mail address',
    why: 'Only a confirmed address can register an organization, and it is how we reach you.',
    href: '/account',
    label: 'Go to your account',
  },
  organization: {
    title: 'Register your organization',
    why: 'Products, offers and quotes belong to it, and your team works in it.',
    href: REGISTER_PATH,
    label: 'Register an organization',
  },
  domain: {
    title: 'Prove your domain',
    why: 'Buyers see that you are who you say, and claims for your products are decided by it.',
    href: ORGANIZATION_PATH,
    label: 'Prove your domain',
  },
  products: {
    title: 'Claim your products',
    why: 'Requests for a product go to those whose claim to it is proved.',
    href: PRODUCTS_PATH,
    label: 'Claim products',
  },
  answering: {
    title: 'Have requests answered',
    why: 'Agents ask for a quote and move on within seconds: Souk can answer by your rules, or an agent of yours does.',
    href: AGENT_PATH,
    label: 'Choose who answers',
  },
  tested: {
    title: 'See a request answered',
    why: 'A test shows what a buyer gets before the first one asks.',
    href: AGENT_PATH,
    label: 'Send a test request',
  },
}

/** What keeps the fifth step open says more than why it matters. */
const OBSTACLES: Record<Exclude<Obstacle, 'nothing_set'>, Partial<Step>> = {
  agent_pending: {
    why: 'The card of your agent is registered. It counts as soon as your agent has answered a test.',
    label: 'Test your agent',
  },
  agent_unreachable: {
    why: 'The last requests to your agent failed. It is still asked, but ranks lower until it answers again.',
    label: 'Look at your agent',
  },
  nothing_to_quote: {
    why: 'Souk answers for you, but can quote none of the products you have a proved claim to: give one an offer or a price.',
    href: PRICING_PATH,
    label: 'Look at your pricing',
  },
}

type ChecklistProps = {
  onboarding: Onboarding
  /** Steps that this person has no use for lead nowhere yet: without an organization all after the second. */
  until?: StepName
}

export function Checklist({ onboarding, until }: ChecklistProps) {
  const { steps, done, complete } = onboarding
  if (complete)
    return (
      <div class="panel">
        <details class="folded">
          <summary>All {steps.length} steps to sell here are done</summary>
          <Steps onboarding={onboarding} />
        </details>
      </div>
    )
  return (
    <Panel
      title="Start selling"
      id="start"
      lead={`${done} of ${steps.length} steps done. They are checked each time you open this page.`}
    >
      <Steps onboarding={onboarding} until={until} />
    </Panel>
  )
}

function Steps({ onboarding, until }: ChecklistProps) {
  const { steps } = onboarding
  const next = steps.find(({ done }) => !done)?.name
  const last = until === undefined ? steps.length : steps.findIndex(({ name }) => name === until)
  return (
    <ol class="checklist">
      {steps.map(({ name, done }, index) => {
        const { title, why, href, label } = wordsOf(name, done, onboarding.obstacle)
        return (
          <li>
            <State tone={done ? 'good' : name === next ? 'mixed' : 'quiet'}>
              {done ? 'Done' : name === next ? 'Next' : 'To do'}
            </State>
            <div>
              <p>
                <strong>{title}</strong>
              </p>
              <p class="soft">{why}</p>
            </div>
            {index <= last && !done && (
              <a class={name === next ? 'button' : undefined} href={href}>
                {label}
              </a>
            )}
          </li>
        )
      })}
    </ol>
  )
}

function wordsOf(name: StepName, done: boolean, obstacle: Obstacle | null): Step {
  const step = STEPS[name]
  if (done || name !== 'answering' || obstacle === null || obstacle === 'nothing_set') return step
  return { ...step, ...OBSTACLES[obstacle] }
}
