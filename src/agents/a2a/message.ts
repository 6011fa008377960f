/**
 * What a message says, before anybody acts on it: its words, and the skill and parameters when the sender named them. The
 * skill may stand in the message's metadata, in the request's, or in a data part; the parameters stand beside it. A
 * message is checked here once, so that a client hears what is wrong in the protocol's own terms.
 */

import { type Message, Role, type SendMessageRequest } from '@a2a-js/sdk'
import { ContentTypeNotSupportedError } from '@a2a-js/sdk/errors'
import { isRecord } from '../../lib/validate.ts'
import { invalidParams } from './errors.ts'
import { MAX_SAID } from './questions.service.ts'
import { SKILL_IDS, type SkillId } from './skills/skill.ts'

export type Named = { skill: SkillId; params: Record<string, unknown> }
export type Said = {
  message: Message
  text: string
  /** Null when the words have to be read. */
  named: Named | null
}

const MAX_ID = 200

/** What may be an id of the client's own: no control characters, no half of a surrogate pair. */
export function isPrintable(id: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(id)
}

export function readMessage({ message, metadata }: SendMessageRequest): Said {
  if (!message) throw invalidParams('message is required', 'message')
  for (const field of ['messageId', 'contextId', 'taskId'] as const) {
    const value: unknown = message[field]
    if (typeof value !== 'string' || value.length > MAX_ID)
      throw invalidParams(
        `message.${field} must be a text of at most ${MAX_ID} characters`,
        `message.${field}`,
      )
    if (!isPrintable(value))
      throw invalidParams(`message.${field} must have no control characters`, `message.${field}`)
  }
  if (message.messageId.trim() === '')
    throw invalidParams('message.messageId is required', 'message.messageId')
  if (message.role !== Role.ROLE_USER) throw invalidParams('message.role must be the user', 'message.role')
  if (message.parts.length === 0)
    throw invalidParams('message.parts must have at least one part', 'message.parts')
  const { texts, objects } = readParts(message)
  const text = texts.join('\n').trim()
  if (text.length > MAX_SAID)
    throw invalidParams(`message.parts: the text must be at most ${MAX_SAID} characters`, 'message.parts')
  const named = readNamed([message.metadata, metadata, ...objects], objects)
  if (named === null && text === '')
    throw invalidParams(`send a text part, or choose a skill: ${SKILL_IDS.join(', ')}`, 'message.parts')
  return { message, text, named }
}

function readParts({ parts }: Message): { texts: string[]; objects: Array<Record<string, unknown>> } {
  const texts: string[] = []
  const objects: Array<Record<string, unknown>> = []
  for (const [index, { content, mediaType }] of parts.entries()) {
    const field = `message.parts.${index}`
    if (content?.$case === 'raw' || content?.$case === 'url' || !isRead(mediaType))
      throw new ContentTypeNotSupportedError(
        `${field}: send text/plain or application/json; other types are not supported`,
      )
    const value: unknown = content?.value
    if (content?.$case === 'text' && typeof value === 'string') texts.push(clean(value))
    else if (content?.$case === 'data' && isRecord(value)) objects.push(value)
    else throw invalidParams(`${field} must be text, or data that is an object`, field)
  }
  return { texts, objects }
}

/** Not stated, any kind of text, or any kind of JSON. */
function isRead(mediaType: string): boolean {
  return /^(?:|text\/.*|application\/(?:.*\+)?json)$/.test(
    (mediaType.split(';')[0] ?? '').trim().toLowerCase(),
  )
}

/** The first that names a skill; its own parameters win over those in data parts beside it. */
function readNamed(sources: unknown[], objects: Array<Record<string, unknown>>): Named | null {
  const source = sources.filter(isRecord).find(({ skill }) => skill !== undefined && skill !== null)
  if (!source) return null
  const skill = SKILL_IDS.find((id) => id === source.skill)
  if (!skill) throw invalidParams(`skill must be one of ${SKILL_IDS.join(', ')}`, 'skill')
  const { skill: _, ...params } = Object.assign({}, ...objects, source) as Record<string, unknown>
  return { skill, params: cleanAll(params) as Named['params'] }
}

/**
 * PostgreSQL keeps no NUL, and UTF-8 no half of a surrogate pair: each is replaced, so that what is read, stored and given
 * back is the same text.
 */
function clean(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}

function cleanAll(value: unknown): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map(cleanAll)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [clean(key), cleanAll(inner)]))
}
