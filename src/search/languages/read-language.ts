/**
 * Says which language a query is in and gives it in English, so that all that follows reads English. The language is
 * decided by evidence: words that only that language has, against words that only English has. Brands, models and
 * words that both have ("laptop", "pasta") say nothing, and neither do words that the catalog uses at least as much as
 * their English: a shop in German is searched in German. When in doubt the query stays as it is.
 * Pure, and linear in the length of the query.
 */
import fs from 'node:fs'
import { projectFile } from '../../lib/paths.ts'
import { editDistance } from '../lexical/dictionary.ts'
import { foldText, STOP_WORDS, stem } from '../lexical/tokenize.ts'
import { foldAt, isHyphen, type Token, tokenize } from '../understand/tokens.ts'

/**
 * Takes the endings of number, gender and case off a folded word, so that the dictionary needs one form of each. Both
 * sides go through here: a stem only has to be the same for all forms of a word, it need not be a word.
 */

export type Foreign = 'de' | 'fr' | 'es' | 'it' | 'nl' | 'pt'

const SHORTEST = 3
/** What a form may carry beyond the one in the dictionary, longest first. */
export const ENDINGS: Record<Foreign, readonly string[]> = {
  de: ['ern', 'en', 'em', 'er', 'es', 'e', 'n', 's'],
  nl: ['en', 'e', 's'],
  fr: ['es', 'x', 's', 'e'],
  it: [],
  es: ['es', 's'],
  pt: ['es', 's'],
}
const GERMAN = ['ern', 'en', 'em', 'er', 'es', 'e', 'n']
const DUTCH = ['en', 'e', 's']
const FRENCH_PLURAL = ['x', 's']
const ITALIAN = ['i', 'e', 'a', 'o']
const PLURAL = ['s']
const GENDER = ['e', 'a', 'o']

export function lightStem(word: string, language: Foreign): string {
  if (word.length <= SHORTEST) return word
  switch (language) {
    case 'de':
      return cut(word, GERMAN)
    case 'nl':
      return dutch(cut(word, DUTCH))
    case 'fr':
      return cut(cut(cut(word, FRENCH_PLURAL), ['e']), ['e'])
    case 'it':
      return italian(cut(word, ITALIAN))
    case 'es':
      return cut(cut(word, PLURAL), GENDER)
    case 'pt':
      return portuguese(word)
  }
}

function cut(word: string, endings: readonly string[]): string {
  for (const ending of endings)
    if (word.length - ending.length >= SHORTEST && word.endsWith(ending)) return word.slice(0, -ending.length)
  return word
}

/** "tassen" and "tas", "bomen" and "boom", "huizen" and "huis". */
function dutch(stem: string): string {
  const last = stem.at(-1) ?? ''
  const before = stem.at(-2) ?? ''
  if (last === before) return stem.slice(0, -1)
  const vowel = stem.at(-3) ?? ''
  const shorter = vowel === before && 'aeou'.includes(vowel) ? stem.slice(0, -2) : stem.slice(0, -1)
  return shorter + (last === 'z' ? 's' : last === 'v' ? 'f' : last)
}

/** "giochi" and "gioco", "righe" and "riga", "vecchi" and "vecchio". */
function italian(stem: string): string {
  const bare = cut(stem, ['i'])
  return bare.endsWith('ch') || bare.endsWith('gh') ? bare.slice(0, -1) : bare
}

/** "aviões" and "avião", "papéis" and "papel", "homens" and "homem". */
function portuguese(word: string): string {
  if (word.endsWith('oes') || word.endsWith('aes')) return `${word.slice(0, -3)}ao`
  if (word.endsWith('is')) return `${word.slice(0, -2)}l`
  if (word.endsWith('ns')) return `${word.slice(0, -2)}m`
  return word.endsWith('ao') ? word : cut(cut(word, PLURAL), GENDER)
}

/**
 * The shopping words of six languages (words.tsv), read once: each form of a word, spelled without accents, leads to its
 * row, and a row to its English. German is also found as it is typed without umlauts ("kopfhoerer").
 */

