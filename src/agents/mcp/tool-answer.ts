/**
 * A tool's answer, written as each family of the protocol wants it. What many callers are given alike is written once and
 * kept for as long as what it was made of.
 */
import { TEXT_ROOM } from '../../lib/fit-text.ts'
import type { ToolAnswer } from '../../tools/define-tool.ts'
import { type Family, MODERN_META } from './offered.ts'

/** What is written of lasting answers, in the pieces between which what differs is put. */
const written: Record<Family, WeakMap<object, string[]>> = { legacy: new WeakMap(), modern: new WeakMap() }

export function answerText(family: Family, answer: ToolAnswer, notes: string[]): string {
  const { lasting } = answer
  if (lasting === undefined || notes.length > 0) return writeAnswer(family, answer, notes)
  const { of, except = '' } = lasting
  const known = written[family].get(of)
  if (known) return known.length === 1 ? (known[0] as string) : known.join(except)
  const text = toAscii(writeAnswer(family, answer, notes))
  written[family].set(of, except === '' ? [text] : text.split(except))
  return text
}

/** A byte a character is sent as it is, where other texts are encoded for each caller anew. */
function toAscii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function writeAnswer(family: Family, { text, data }: ToolAnswer, notes: string[]): string {
  const note = notes.join(' ')
  const fits = note !== '' && text.length + note.length < TEXT_ROOM
  const content = [{ type: 'text', text }, ...(fits ? [{ type: 'text', text: note }] : [])]
  return JSON.stringify(
    family === 'legacy'
      ? { content, structuredContent: data }
      : { resultType: 'complete', content, structuredContent: data, _meta: MODERN_META },
  )
}
