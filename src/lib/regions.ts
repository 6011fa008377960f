/**
 * Where something is delivered: the one reader that buyers, sellers and pages share. People and agents write a region by
 * name or by code, in either order ("California", "US-CA", "ca, usa", "Germany", "Deutschland"). It is kept as one text:
 * STATE-COUNTRY where a state is known, otherwise the country. A text that means two places ("CA" is California or Canada)
 * is not guessed, because a seller would quote for the wrong one.
 *
 * Every text that is written here reads as itself. So a country is written by its code, or by its name where the code is
 * also a state's: "US", but "Canada".
 */
import { z } from 'zod'

export type Region = {
  /** An ISO 3166-2 code without its country; null when only the country is known. */
  state: string | null
  /** An ISO 3166-1 code. */
  country: string
  /** How it is stored and sent: "CA-US", "US", "Canada". */
  text: string
}

export type RegionRead =
  | { kind: 'region'; region: Region }
  | { kind: 'ambiguous'; choices: Region[] }
  | { kind: 'unknown' }

/** Longer than any place. */
export const MAX_REGION = 60

/** The first name of a code is the one that is shown. Other countries' states are read by their code. */
const STATES: Readonly<Record<string, string>> = {
  US: `AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|
    DC District of Columbia|DC Washington DC|DC Washington D C|FL Florida|GA Georgia|GA Georgie|HI Hawaii|ID Idaho|IL Illinois|
    IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|
    MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|
    NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|
    RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|
    WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming|AS American Samoa|GU Guam|MP Northern Mariana Islands|
    PR Puerto Rico|VI U.S. Virgin Islands|VI Virgin Islands|AA Armed Forces Americas|AE Armed Forces Europe|
    AP Armed Forces Pacific`,
  CA: `AB Alberta|BC British Columbia|MB Manitoba|NB New Brunswick|NL Newfoundland and Labrador|NL Newfoundland|
    NS Nova Scotia|NT Northwest Territories|NU Nunavut|ON Ontario|PE Prince Edward Island|QC Quebec|
    SK Saskatchewan|YT Yukon`,
  AU: `NSW New South Wales|QLD Queensland|SA South Australia|TAS Tasmania|VIC Victoria|WA Western Australia|
    ACT Australian Capital Territory|NT Northern Territory`,
  DE: `BW Baden-Württemberg|BW Baden-Wuerttemberg|BY Bavaria|BY Bayern|BE Berlin|BB Brandenburg|HB Bremen|HH Hamburg|
    HE Hesse|HE Hessen|MV Mecklenburg-Vorpommern|NI Lower Saxony|NI Niedersachsen|NW North Rhine-Westphalia|
    NW Nordrhein-Westfalen|RP Rhineland-Palatinate|RP Rheinland-Pfalz|SL Saarland|SN Saxony|SN Sachsen|
    ST Saxony-Anhalt|ST Sachsen-Anhalt|SH Schleswig-Holstein|TH Thuringia|TH Thüringen|TH Thueringen`,
  GB: 'ENG England|SCT Scotland|WLS Wales|NIR Northern Ireland',
}
/** GB has hundreds of codes below the four that are named. */
const INCOMPLETE = new Set(['GB'])
/** Where people write the code of a state alone. */
const ALONE = ['US', 'CA', 'AU']
/** Military addresses: "AE" alone is a country. */
const NEVER_ALONE = new Set(['AA-US', 'AE-US', 'AP-US'])
/** ISO lists these of the United States as countries too; they are one place. */
const TERRITORIES = new Set(['AS', 'GU', 'MP', 'PR', 'VI'])

/** Names that Intl does not have. */
const ALSO_CALLED = `US usa|US u s|US u s a|US united states of america|US america|GB uk|GB u k|GB great britain|
  GB britain|NL holland|CZ czech republic|TR turkey|CI ivory coast|MM burma|MK macedonia|AE uae|AE u a e|MO macau|
  SZ swaziland|TL east timor|KR republic of korea|KR korea|KP korea|CG congo|CD congo|RU russian federation|
  IE republic of ireland|VA vatican|GE georgie`