/** `of` joins two nouns ("machine à café"); an article says nothing; `small` are the other words that are no thing. */
export type Sort = 'noun' | 'adjective' | 'small' | 'of' | 'article'
export type Entry = { english: string; sort: Sort }
export type Phrase = { words: readonly string[]; entry: Entry }
export type Words = {
  language: Foreign
  forms: Map<string, Entry>
  stems: Map<string, Entry>
  /** By their first word, longest first. */
  phrases: Map<string, Phrase[]>
  /** What an adjective means when no noun stands with it: "portátil" alone is a laptop. */
  alone: Map<string, Entry>
}
export type Dictionary = {
  languages: readonly Words[]
  /** Words and names that English text has, whether or not another language has them too. */
  isEnglish(word: string): boolean
}

const COLUMNS: readonly Foreign[] = ['de', 'fr', 'es', 'it', 'nl', 'pt']
const SORTS: ReadonlySet<string> = new Set<Sort>(['noun', 'adjective', 'small', 'of', 'article'])

let loaded: Dictionary | null = null

export function loadDictionary(): Dictionary {
  loaded ??= parseDictionary(fs.readFileSync(projectFile('src', 'search', 'languages', 'words.tsv'), 'utf8'))
  return loaded
}

export function parseDictionary(text: string): Dictionary {
  const languages = COLUMNS.map(emptyWords)
  const english = new Set(STOP_WORDS)
  let sort: Sort | 'english' = 'noun'
  const written = text.toLowerCase().split('\n')
  for (const [at, line] of foldText(text).split('\n').entries()) {
    if (line === '' || line.startsWith('#')) {
      sort = sectionOf(line) ?? sort
      continue
    }
    const [meaning = '', ...columns] = line.split('\t')
    for (const word of meaning.split(' ')) addEnglish(english, word)
    if (sort === 'english') continue
    const entry = { english: meaning, sort }
    for (const [column, words] of languages.entries()) addForms(words, columns[column] ?? '', entry)
    const german =
      written[at]
        ?.split('\t')[1]
        ?.split('|')
        .filter((form) => /[äöü]/.test(form)) ?? []
    if (languages[0]) addForms(languages[0], foldText(spellOut(german.join('|'))), entry)
  }
  for (const { phrases } of languages)
    for (const list of phrases.values()) list.sort((a, b) => b.words.length - a.words.length)
  return { languages, isEnglish: (word) => english.has(word) || isPluralIn(english, word) }
}

/** "headphones" brings "headphone". */
function addEnglish(english: Set<string>, word: string): void {
  if (word !== '') english.add(word)
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) english.add(word.slice(0, -1))
}

function emptyWords(language: Foreign): Words {
  return { language, forms: new Map(), stems: new Map(), phrases: new Map(), alone: new Map() }
}

function sectionOf(line: string): Sort | 'english' | null {
  const name = line.startsWith('## ') ? line.slice(3) : ''
  return name === 'english' || isSort(name) ? name : null
}

function isSort(name: string): name is Sort {
  return SORTS.has(name)
}

/** The first row that has a form keeps it. */
function addForms(words: Words, forms: string, entry: Entry): void {
  if (forms === '') return
  for (const form of forms.split('|')) {
    if (form.includes(' ')) addPhrase(words, form.split(' '), entry)
    else addForm(words, form, entry)
  }
}

function addForm({ language, forms, stems, alone }: Words, form: string, entry: Entry): void {
  const known = forms.get(form)
  if (!known) forms.set(form, entry)
  else if (known.sort === 'adjective' && entry.sort === 'noun') alone.set(form, entry)
  const stem = lightStem(form, language)
  if (!stems.has(stem)) stems.set(stem, entry)
}

function addPhrase({ phrases }: Words, words: string[], entry: Entry): void {
  const first = words[0] ?? ''
  const list = phrases.get(first)
  if (list) list.push({ words, entry })
  else phrases.set(first, [{ words, entry }])
}

function spellOut(german: string): string {
  return german.replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue')
}

function isPluralIn(english: ReadonlySet<string>, word: string): boolean {
  if (!word.endsWith('s')) return false
  return english.has(word.slice(0, -1)) || (word.endsWith('es') && english.has(word.slice(0, -2)))
}

/**
 * Finds a word of a query in the dictionary of one language: as it is written, without its ending, or, in German and
 * Dutch, as a compound whose parts are all known ("Wanderrucksack", "regenjas").
 */

/** `sure`: too long, or too exactly a word of the language, to be another word by chance. */
export type Found = Entry & { sure: boolean }

