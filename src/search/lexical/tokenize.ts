/**
 * Cuts text into the terms that documents are indexed under and queries ask for.
 * One word may give several tokens: "noise-cancelling" is two words and a joined one, "WH-1000XM4" also the pieces
 * people remember of it, a number with its unit is one term with the bare number as a piece. Stop words are marked,
 * not dropped: the caller knows whether they matter.
 */
import { stemmer } from 'stemmer'
import { rememberShort } from '../../lib/remember-short.ts'
import { PLAIN_LETTERS } from '../../lib/text.ts'

/**
 * Brings text to one spelling before it is cut into words: lower case, no accents, plain quotes and dashes.
 * Both documents and queries go through here, so "Déjà-Vu™" and "deja-vu" meet. Nearly all catalog text is
 * ASCII, which needs lower-casing only.
 */

const ASCII = /^[\0-\x7f]*$/
const MARKS = /\p{M}+/gu
/** NFKD would spell these out as letters of the word before them. */
const TRADE_SIGNS = /[™℠®©]/g
const ODD = /[ßæœøđłħıþð‐‑‒–—−’‘ʼ′“”„″×⁄]/g
const PLAIN: Record<string, string> = {
  ...PLAIN_LETTERS,
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  // A dash between words separates them even when it is set without spaces.
  '—': ' ',
  '−': '-',
  '’': "'",
  '‘': "'",
  ʼ: "'",
  '′': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '″': '"',
  '×': 'x',
  '⁄': '/',
}

export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return (
    text
      .replace(TRADE_SIGNS, ' ')
      // "1½" must not become "11/2".
      .replace(/(\d)([¼½¾⅐-⅞])/g, '$1 $2')
      .toLowerCase()
      .replace(/″/g, '"')
      .normalize('NFKD')
      .replace(MARKS, '')
      .toLowerCase()
      .replace(ODD, (sign) => PLAIN[sign] ?? ' ')
  )
}

/**
 * From a word to the term it is indexed under: Porter's stems, with the irregular plurals shops are full of and the few
 * words whose stem would be another product ("leggings" is no leg, an "organizer" not organic).
 * Words with digits and words of other alphabets stay as they are.
 */

const IRREGULAR = new Map(
  Object.entries({
    women: 'woman',
    womens: 'woman',
    men: 'man',
    mens: 'man',
    children: 'child',
    childrens: 'child',
    feet: 'foot',
    teeth: 'tooth',
    geese: 'goose',
    mice: 'mouse',
    knives: 'knife',
    wives: 'wife',
    lives: 'life',
    shelves: 'shelf',
    scarves: 'scarf',
    halves: 'half',
    loaves: 'loaf',
    leaves: 'leaf',
    wolves: 'wolf',
    calves: 'calf',
    hooves: 'hoof',
  }),
)
const KEPT_APART = new Set(
  (
    'lens news shorts legging earring bedding stocking comforter organic organizer organiser generator generic ' +
    'universal universe university animation'
  ).split(' '),
)
const PLURALS_KEPT_APART = new Map([...KEPT_APART].map((word) => [plural(word), word]))
const STEMMABLE = /^[a-z]{3,30}$/
const CACHE_LIMIT = 30_000
const cache = new Map<string, WordFacts>()

/** What is known of a word without its neighbours. */
export type WordFacts = { term: string; stop: boolean; hasDigit: boolean }

/** Looked up for every word of every text, hence kept: texts repeat few words. */
export function factsOf(word: string): WordFacts {
  const known = cache.get(word)
  if (known !== undefined) return known
  if (cache.size >= CACHE_LIMIT) cache.clear()
  const stop = STOP_WORDS.has(word)
  const facts = { term: detached(stop ? word : makeStem(word)), stop, hasDigit: /\d/.test(word) }
  cache.set(detached(word), facts)
  return facts
}

export function stem(word: string): string {
  return factsOf(word).term
}

/**
 * The same characters on their own: V8 keeps a long cut-out as a window on the text it was cut from, and one word kept
 * would keep the whole text.
 */
export function detached(word: string): string {
  return word.length < 13 ? word : Buffer.from(word, 'utf8').toString('utf8')
}

function makeStem(word: string): string {
  if (!STEMMABLE.test(word)) return word
  const kept = KEPT_APART.has(word) ? word : PLURALS_KEPT_APART.get(word)
  return kept ?? stemmer(IRREGULAR.get(word) ?? word)
}

