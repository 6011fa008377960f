/**
 * Says which language a query is in and gives it in English, so that all that follows reads English. The language is
 * decided by evidence: words that only that language has, against words that only English has. Brands, models and
 * words that both have ("laptop", "pasta") say nothing, and neither do words that the catalog itself uses as often as
 * their English: a shop in German is searched in German. When in doubt the query stays as it is.
 * Pure, and linear in the length of the query.
 */
import { stem } from '../lexical/stem.ts'
import { STOP_WORDS } from '../lexical/stop-words.ts'
import { type Token, tokenize } from '../understand/tokens.ts'
import { type Dictionary, loadDictionary, type Words } from './dictionary.ts'
import type { Foreign } from './light-stem.ts'
import { lookUp } from './look-up.ts'
import { type Piece, piecesOf, toEnglish } from './to-english.ts'

export type Language = 'en' | Foreign | 'other'
export type Reading = {
  language: Language
  /** The query as typed when it is English or cannot be read. */
  english: string
  /** Written in a script that no word list here covers, with no word of the catalog in it. */
  unknownScript: boolean
}

export const UNREADABLE_NOTE =
  'This search reads English, German, French, Spanish, Italian, Dutch and Portuguese. It cannot read this query.'

/** How many products hold this stemmed word. */
export type Documents = (term: string) => number

const WEIGHTS = { word: 1, accent: 0.5, article: 0.25, englishStop: 1, englishWord: 0.3 }
/** Beside English or unknown words one word alone convinces only when it is too long to be a name or a slip by chance. */
const LONG_WORD = 7
/** Words as short as "de" and "à" in a phrase say nothing of their own. */
const SHORT_WORD = 2
/** A word is the catalog's own when it is at least this often in it, for each time its English is. */
const OWN_SHARE = 0.1

export function readLanguage(query: string, documents: Documents = () => 0): Reading {
  const tokens = tokenize(query)
  if (isUnknownScript(query, tokens, documents))
    return { language: 'other', english: query, unknownScript: true }
  const dictionary = loadDictionary()
  const words = languageOf(query, tokens, dictionary, documents)
  const english = words ? toEnglish(query, words, dictionary) : ''
  if (!words || english === '') return { language: 'en', english: query, unknownScript: false }
  return { language: words.language, english, unknownScript: false }
}

function languageOf(
  query: string,
  tokens: readonly Token[],
  dictionary: Dictionary,
  documents: Documents,
): Words | null {
  let best: { words: Words; score: number } | null = null
  for (const words of dictionary.languages) {
    if (!tokens.some((token) => mayBeOf(token, words, dictionary))) continue
    const pieces = piecesOf(query, tokens, words, dictionary)
    const score = scoreOf(query, pieces, tokens, dictionary, documents)
    if (score > 0 && (!best || score > best.score)) best = { words, score }
  }
  return best?.words ?? null
}

/** Passes over most queries at little cost. */
function mayBeOf({ kind, fold }: Token, words: Words, dictionary: Dictionary): boolean {
  if (kind !== 'word') return false
  if (words.phrases.has(fold) || fold.includes("'")) return true
  return !dictionary.isEnglish(fold) && lookUp(fold, words, dictionary)?.sure === true
}

/** Zero unless the query speaks for the language. Words that both have break a tie between languages. */
function scoreOf(
  query: string,
  pieces: readonly Piece[],
  tokens: readonly Token[],
  dictionary: Dictionary,
  documents: Documents,
): number {
  let own = 0
  let ownWords = 0
  let convincing = false
  let shared = 0
  let against = 0
  let strange = false
  for (const piece of pieces) {
    const token = tokens[piece.from] as Token
    if (token.kind !== 'word') continue
    const idle = piece.sort === 'of' || piece.sort === 'article'
    if (piece.evidence === 'none') {
      if (dictionary.isEnglish(token.fold))
        against += STOP_WORDS.has(token.fold) ? WEIGHTS.englishStop : WEIGHTS.englishWord
      else strange ||= piece.sort === 'raw' && documents(stem(token.fold)) === 0
    } else if (piece.evidence === 'shared') shared++
    else if (idle) own += WEIGHTS.article
    else if (!isCatalogs(piece, tokens, documents)) {
      const accent = hasAccent(query.slice(token.start, (tokens[piece.to - 1] as Token).end))
      const words = tokens.slice(piece.from, piece.to).filter(({ fold }) => fold.length > SHORT_WORD).length
      own += WEIGHTS.word * Math.max(1, words) + (accent ? WEIGHTS.accent : 0)
      ownWords++
      convincing ||=
        accent || piece.sort === 'small' || piece.to - piece.from > 1 || token.fold.length >= LONG_WORD
    }
  }
  if (ownWords === 0 || own <= against) return 0
  if (ownWords === 1 && (against > 0 || strange) && !convincing) return 0
  return own - against + shared / 100
}

function isCatalogs(piece: Piece, tokens: readonly Token[], documents: Documents): boolean {
  if (piece.to - piece.from > 1 || piece.sort === 'small') return false
  const word = (tokens[piece.from] as Token).fold
  const term = stem(word)
  const held = documents(term)
  if (held === 0) return false
  const terms = piece.text.split(' ').map(stem)
  // "tente" has the stem of "tent": that is the English word's count.
  if (term !== word && terms.includes(term)) return false
  return held >= OWN_SHARE * Math.min(...terms.map(documents))
}

function hasAccent(text: string): boolean {
  return /[\u00c0-\u024f]/.test(text)
}

function isUnknownScript(query: string, tokens: readonly Token[], documents: Documents): boolean {
  const foreign = query.match(/(?!\p{Script=Latin})\p{L}/gu)?.length ?? 0
  if (foreign === 0) return false
  const latin = query.match(/\p{Script=Latin}/gu)?.length ?? 0
  if (latin >= foreign) return false
  return !tokens.some(({ kind, fold }) => kind === 'word' && documents(stem(fold)) > 0)
}
