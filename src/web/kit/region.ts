/**
 * Where something is delivered, as people write and read it. Requests carry STATE-COUNTRY; a person types the name of a
 * state, or its code. A code that may be a state or a country is not guessed: a seller would quote for the wrong place.
 */
import { readRegion } from '../../pricing/pricing.schema.ts'

const STATES = new Map(
  `AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,\
DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,\
LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,\
NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,\
OK Oklahoma,OR Oregon,PA Pennsylvania,PR Puerto Rico,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,\
TX Texas,UT Utah,VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming`
    .split(',')
    .map((entry) => [entry.slice(0, 2), entry.slice(3)] as const),
)
const CODES = new Map([...STATES].map(([code, name]) => [name.toLowerCase(), code]))
const IN_THE_US = /[\s,]+(?:us|usa|u\.s\.|u\.s\.a\.|united states)$/
const countryNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' })

export const STATE_NAMES = [...STATES.values()]

type ReadPlace = { region: string } | { problem: string }

/** "California", "new york, USA", "TX", "CA-US" and "US-CA" → STATE-COUNTRY. */
export function readPlace(text: string): ReadPlace {
  const said = text.trim().toLowerCase()
  const state = said.replace(IN_THE_US, '').replace(/\s+/g, ' ')
  const named = CODES.get(state)
  if (named !== undefined) return { region: `${named}-US` }
  const region = readRegion(text)
  if (region?.includes('-')) return { region }
  const code = said.toUpperCase()
  const stateOfCode = STATES.get(code)
  if (stateOfCode === undefined)
    return { problem: 'Write a US state, such as California, or region and country by code, such as ON-CA.' }
  if (region === null) return { region: `${code}-US` }
  return {
    problem: `${code} may be ${stateOfCode} or ${countryNames.of(region)}: write ${stateOfCode} or ${code}-US for the first.`,
  }
}

/** As a field has it, to be read again: "CA-US" → "California", "ON-CA" stays. */
export function typedPlace(region: string): string {
  const [part = '', country = ''] = region.split('-')
  return (country === 'US' ? STATES.get(part) : undefined) ?? region
}

/** "CA-US" → "California", "ON-CA" → "ON, Canada". */
export function placeWords(region: string): string {
  const [part = '', country = ''] = region.split('-')
  const typed = typedPlace(region)
  if (typed !== region) return typed
  return /^[A-Z]{2}$/.test(country) ? `${part}, ${countryNames.of(country)}` : region
}
