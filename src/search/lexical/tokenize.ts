/**
 * Cuts text into the terms that documents are indexed under and queries ask for.
 * One word may give several tokens: "noise-cancelling" is two words and a joined one, "WH-1000XM4" also the pieces
 * people remember of it, a number with its unit is one term with the bare number as a piece. Stop words are marked,
 * not dropped: the caller knows whether they matter.
 */
import { foldText } from './fold.ts'
import { factsOf, stem, type WordFacts } from './stem.ts'
import { apartUnit, gluedUnit, twoWordUnit } from './units.ts'

export type Token = {
  /** Folded and stemmed: what is indexed and looked up. */
  term: string
  /** Folded only, as it was written: what spelling is judged by. */
  surface: string
  /** Which word of the text it is, or starts with. */
  position: number
  /** How many words it covers: more than one for `joined`. */
  span: number
  /** `joined`: words tied by a hyphen, written as one. `piece`: a part of the word at the same position. */
  kind: 'word' | 'joined' | 'piece'
  stop: boolean
}

type Atom = { text: string; facts: WordFacts; start: number; end: number; tied: boolean }

const MAX_TERM = 40
/** Letters and digits; numbers keep their decimals and thousands, words their inner apostrophes. */
const ATOM =
  /(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|[\p{L}\p{N}])+(?:(?<=\p{L})'\p{L}+|'s(?!\p{L}))*/gu