const NOT_COUNTRIES = new Set(['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ'])
/** Beside the languages of the countries themselves. */
const LANGUAGES = ['de', 'fr', 'es', 'it', 'pt', 'nl']

type Names = ReadonlyMap<string, ReadonlySet<string>>
type Place = { state: string | null; country: string }

const stateEntries = Object.entries(STATES).flatMap(([country, list]) =>
  list.split('|').map((entry) => {
    const [, code = '', name = ''] = /^\s*(\w+) (.+)$/.exec(entry) ?? []
    return { country, code, name }
  }),
)
const stateNames = new Map<string, string>()
for (const { country, code, name } of stateEntries) {
  const key = `${code}-${country}`
  if (!stateNames.has(key)) stateNames.set(key, name)
}

/** The states of the United States, as a form suggests them. */
export const suggestedRegions = lazily(() =>
  [...stateNames].flatMap(([key, name]) => {
    if (!key.endsWith('-US') || NEVER_ALONE.has(key)) return []
    return readRegion(name).kind === 'region' ? [name] : [regionName(key)]
  }),
)

export function readRegion(text: string): RegionRead {
  if (text.length > MAX_REGION * 2) return { kind: 'unknown' }
  const words = wordsOf(text)
  // Other languages are looked into only when English does not have it: most texts need no second table.
  const places = placesIn(text, words, englishNames) ?? placesIn(text, words, allNames) ?? []
  const choices = places.map(regionOfKey)
  const [first, second] = choices
  if (first === undefined) return { kind: 'unknown' }
  return second === undefined ? { kind: 'region', region: first } : { kind: 'ambiguous', choices }
}

/** What was stored; null when it is no region. A code alone is a country here. */
export function storedRegion(text: string): Region | null {
  if (isCountry(text)) return regionOfKey(countryKey(text))
  // Hundreds may be compared for one quote, so the usual form is not read word by word.
  const [, state = '', country = ''] = /^([A-Z0-9]{1,3})-([A-Z]{2})$/.exec(text) ?? []
  if (isCountry(country) && hasState(country, state)) return { state, country, text }
  const read = readRegion(text)
  return read.kind === 'region' ? read.region : null
}

/** As people read it: "California, United States", "Canada". */
export function regionName(text: string): string {
  const region = storedRegion(text)
  if (region === null) return text
  const country = countryName(region.country)
  return region.state === null ? country : `${stateName(region) ?? region.state}, ${country}`
}

/** As one of two choices: a country that shares its name with a state says that it is one. */
export function choiceName({ text, state }: Region): string {
  const name = regionName(text)
  return state === null && readRegion(name).kind === 'ambiguous' ? `${name} (country)` : name
}

/** As a field is filled in, to be read again: "California", "GA-US", "Canada". */
export function typedRegion(text: string): string {
  const region = storedRegion(text)
  if (region === null) return text
  const name = region.state === null ? countryName(region.country) : (stateName(region) ?? '')
  return readRegion(name).kind === 'region' ? name : region.text
}

/** The state without its country, where it has a name. */
function stateName({ state, country }: Region): string | undefined {
  return stateNames.get(`${state}-${country}`)
}

/** isWithin compares regions as stored: California is within California and within the United States. */
export function isWithin(text: string, of: string): boolean {
  const [region, whole] = [storedRegion(text), storedRegion(of)]
  if (!region || region.country !== whole?.country) return false
  return whole.state === null || whole.state === region.state
}

/** How much of a region somebody serves: all or none of it, or the parts that these names say. */
export type Served = 'all' | 'none' | string[]

