/**
 * Turns a query of one language into English, word by word. Numbers get a decimal point, articles go, and in the
 * Romance languages what follows a noun and describes it moves before it ("sac à dos imperméable"). Brands, models and
 * words that the dictionary lacks stay as they are.
 */
import { editDistance } from '../lexical/edit-distance.ts'
import { foldAt, isHyphen, type Token, tokenize } from '../understand/tokens.ts'
import type { Dictionary, Entry, Phrase, Sort, Words } from './dictionary.ts'
import { lightStem } from './light-stem.ts'
import { lookUp } from './look-up.ts'

export type Piece = {
  sort: Sort | 'raw'
  /** In English. */
  text: string
  /** No white space stands before it. */
  glued: boolean
  /** What it means as a noun when it is an adjective that may stand alone. */
  alone: string | null
  /** Whether only this language has it, English may have it too, or the dictionary lacks it. */
  evidence: 'own' | 'shared' | 'none'
  from: number
  to: number
}

/** "l'eau", "dell'acqua": what stands before the apostrophe is an article or joins. */
const ELIDED = /^(?:(l|un|quest)|(d|dell|all|nell|sull|dall|qu|n|s|j|c))'(.+)$/

export function piecesOf(
  query: string,
  tokens: readonly Token[],
  words: Words,
  dictionary: Dictionary,
): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  while (at < tokens.length) {
    const token = tokens[at] as Token
    // "PILA8470" is no battery.
    const isWord = token.kind === 'word' && !(tokens[at + 1]?.kind === 'number' && tokens[at + 1]?.glued)
    const phrase = isWord ? phraseAt(tokens, at, words) : null
    if (phrase) {
      const { entry, to } = phrase
      const own = tokens
        .slice(at, to)
        .some(({ kind, fold }) => kind === 'word' && fold.length > 1 && !dictionary.isEnglish(fold))
      pieces.push(pieceOf(entry, token, own ? 'own' : 'shared', at, to))
      at = to
      continue
    }
    pieces.push(...(isWord ? wordPieces(query, token, at, words, dictionary) : [raw(query, token, at)]))
    at++
  }
  return pieces
}

function wordPieces(query: string, token: Token, at: number, words: Words, dictionary: Dictionary): Piece[] {
  const elided = words.language === 'fr' || words.language === 'it' ? ELIDED.exec(token.fold) : null
  const [, , joins, rest = token.fold] = elided ?? []
  const found = lookUp(rest, words, dictionary)
  if (!found) return [raw(query, token, at)]
  const alone = words.alone.get(rest)?.english ?? null
  // "profesional" and "ereader" may as well be English with a letter missing.
  const own = found.sure && !dictionary.isEnglish(rest) && editDistance(rest, found.english, 1) > 1
  const piece = { ...pieceOf(found, token, own ? 'own' : 'shared', at, at + 1), alone }
  if (!joins) return [piece]
  return [pieceOf({ english: '', sort: 'of' }, token, 'none', at, at + 1), { ...piece, glued: false }]
}

function pieceOf(
  { english, sort }: Entry,
  token: Token,
  evidence: Piece['evidence'],
  from: number,
  to: number,
): Piece {
  return { sort, text: english, glued: token.glued, alone: null, evidence, from, to }
}

function raw(query: string, token: Token, at: number): Piece {
  return {
    sort: 'raw',
    text: query.slice(token.start, token.end),
    glued: token.glued,
    alone: null,
    evidence: 'none',
    from: at,
    to: at + 1,
  }
}

function phraseAt(tokens: readonly Token[], at: number, words: Words): { entry: Entry; to: number } | null {
  for (const phrase of words.phrases.get(foldAt(tokens, at)) ?? byStemmedStart(tokens, at, words)) {
    const to = endOf(phrase, tokens, at, words)
    if (to !== null) return { entry: phrase.entry, to }
  }
  return null
}

