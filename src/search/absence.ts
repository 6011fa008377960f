/**
 * What a product says it does without. Someone who asks for a webcam without a microphone is best served by the one
 * whose page says "Microphone: None"; counted as a word, that mention would speak against it. Read once, when a
 * product enters the index, into a short list of stems.
 */
import type { ProductProfile } from '../catalog/profile.ts'
import { rememberShort } from '../lib/remember-short.ts'
import { stemsOf } from './lexical/tokenize.ts'
import { wordsDeniedBy } from './understand/negation.ts'

/** Most sentences deny nothing, and reading one closely costs a hundred times this look. */
const MAY_DENY =
  /\b(?:no|non|not|none|nothing|never|without|free|minus|sans|instead|rather|lack\w*|absent|missing|omit\w*|skip\w*|drop\w*|forgo\w*|gone|left out|leaves? out)\b|n['’]t\b|less\b/i
/** "Wheels: None", "Noise cancelling: No", "Power: 0 W" */
const NONE = /^(?:(?:none|no|not|without|never|zero|absent|false|n\/a|0)\b(?![.,]\d)|n$)/i
const FREE = /[\s-]free$/i
const DENIED_AFTER =
  /\b(?:lack(?:s|ing)?|absent|missing|omit(?:s|ting)?|skip(?:s|ping)?|drop(?:s|ping)?|forgo(?:es|ing)?|leaves? out|nothing to|no need (?:for|to)|never needs?|needs? no)\s+(?:an? |the |its |any )?([\p{L}\p{N}-]{1,40}(?:\s[\p{L}\p{N}-]{1,40})?)/giu
const DENIED_BEFORE =
  /(?<![\p{L}\p{N}-])([\p{L}\p{N}-]{1,40}(?:\s[\p{L}\p{N}-]{1,40})?)\s(?:is|are|was|were)\s(?:\p{L}{1,20}ly\s)?(?:absent|missing|omitted|left out|gone)\b/giu
/** "brushless", "a tubeless tyre" */
const LESS = /\b(\p{L}{3,30}?)-?less\b/giu

type Texts = Pick<ProductProfile, 'title' | 'description' | 'verdict' | 'bestFor' | 'specs'>

export function lacksOf({ title, description, verdict, bestFor, specs }: Texts): string[] {
  const lacks = new Set<string>()
  const deny = (stems: readonly string[]) => {
    for (const stem of stems) lacks.add(stem)
  }
  for (const { name, value } of specs) {
    // "Latex-free: No" has latex; "Latex-free: Yes" is read as a sentence.
    const free = FREE.test(name)
    if (free && !NONE.test(value)) deny(deniedBy(name))
    else if (!free && NONE.test(value)) deny(stemsOf(name))
    for (const part of value.split(/[,;]/)) deny(deniedBy(part))
  }
  for (const text of [title, description ?? '', verdict ?? '', ...bestFor])
    for (const sentence of text.split(/(?<=[.!?;:])\s+/)) deny(deniedBy(sentence))
  return [...lacks]
}

const NOTHING: readonly string[] = []

/** Stems of what a sentence says is not there. */
const deniedBy = rememberShort((sentence): readonly string[] => {
  if (!MAY_DENY.test(sentence)) return NOTHING
  const words = [...wordsDeniedBy(sentence)]
  for (const pattern of [DENIED_AFTER, DENIED_BEFORE, LESS])
    for (const [, found] of sentence.matchAll(pattern)) words.push(found ?? '')
  return words.flatMap(stemsOf)
})
