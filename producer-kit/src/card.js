/**
 * The agent card: what a Souk service fetches when a producer registers, to see that the skill `respond-to-rfq` is
 * declared. It names no A2A transport on purpose: this server answers an RFQ with a bare object, and a card that
 * declared a standard interface would invite requests it does not understand.
 */
import { SKILL } from './rfq.js'

/** @import { CardInput } from '../index.d.ts' */

export const CARD_PATHS = Object.freeze(['/.well-known/agent-card.json', '/.well-known/agent.json'])

const RFQ_SKILL = Object.freeze({
  id: SKILL,
  name: 'Respond to a request for quote',
  description: 'Answers a request for quote for one product with a price, stock, shipping and a link to buy.',
  tags: Object.freeze(['rfq', 'quote', 'commerce']),
})

/** @param {CardInput} input */
export function createCard(input) {
  for (const field of ['name', 'description'])
    if (typeof input?.[field] !== 'string' || input[field] === '')
      throw new TypeError(`card.${field} must be a non-empty string`)
  const { skills = [], ...rest } = input
  const own = skills.find((skill) => skill.id === SKILL)
  if (own && !own.description) throw new TypeError(`the skill ${SKILL} in the card needs a description`)
  return {
    version: '1.0.0',
    capabilities: {},
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    ...rest,
    skills: own ? skills : [...skills, RFQ_SKILL],
  }
}

/**
 * What the service would refuse in a card, in plain words; empty when it is good.
 * @param {unknown} card
 * @returns {string[]}
 */
export function findCardProblems(card) {
  if (typeof card !== 'object' || card === null || Array.isArray(card))
    return ['the card must be a JSON object']
  const { skills } = /** @type {{ skills?: unknown }} */ (card)
  if (!Array.isArray(skills)) return ['the card must have an array "skills"']
  const skill = skills.find((one) => one?.id === SKILL)
  if (!skill) return [`no entry of "skills" has the id "${SKILL}"`]
  if (typeof skill.description !== 'string' || skill.description === '')
    return [`the skill "${SKILL}" needs a description`]
  return []
}