/** A hyphen between its words is the same as a space: "lave-vaisselle". */
function endOf(phrase: Phrase, tokens: readonly Token[], from: number, words: Words): number | null {
  let at = from
  for (const word of phrase.words) {
    if (at > from && isHyphen(tokens, at)) at++
    if (!isForm(foldAt(tokens, at), word, words)) return null
    at++
  }
  return at
}

/** "machines à café" begins with a plural. */
function byStemmedStart(tokens: readonly Token[], at: number, words: Words) {
  const first = foldAt(tokens, at)
  for (const ending of ['s', 'es', 'x'])
    if (first.endsWith(ending)) {
      const phrases = words.phrases.get(first.slice(0, -ending.length))
      if (phrases) return phrases
    }
  return []
}

function isForm(word: string, wanted: string, { language }: Words): boolean {
  return word === wanted || (wanted.length > 3 && lightStem(word, language) === lightStem(wanted, language))
}

/** "2,5" → "2.5" and "1.200" → "1,200". */
export function pointNumbers(query: string): string {
  return query.replace(/(\d)\.(\d{3})(?!\d)/g, '$1,$2').replace(/(\d),(\d{1,2})(?!\d)/g, '$1.$2')
}

export function toEnglish(query: string, words: Words, dictionary: Dictionary): string {
  const pointed = pointNumbers(query)
  const pieces = piecesOf(pointed, tokenize(pointed), words, dictionary)
  const romance = words.language !== 'de' && words.language !== 'nl'
  return written(romance ? inEnglishOrder(pieces) : pieces)
}

function written(pieces: readonly Piece[]): string {
  let text = ''
  for (const piece of pieces) {
    if (piece.text === '' || piece.sort === 'of' || piece.sort === 'article') continue
    text += text === '' || piece.glued ? piece.text : ` ${piece.text}`
  }
  return text
}

function inEnglishOrder(pieces: readonly Piece[]): Piece[] {
  const ordered: Piece[] = []
  let at = 0
  while (at < pieces.length) {
    const head = standingAlone(pieces, at, ordered)
    if (head.sort !== 'noun') {
      ordered.push(head)
      at++
      continue
    }
    const { before, to } = describing(pieces, at + 1)
    const [first, ...rest] = [...before, head]
    ordered.push(
      { ...(first as Piece), glued: head.glued },
      ...rest.map((piece) => ({ ...piece, glued: false })),
    )
    at = to
  }
  return ordered
}

function standingAlone(pieces: readonly Piece[], at: number, before: readonly Piece[]): Piece {
  const piece = pieces[at] as Piece
  if (piece.alone === null || before.some(({ sort }) => sort === 'noun')) return piece
  return pieces[at + 1]?.sort === 'noun' ? piece : { ...piece, sort: 'noun', text: piece.alone }
}

/** What describes the noun before `from`: adjectives, nouns, and nouns that "de", "à" or "da" join to it. */
function describing(pieces: readonly Piece[], from: number): { before: Piece[]; to: number } {
  const adjectives: Piece[] = []
  const nouns: Piece[] = []
  let at = from
  while (at < pieces.length) {
    const piece = pieces[at] as Piece
    if (piece.glued) break
    if (piece.sort === 'adjective') adjectives.push(piece)
    else if (piece.sort === 'noun') nouns.unshift(piece)
    else if (piece.text === 'and' && adjectives.length > 0 && pieces[at + 1]?.sort === 'adjective')
      adjectives.push(piece)
    else if (piece.sort !== 'of' || !joinsNoun(pieces, at + 1)) break
    at++
  }
  return { before: [...adjectives, ...nouns], to: at }
}

function joinsNoun(pieces: readonly Piece[], at: number): boolean {
  const next = pieces[at]?.sort === 'of' || pieces[at]?.sort === 'article' ? pieces[at + 1] : pieces[at]
  return next?.sort === 'noun'
}
