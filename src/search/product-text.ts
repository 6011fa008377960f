/**
 * The texts a product is embedded by. Two of the whole, in the order of importance because the model reads the first
 * hundred words; and its sentences one by one, because what one sentence says of a use ("works with mittens") is lost
 * in the mean of a whole profile, and shoppers who describe their need in their own words meet exactly such sentences.
 */
import type { ProductProfile } from '../catalog/profile.ts'
import { sha256 } from '../lib/crypto.ts'

export function fullText(profile: ProductProfile): string {
  const { title, brand, category, description, verdict, specs, bestFor } = profile
  return [
    title,
    brand && !title.includes(brand.name) ? brand.name : '',
    category.label,
    description ?? '',
    bestFor.length > 0 ? `Best for ${bestFor.join(', ')}.` : '',
    specs.map(({ name, value }) => `${name}: ${value}`).join('. '),
    verdict ?? '',
  ]
    .filter(Boolean)
    .join('. ')
}

/** What a product is and who it is for, undiluted by details. */
export function shortText({ title, category, bestFor }: ProductProfile): string {
  return [title, category.label, bestFor.join(', ')].filter(Boolean).join('. ')
}

/** In this order their numbers are stored with the vectors. */
export const PASSAGE_KINDS = ['description', 'verdict', 'uses', 'praise'] as const
export type PassageKind = (typeof PASSAGE_KINDS)[number]
export type Passage = { kind: PassageKind; text: string }

const MAX_SENTENCES = 5
const MAX_PRAISE = 3
/** Shorter ones say nothing by themselves and are read with their neighbour. */
const SHORT_SENTENCE = 30
const MAX_PASSAGE = 500

export function passagesOf({ description, verdict, bestFor, themes }: ProductProfile): Passage[] {
  const praise = themes.filter(({ sentiment }) => sentiment === 'positive').slice(0, MAX_PRAISE)
  return [
    ...sentencesOf(description ?? '').map((text) => ({ kind: 'description', text }) as const),
    ...(verdict ? [{ kind: 'verdict', text: verdict } as const] : []),
    ...(bestFor.length > 0 ? [{ kind: 'uses', text: bestFor.join(', ') } as const] : []),
    ...praise.map(({ theme, summary }) => ({ kind: 'praise', text: `${theme}: ${summary ?? ''}` }) as const),
  ].map(({ kind, text }) => ({ kind, text: text.slice(0, MAX_PASSAGE) }))
}

function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  for (const part of text.split(/(?<=[.!?])\s+|\n+/)) {
    const sentence = part.trim()
    const last = sentences.at(-1)
    if (sentence === '') continue
    if (last !== undefined && Math.min(sentence.length, last.length) < SHORT_SENTENCE)
      sentences[sentences.length - 1] = `${last} ${sentence}`
    else sentences.push(sentence)
  }
  while (sentences.length > MAX_SENTENCES) joinShortestNeighbours(sentences)
  return sentences
}

function joinShortestNeighbours(sentences: string[]): void {
  const lengthAt = (index: number) => (sentences[index]?.length ?? 0) + (sentences[index + 1]?.length ?? 0)
  let shortest = 0
  for (let index = 1; index + 1 < sentences.length; index++)
    if (lengthAt(index) < lengthAt(shortest)) shortest = index
  sentences.splice(shortest, 2, `${sentences[shortest]} ${sentences[shortest + 1]}`)
}

/** Of the whole product. */
export function wholeTexts(profile: ProductProfile): [full: string, short: string] {
  return [fullText(profile), shortText(profile)]
}

/** Names all texts of a product by one hash. */
export function textHash(profile: ProductProfile): Buffer {
  return hashOf([...wholeTexts(profile), ...passagesOf(profile).map(({ text }) => text)])
}

/** Names its whole texts alone: that of a product without sentences is its `textHash`. */
export function wholeHash(profile: ProductProfile): Buffer {
  return hashOf(wholeTexts(profile))
}

function hashOf(texts: string[]): Buffer {
  return sha256(texts.join('\0')).subarray(0, 16)
}
