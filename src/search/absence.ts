/**
 * What a product says it does without. Someone who asks for a webcam without a microphone is best served by the one
 * whose page says "Microphone: None"; counted as a word, that mention would speak against it. Read once, when a
 * product enters the index, into a short list of stems.
 */
import type { ProductProfile } from '../catalog/profile.ts'
import { tokenize } from './lexical/tokenize.ts'
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
  const deny = (words: string) => {
    for (const { term, stop } of tokenize(words)) if (!stop) lacks.add(term)
  }
  for (const { name, value } of specs) {
    // "Latex-free: No" has latex; "Latex-free: Yes" is read as a sentence.
    const free = FREE.test(name)
    if (free && !NONE.test(value)) readSentence(name, deny)
    else if (!free && NONE.test(value)) deny(name)
    for (const part of value.split(/[,;]/)) readSentence(part, deny)
  }
  for (const text of [title, description ?? '', verdict ?? '', ...bestFor])
    for (const sentence of text.split(/(?<=[.!?;:])\s+/)) readSentence(sentence, deny)
  return [...lacks]
}

function readSentence(sentence: string, deny: (words: string) => void): void {
  if (!MAY_DENY.test(sentence)) return
  for (const word of wordsDeniedBy(sentence)) deny(word)
  for (const pattern of [DENIED_AFTER, DENIED_BEFORE, LESS])
    for (const [, words] of sentence.matchAll(pattern)) deny(words ?? '')
}