const SURE = { small: 3, form: 4, withEnding: 6, compound: 8, firstPart: 6 }
const COMPOUND = { shortest: 6, longest: 32 }
const SHORTEST_PART = 3
/** Letters that may join two parts: "Arbeit-s-platz", "Küche-n-messer". */
const LINKS = ['s', 'n', 'en', 'es', 'e', 'er']

export function lookUp(word: string, words: Words, { isEnglish }: Dictionary): Found | null {
  const form = words.forms.get(word)
  if (form) return { ...form, sure: word.length >= (form.sort === 'small' ? SURE.small : SURE.form) }
  const inflected = withoutEnding(word, words)
  if (inflected) return { ...inflected, sure: word.length >= SURE.withEnding }
  if ((words.language !== 'de' && words.language !== 'nl') || isEnglish(word)) return null
  return compound(word, words, isEnglish)
}

function withoutEnding(word: string, { language, forms, stems }: Words): Entry | null {
  for (const ending of ENDINGS[language]) {
    if (word.length - ending.length < SHORTEST_PART || !word.endsWith(ending)) continue
    const entry = forms.get(word.slice(0, -ending.length))
    if (entry) return entry
  }
  // A stem alone is no word: "kart" is not "Karte".
  const stem = lightStem(word, language)
  return (stem !== word && stems.get(stem)) || null
}

/** `own` parts are not English too. */
type Part = Entry & { own: boolean; length: number }

/** Goes on from every place where a part may end; the fewest parts win. */
function compound(word: string, words: Words, isEnglish: (word: string) => boolean): Found | null {
  if (word.length < COMPOUND.shortest || word.length > COMPOUND.longest) return null
  const reached = new Map<number, Part[]>([[0, []]])
  for (let from = 0; from <= word.length - SHORTEST_PART; from++) {
    const before = reached.get(from)
    if (!before) continue
    for (let to = from + SHORTEST_PART; to <= word.length; to++) {
      if (to - from === word.length) continue
      const part = partOf(word.slice(from, to), to === word.length, words, isEnglish)
      if (!part) continue
      const parts = [...before, part]
      reach(reached, to, parts)
      if (to < word.length)
        for (const link of LINKS) if (word.startsWith(link, to)) reach(reached, to + link.length, parts)
    }
  }
  const parts = reached.get(word.length)
  const last = parts?.at(-1)
  if (!parts || !last || !parts.some(({ own }) => own)) return null
  // "printhead" and "filtering" are no compounds of "printen" and "Ring".
  const sure = last.own || (parts[0]?.own === true && parts[0].length >= SURE.firstPart)
  return {
    english: parts.map(({ english }) => english).join(' '),
    sort: last.sort,
    sure: sure && word.length >= SURE.compound,
  }
}

function reach(reached: Map<number, Part[]>, to: number, parts: Part[]): void {
  const known = reached.get(to)
  if (!known || parts.length < known.length) reached.set(to, parts)
}

function partOf(
  text: string,
  isLast: boolean,
  words: Words,
  isEnglish: (word: string) => boolean,
): Part | null {
  // "Lauf-schuh" and "Küch-en-tisch" begin with a stem.
  const entry = words.forms.get(text) ?? (isLast ? withoutEnding(text, words) : words.stems.get(text))
  if (entry && (entry.sort === 'noun' || entry.sort === 'adjective'))
    return { ...entry, own: text.length > SHORTEST_PART && !isEnglish(text), length: text.length }
  // "Gamingstuhl", "Laptoptasche": shops' English is part of their words.
  if (text.length <= SHORTEST_PART || !isEnglish(text)) return null
  return { english: text, sort: 'noun', own: false, length: text.length }
}

/**
 * Turns a query of one language into English, word by word. Numbers get a decimal point, articles go, and in the
 * Romance languages what follows a noun and describes it moves before it ("sac à dos imperméable"). Brands, models and
 * words that the dictionary lacks stay as they are.
 */

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

export type Language = 'en' | Foreign | 'other'
export type Reading = {
  language: Language
  /** The query as typed when it is English or cannot be read. */
  english: string
  /** Written in a script that no word list here covers, with no word of the catalog in it. */
  unknownScript: boolean
}

export const UNREADABLE_NOTE =
  "We can't read this query. Search understands English, German, French, Spanish, Italian, Dutch and Portuguese."

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
