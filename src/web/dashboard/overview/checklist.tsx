/**
 * The steps from an account to answered requests: what is done, what is next, why it matters and where to do it. The first
 * open step is the next; once all are done the list folds away.
 */
import type { Obstacle, Onboarding, StepName } from '../../../producers/onboarding.service.ts'
import { Panel, State } from '../../kit/parts.tsx'
import {
  AGENT_PATH,
  FOUND_PATH,
  ORGANIZATION_PATH,
  PRICING_PATH,
  REGISTER_PATH,
  START_PATH,
} from '../paths.ts'

type Step = { title: string; why: string; href: string; label: string }

const STEPS: Record<StepName, Step> = {
  email: {
    title: 'Confirm your email',
    why: 'You need a confirmed email to register an organization, and we use it to reach you.',
    href: '/account',
    label: 'Go to your account',
  },
  organization: {
    title: 'Register your organization',
    why: 'It owns your products, offers and quotes, and your team works in it.',
    href: REGISTER_PATH,
    label: 'Register an organization',
  },
  domain: {
    title: 'Verify your domain',
    why: "Buyers see that you're genuine, and we use it to decide your product claims.",
    href: ORGANIZATION_PATH,
    label: 'Verify domain',
  },
  products: {
    title: 'Claim your products',
    why: 'We send requests for a product to sellers with a verified claim to it.',
    href: FOUND_PATH,
    label: 'Claim products',
  },
  answering: {
    title: 'Answer requests',
    why: 'Agents expect a quote within seconds. Souk can answer by your rules, or your own agent does.',
    href: START_PATH,
    label: 'Choose who answers',
  },
  tested: {
    title: 'Send a test request',
    why: 'See what a buyer gets before the first request arrives.',
    href: `${AGENT_PATH}#test`,
    label: 'Send a test request',
  },
}

/** What keeps `answering` open says more than why it matters. */
const OBSTACLES: Record<Exclude<Obstacle, 'nothing_set'>, Partial<Step>> = {
  agent_pending: {
    why: "Your agent's card is registered. This step is done once your agent answers a test.",
    href: AGENT_PATH,
    label: 'Test your agent',
  },
  agent_unreachable: {
    why: 'The last requests to your agent failed. We still ask it, but it ranks lower until it answers again.',
    href: AGENT_PATH,
    label: 'See your agent',
  },
  nothing_to_quote: {
    why: 'Souk answers for you, but has no price for your verified products. Add an offer or a price.',
    href: PRICING_PATH,
    label: 'See your pricing',
  },
}

type ChecklistProps = {
  onboarding: Onboarding
  /** The last step that leads somewhere: without an organization, later steps have no page yet. */
  until?: StepName
}

export function Checklist({ onboarding, until }: ChecklistProps) {
  const { steps, done, complete } = onboarding
  if (complete)
    return (
      <div class="panel">
        <details class="folded">
          <summary>All {steps.length} steps to start selling are done</summary>
          <Steps onboarding={onboarding} />
        </details>
      </div>
    )
  return (
    <Panel
      title="Start selling"
      id="start"
      lead={`${done} of ${steps.length} steps done. We check them each time you open this page.`}
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