/** servedPart compares regions as stored. No region stated means everywhere, and no wish is served by everybody. */
export function servedPart(regions: readonly string[] | null, wanted: string | null): Served {
  const wish = wanted === null ? null : storedRegion(wanted)
  if (wish === null || regions === null || regions.length === 0) return 'all'
  const parts: string[] = []
  for (const text of regions) {
    const region = storedRegion(text)
    if (region?.country !== wish.country) continue
    if (region.state === null || region.state === wish.state) return 'all'
    if (wish.state === null) parts.push(stateName(region) ?? region.text)
  }
  return parts.length > 0 ? parts : 'none'
}

const ACCEPTED = 'must be a state or country by name or code, such as California, CA-US, ON-CA, Germany or US'

/** What to answer to a text that is no one region: the problem, and what may be written instead. */
function regionProblem(
  text: string,
  read: Exclude<RegionRead, { kind: 'region' }>,
): { message: string; valid?: string[] } {
  if (read.kind === 'unknown') return { message: ACCEPTED }
  const valid = read.choices.map((choice) => choice.text)
  const meant = read.choices.map((choice) => {
    const name = choiceName(choice)
    return name === choice.text ? name : `${choice.text} (${name})`
  })
  const said = text.trim()
  return { message: `"${said}" can mean two places: send ${meant.join(' or ')}`, valid }
}

/** checkRegion is the transform of a field that holds a region. Its problem lists what may be sent in `valid`. */
export function checkRegion(text: string, context: z.RefinementCtx): string {
  const read = readRegion(text)
  if (read.kind === 'region') return read.region.text
  const { message, valid } = regionProblem(text, read)
  context.addIssue({ code: 'custom', message, ...(valid && { params: { valid } }) })
  return z.NEVER
}

export const RegionInput = z.string().max(MAX_REGION).transform(checkRegion)

/** For a reader of sentences: the state that an English name means, as STATE-COUNTRY. */
export function stateNamed(name: string): string | undefined {
  const [only, other] = statesByName().get(wordsOf(name).join(' ')) ?? []
  return other === undefined ? only : undefined
}

/** For a reader of sentences: the code of the country that an English name means, unless it is also a state's name. */
export function countryNamed(name: string): string | undefined {
  const folded = wordsOf(name).join(' ')
  const [only, other] = englishNames().get(folded) ?? []
  return other === undefined && !statesByName().has(folded) ? only : undefined
}

/** Whether a country has a state of this code; undefined where its states are not known here. */
export function hasState(country: string, state: string): boolean | undefined {
  const known = stateNames.has(`${state}-${country}`)
  return known || (country in STATES && !INCOMPLETE.has(country)) ? known : undefined
}

export function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && countries().has(code)
}

/** Everything that a text means, as keys; null when that is nothing. */
function placesIn(text: string, words: readonly string[], names: () => Names): string[] | null {
  const whole = wholePlaces(words, names)
  const places = whole.size > 0 ? [...whole] : splitPlaces(text, words, names)
  return places.length > 0 ? places : null
}

/** What these words mean as one name or code. */
function wholePlaces(words: readonly string[], names: () => Names): Set<string> {
  const name = words.join(' ')
  const places = new Set<string>(statesByName().get(name))
  const [code, ...more] = words
  if (code !== undefined && more.length === 0)
    for (const country of ALONE) {
      const key = `${code.toUpperCase()}-${country}`
      if (stateNames.has(key) && !NEVER_ALONE.has(key)) places.add(key)
    }
  for (const country of countriesCalled(words, names)) places.add(countryKey(country))
  return places
}

/** A state beside its country, in either order, whatever stands between them. */
function splitPlaces(text: string, words: readonly string[], names: () => Names): string[] {
  const sure = new Set<string>()
  const plausible: string[] = []
  // Two codes with only a space between them are too often two words.
  const joined = /[-,_/]/.test(text)
  for (let at = 1; at < words.length; at++) {
    const [first, last] = [words.slice(0, at), words.slice(at)]
    for (const [state, of] of [
      [first, last],
      [last, first],
    ] as const)
      for (const country of countriesCalled(of, names)) {
        const { named, coded } = statesIn(country, state)
        for (const key of named) sure.add(key)
        if (coded !== null && joined) plausible.push(coded)
      }
  }
  // STATE-COUNTRY comes first, as the interface writes it.
  return sure.size > 0 ? [...sure] : plausible.slice(0, 1)
}