const NUMBER = /^\d+(?:\.\d+)?$/
const NUMBER_AND_LETTERS = /^(\d+(?:\.\d+)?)([a-z]+)$/
const DIMENSIONS = /^\d+(?:\.\d+)?(?:x\d+(?:\.\d+)?)+$/
/** 10 x 12 and 10" x 12" */
const SPACED_DIMENSIONS = /(\d)(?:"|'{1,2})?\s+x\s+(?=\d)/g
const DIGIT = /\d/
const DENOMINATORS = new Set(['2', '3', '4', '5', '6', '8', '16', '32', '64'])
/** "12 in the box" is no length. */
const AFTER_PREPOSITION = new Set('a an the this that my your our one each total'.split(' '))
const LONGEST_COMPOUND = 4

export function tokenize(text: string): Token[] {
  const folded = foldText(text).replace(SPACED_DIMENSIONS, '$1x')
  const atoms = findAtoms(folded)
  const tokens: Token[] = []
  let position = 0
  let run: Atom[] = []
  for (let i = 0; i < atoms.length; ) {
    const atom = atoms[i] as Atom
    const amount = atom.facts.hasDigit ? readAmount(folded, atoms, i) : undefined
    // The second half of "i7-12700h" reads like 12700 hours, but the model number is joined all the same.
    if (atom.tied && run.length > 0 && (!amount || amount.glued)) run.push(atom)
    else {
      addJoined(tokens, run, position)
      run = amount ? [] : [atom]
    }
    if (amount) addAmount(tokens, amount, position)
    else addWord(tokens, atom, position)
    i += amount?.atoms ?? 1
    position++
  }
  addJoined(tokens, run, position)
  return tokens
}

function findAtoms(folded: string): Atom[] {
  const atoms: Atom[] = []
  let previous: Atom | undefined
  ATOM.lastIndex = 0
  for (let match = ATOM.exec(folded); match; match = ATOM.exec(folded)) {
    const text = plainWord(match[0])
    const tied = previous !== undefined && isTied(folded, previous, match.index, text)
    const atom = { text, facts: factsOf(text), start: match.index, end: ATOM.lastIndex, tied }
    atoms.push(atom)
    previous = atom
  }
  return atoms
}

/** Without possessive and apostrophes ("women's" → women, "l'oreal" → loreal) and thousands commas. */
function plainWord(word: string): string {
  let plain = word
  if (plain.includes("'")) plain = plain.replace(/'s$/, '').replaceAll("'", '')
  if (plain.includes(',')) plain = plain.replaceAll(',', '')
  return plain.length > MAX_TERM ? plain.slice(0, MAX_TERM) : plain
}

function isTied(folded: string, previous: Atom, start: number, text: string): boolean {
  if (start - previous.end !== 1) return false
  switch (folded[previous.end]) {
    case '-':
    case '_':
      return !(NUMBER.test(previous.text) && NUMBER.test(text))
    case '&':
      return previous.text.length <= 3 && text.length <= 3
    case '.':
      return previous.text.length === 1 && text.length === 1
    default:
      return false
  }
}

function addWord(tokens: Token[], { text, facts }: Atom, position: number): void {
  tokens.push({ term: facts.term, surface: text, position, span: 1, kind: 'word', stop: facts.stop })
  if (facts.hasDigit) for (const piece of piecesOf(text)) addPiece(tokens, piece, position)
}

/** Once only: "wh-1000xm4" holds xm4 in its second word and in its joined form. */
function addPiece(tokens: Token[], text: string, position: number): void {
  const term = stem(text)
  for (let i = tokens.length - 1; i >= 0; i--) {
    const other = tokens[i] as Token
    if (other.position < position) break
    if (other.term === term) return
  }
  tokens.push({ term, surface: text, position, span: 1, kind: 'piece', stop: false })
}

/** Cut where letters follow digits: "wh1000xm4" → wh1000, xm4; "10x12" → 10, 12; "4k" stays whole. */
function piecesOf(text: string): string[] {
  if (DIMENSIONS.test(text)) return text.split('x')
  const pieces = text.split(/(?<=\d)(?=[a-z])/)
  return pieces.length === 1 ? [] : pieces.filter((piece) => piece.length > 1)
}

/** The words of a run tied by hyphens, as one word that starts where the run starts. */
function addJoined(tokens: Token[], run: Atom[], end: number): void {
  if (run.length < 2 || run.length > LONGEST_COMPOUND) return
  const text = run.map((atom) => atom.text).join('')
  if (text.length > MAX_TERM) return
  const position = end - run.length
  const amount = readGlued(text)
  const term = amount ? amount.number + amount.unit : stem(text)
  tokens.push({ term, surface: text, position, span: run.length, kind: 'joined', stop: false })
  if (DIGIT.test(text)) for (const piece of piecesOf(text)) addPiece(tokens, piece, position)
}

type Amount = { numbers: string[]; unit: string; glued: boolean; atoms: number }

/** A number with its unit that starts at this atom, however it is spelled. */
function readAmount(folded: string, atoms: Atom[], at: number): Amount | undefined {
  const atom = atoms[at] as Atom
  const glued = readGlued(atom.text)
  if (glued) return { numbers: [glued.number], unit: glued.unit, glued: true, atoms: 1 }
  if (DIMENSIONS.test(atom.text)) {
    const unit = readUnit(folded, atoms, at)
    return (
      unit && {
        numbers: atom.text.split('x').map(plainNumber),
        unit: unit.name,
        glued: false,
        atoms: 1 + unit.atoms,
      }
    )
  }
  if (!NUMBER.test(atom.text) || '$£€'.includes(folded[atom.start - 1] ?? ' ')) return undefined
  const { value, atoms: used } = readValue(folded, atoms, at)
  const unit = readUnit(folded, atoms, at + used - 1)
  return unit && { numbers: [value], unit: unit.name, glued: false, atoms: used + unit.atoms }
}

/** "16gb", "05lbs" */
function readGlued(text: string): { number: string; unit: string } | undefined {
  const [, number, name] = NUMBER_AND_LETTERS.exec(text) ?? []
  const unit = name === undefined ? undefined : gluedUnit(name)
  return number === undefined || unit === undefined ? undefined : { number: plainNumber(number), unit }
}

/** "1/2" and "1 1/2" are 0.5 and 1.5, ".5" too: the caller takes it for one number only when a unit follows. */
function readValue(folded: string, atoms: Atom[], at: number): { value: string; atoms: number } {
  const first = atoms[at] as Atom
  const fraction = readFraction(folded, atoms, at)
  if (fraction !== undefined) return { value: plainNumber(String(fraction)), atoms: 2 }
  const mixed = gap(folded, atoms, at) === ' ' || gap(folded, atoms, at) === '-'
  const rest = mixed && !first.text.includes('.') ? readFraction(folded, atoms, at + 1) : undefined
  if (rest !== undefined) return { value: plainNumber(String(Number(first.text) + rest)), atoms: 3 }
  const bare = folded[first.start - 1] === '.' && !/[\p{L}\p{N}]/u.test(folded[first.start - 2] ?? ' ')
  return { value: plainNumber(bare ? `0.${first.text}` : first.text), atoms: 1 }
}

function readFraction(folded: string, atoms: Atom[], at: number): number | undefined {
  const above = atoms[at]?.text ?? ''
  const below = atoms[at + 1]?.text ?? ''
  if (!DENOMINATORS.has(below) || !NUMBER.test(above) || gap(folded, atoms, at) !== '/') return undefined
  const value = Number(above) / Number(below)
  return value < 1 && !above.includes('.') ? value : undefined
}

/** Without needless zeros: "1.50" → 1.5, "05" → 5. */
function plainNumber(number: string): string {
  const [whole = '', part = ''] = number.split('.')
  const fraction = part.slice(0, 4).replace(/0+$/, '')
  const start = whole.replace(/^0+(?=\d)/, '')
  return fraction === '' ? start : `${start}.${fraction}`
}

/** The unit after a number: a mark (27" and 6', but not the quote of "the 90's") or a name. */
function readUnit(folded: string, atoms: Atom[], at: number): { name: string; atoms: number } | undefined {
  const end = (atoms[at] as Atom).end
  const mark = folded[end]
  if (mark === '"' || folded.startsWith("''", end)) return { name: 'in', atoms: 0 }
  if (mark === "'" && !/\p{L}/u.test(folded[end + 1] ?? ' ')) return { name: 'ft', atoms: 0 }
  const name = atoms[at + 1]?.text
  if (name === undefined || (mark !== ' ' && mark !== '-') || gap(folded, atoms, at) !== mark)
    return undefined
  const next = atoms[at + 2]?.text ?? ''
  const twoWords = twoWordUnit(name, next)
  if (twoWords !== undefined) return { name: twoWords, atoms: 2 }
  if (name === 'in' && (DIGIT.test(next) || AFTER_PREPOSITION.has(next))) return undefined
  const unit = mark === '-' ? gluedUnit(name) : apartUnit(name)
  return unit === undefined ? undefined : { name: unit, atoms: 1 }
}

/** What stands between an atom and the next. */
function gap(folded: string, atoms: Atom[], at: number): string | undefined {
  const left = atoms[at]
  const right = atoms[at + 1]
  return left && right ? folded.slice(left.end, right.start) : undefined
}

function addAmount(tokens: Token[], { numbers, unit }: Amount, position: number): void {
  const term = numbers.length === 1 ? numbers[0] + unit : numbers.join('x')
  tokens.push({ term, surface: term, position, span: 1, kind: 'word', stop: false })
  for (const number of numbers) {
    if (numbers.length > 1) addPiece(tokens, number + unit, position)
    addPiece(tokens, number, position)
  }
}