function plural(word: string): string {
  return word.endsWith('s') ? `${word}es` : `${word}s`
}

/** Words that carry no product: they are kept in a query only when it has nothing else. */

export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after again all also am an and any anything are as at be because been before being both but by can could ' +
    'did do does doing done each either else ever every few for from get gets getting give had has have having he her ' +
    'here hers him his how i if im in into is it its itself ive just like looking make makes many me might more most ' +
    'much must my myself need needs no nor not of off on once only onto or other our ours out over own please ' +
    'same she should so some someone something still such than that the their them then there these they this ' +
    'those through to too under until up upon us very want wants was way we were what when where which while who ' +
    'whom whose why will with within without would yet you your yours'
  ).split(' '),
)

/**
 * Units of measure as shops write them. A number and its unit are one term ("27-inch", "27 in" and 27" are `27in`):
 * apart they would match any 27 and any inch.
 */

const UNITS: Record<string, string> = {
  in: 'in inch inches',
  ft: 'ft foot feet',
  yd: 'yd yds yard yards',
  mm: 'mm millimeter millimeters millimetre millimetres',
  cm: 'cm centimeter centimeters centimetre centimetres',
  m: 'm meter meters metre metres',
  km: 'km kilometer kilometers kilometre kilometres',
  mi: 'mi mile miles',
  sqft: 'sqft',
  g: 'g gr gram grams gramme grammes',
  mg: 'mg milligram milligrams',
  mcg: 'mcg',
  kg: 'kg kgs kilo kilos kilogram kilograms',
  oz: 'oz ounce ounces floz',
  lb: 'lb lbs pound pounds',
  ml: 'ml milliliter milliliters millilitre millilitres',
  l: 'l ltr ltrs liter liters litre litres',
  gal: 'gal gals gallon gallons',
  qt: 'qt qts quart quarts',
  pt: 'pt pint pints',
  cup: 'cup cups',
  mb: 'mb megabyte megabytes',
  gb: 'gb gigabyte gigabytes',
  tb: 'tb terabyte terabytes',
  mp: 'mp megapixel megapixels',
  hz: 'hz hertz',
  khz: 'khz kilohertz',
  mhz: 'mhz megahertz',
  ghz: 'ghz gigahertz',
  mw: 'mw',
  w: 'w watt watts',
  kw: 'kw kilowatt kilowatts',
  wh: 'wh',
  kwh: 'kwh',
  ma: 'ma',
  mah: 'mah',
  a: 'a amp amps ampere amperes',
  ah: 'ah',
  v: 'v volt volts',
  h: 'h hr hrs hour hours',
  min: 'min mins minute minutes',
  sec: 'sec secs second seconds',
  ms: 'ms millisecond milliseconds',
  rpm: 'rpm',
  dpi: 'dpi',
  psi: 'psi',
  btu: 'btu btus',
  lm: 'lm lumen lumens',
  db: 'db decibel decibels',
  nit: 'nit nits',
  mph: 'mph',
  deg: 'deg degree degrees',
}

const GLUED = new Map(
  Object.entries(UNITS).flatMap(([unit, names]) => names.split(' ').map((name) => [name, unit] as const)),
)
/** "2 a day" is no current; "a" counts only when it touches the number. */
const NEVER_APART = new Set(['a'])
const BEFORE_UNIT = new Map([
  ['fl oz', 'oz'],
  ['fluid oz', 'oz'],
  ['sq ft', 'sqft'],
  ['square ft', 'sqft'],
  ['sq in', 'sqin'],
  ['square in', 'sqin'],
  ['sq m', 'sqm'],
  ['square m', 'sqm'],
])

/** The unit of "16gb" or "27-inch", or undefined. */
export function gluedUnit(name: string): string | undefined {
  return GLUED.get(name)
}

/** The unit of "16 GB". */
export function apartUnit(name: string): string | undefined {
  return NEVER_APART.has(name) ? undefined : GLUED.get(name)
}

/** The unit of "12 fl oz" or "300 square feet", whose name is two words. */
export function twoWordUnit(first: string, second: string): string | undefined {
  const unit = GLUED.get(second)
  return unit === undefined ? undefined : BEFORE_UNIT.get(`${first} ${unit}`)
}

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

/** Labels, words of a query and short specs are asked for again and again. */
export const stemsOf: (text: string) => string[] = rememberShort((text) => [
  ...new Set(tokenize(text).flatMap(({ term, stop }) => (stop ? [] : [term]))),
])

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