function statesIn(country: string, words: readonly string[]): { named: string[]; coded: string | null } {
  const named = [...(statesByName().get(words.join(' ')) ?? [])].filter((key) => key.endsWith(`-${country}`))
  const [code = '', ...more] = words
  const state = code.toUpperCase()
  if (more.length > 0 || !/^[A-Z0-9]{1,3}$/.test(state)) return { named, coded: null }
  const key = `${state}-${country}`
  const has = hasState(country, state)
  if (has) return { named: [key], coded: null }
  return { named, coded: has === undefined ? key : null }
}

function countriesCalled(words: readonly string[], names: () => Names): Iterable<string> {
  const name = words.join(' ')
  const code = name.toUpperCase()
  if (isCountry(code)) return [code]
  return names().get(name) ?? []
}

function countryKey(country: string): string {
  return TERRITORIES.has(country) ? `${country}-US` : country
}

function placeOf(key: string): Place {
  const [first = '', second] = key.split('-')
  return second === undefined ? { state: null, country: first } : { state: first, country: second }
}

function regionOfKey(key: string): Region {
  const place = placeOf(key)
  return { ...place, text: place.state === null ? countryText(place.country) : key }
}

/** The code, unless it is also that of a state that people write alone. */
function countryText(country: string): string {
  return ALONE.some((of) => stateNames.has(`${country}-${of}`) && !NEVER_ALONE.has(`${country}-${of}`))
    ? countryName(country)
    : country
}

/** Words without marks, case and what people leave out; "St." and "Saint" are one. */
function wordsOf(text: string): string[] {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
  return words
    .filter((word) => word !== '' && word !== 'the' && word !== 'and')
    .map((word) => (word === 'saint' ? 'st' : word))
}

function countryName(code: string): string {
  return english().of(code) ?? code
}

const english = lazily(() => new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' }))

const countries = lazily(() => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  return new Set(
    codes.filter(
      (code) =>
        !NOT_COUNTRIES.has(code) &&
        english().of(code) !== undefined &&
        // Codes out of use (DD, YU) still have names, and are read as another code.
        new Intl.Locale(`und-${code}`).region === code,
    ),
  )
})

const statesByName = lazily((): Names => {
  const names = new Map<string, Set<string>>()
  for (const { country, code, name } of stateEntries) addName(names, name, `${code}-${country}`)
  return names
})

const englishNames = lazily((): Names => {
  const names = new Map<string, Set<string>>()
  addNamesIn(names, 'en')
  for (const entry of ALSO_CALLED.split('|')) {
    const [, country = '', name = ''] = /^\s*(\w+) (.+)$/.exec(entry) ?? []
    addName(names, name, country)
  }
  return names
})

/** In the languages that are written most here, and each country's name in its own. */
const allNames = lazily((): Names => {
  const names = new Map<string, Set<string>>()
  for (const language of LANGUAGES) addNamesIn(names, language)
  for (const code of countries()) {
    const language = new Intl.Locale(`und-${code}`).maximize().toString()
    addName(names, new Intl.DisplayNames([language], { type: 'region' }).of(code) ?? '', code)
  }
  return names
})

function addNamesIn(names: Map<string, Set<string>>, language: string): void {
  for (const style of ['long', 'short'] as const) {
    const called = new Intl.DisplayNames([language], { type: 'region', style })
    for (const code of countries()) addName(names, called.of(code) ?? '', code)
  }
}

function addName(names: Map<string, Set<string>>, name: string, key: string): void {
  const folded = wordsOf(name).join(' ')
  const held = names.get(folded)
  if (folded === '') return
  if (held) held.add(key)
  else names.set(folded, new Set([key]))
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
