/**
 * The states and provinces that people write by name, of the countries whose regions our buyers name most. Any other
 * country's regions are understood as codes.
 */

const NAMES: Record<string, string> = {
  US: `AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|
    DC District of Columbia|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|
    KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|
    MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|
    NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|PR Puerto Rico|
    RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|
    WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming`,
  CA: `AB Alberta|BC British Columbia|MB Manitoba|NB New Brunswick|NL Newfoundland and Labrador|NL Newfoundland|
    NS Nova Scotia|NT Northwest Territories|NU Nunavut|ON Ontario|PE Prince Edward Island|QC Quebec|
    SK Saskatchewan|YT Yukon`,
  AU: `NSW New South Wales|QLD Queensland|SA South Australia|TAS Tasmania|VIC Victoria|WA Western Australia|
    ACT Australian Capital Territory|NT Northern Territory`,
  DE: `BW Baden-Wurttemberg|BW Baden-Wuerttemberg|BY Bavaria|BY Bayern|BE Berlin|BB Brandenburg|HB Bremen|
    HH Hamburg|HE Hesse|HE Hessen|MV Mecklenburg-Vorpommern|NI Lower Saxony|NI Niedersachsen|
    NW North Rhine-Westphalia|RP Rhineland-Palatinate|SL Saarland|SN Saxony|SN Sachsen|ST Saxony-Anhalt|
    SH Schleswig-Holstein|TH Thuringia`,
  GB: 'ENG England|SCT Scotland|WLS Wales|NIR Northern Ireland',
}

const entries = Object.entries(NAMES).flatMap(([country, list]) =>
  list.split('|').map((entry) => {
    const [code = '', ...words] = entry.trim().split(/[\s-]+/)
    return { country, code, name: words.join(' ').toLowerCase() }
  }),
)

/** country → the codes of its states */
export const STATES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.keys(NAMES).map((country) => [
    country,
    new Set(entries.flatMap((entry) => (entry.country === country ? [entry.code] : []))),
  ]),
)

/** "oregon" → "OR-US" */
export const REGION_OF: ReadonlyMap<string, string> = new Map(
  entries.map(({ country, code, name }) => [name, `${code}-${country}`]),
)

const ALSO: Record<string, string> = {
  usa: 'US',
  us: 'US',
  'u s': 'US',
  'u s a': 'US',
  america: 'US',
  uk: 'GB',
  'u k': 'GB',
  'great britain': 'GB',
  britain: 'GB',
  holland: 'NL',
}

/** "germany" → "DE"; a country that shares its name with a state is left to the state. */
export const COUNTRIES: ReadonlyMap<string, string> = new Map([...countryNames(), ...Object.entries(ALSO)])

function countryNames(): Array<[string, string]> {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')
  return letters.flatMap((first) =>
    letters.flatMap((second): Array<[string, string]> => {
      const code = first + second
      const name = /^(EU|EZ|QO|UN|XA|XB|ZZ)$/.test(code) ? undefined : names.of(code)
      const plain = name
        ?.toLowerCase()
        .replaceAll(/[^\p{L}]+/gu, ' ')
        .trim()
      // Codes out of use (FX, DD) still have names; those in use replace them.
      const region = plain && new Intl.Locale(`und-${code}`).region
      return region && !REGION_OF.has(plain) ? [[plain, region]] : []
    }),
  )
}
