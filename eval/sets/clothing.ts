/**
 * A clothing shop as an import brings it: colour and size now in the title, now in the specs, now missing; brand first,
 * last or only in its own field; coarse categories; short descriptions about what to wear it with. Names are made up.
 */
import type { JudgedSet } from '../judged.ts'
import { MODELS, QUERIES } from './clothing.queries.ts'
import { CHAT, COLOUR_NAMES, GROUPS, KINDS } from './clothing.words.ts'
import { makeJudgedSet, type Thing } from './judge.ts'
import {
  type Chance,
  createChance,
  impliedValue,
  type Kind,
  linesOf,
  readKinds,
  readPairs,
  type Value,
} from './make.ts'

const COLOURS = new Map(readPairs(COLOUR_NAMES).map(([colour, names]) => [colour, names.split(', ')]))
const GENDERS: Record<string, string[]> = {
  men: ["Men's", 'Mens', 'Men', 'Gents'],
  women: ["Women's", 'Womens', 'Ladies', 'Women'],
  kids: ["Kids'", 'Boys', 'Girls', 'Junior'],
  unisex: ['Unisex', 'Unisex', 'Adult'],
}
const SIZED = new Set([
  'Tops',
  'Knitwear',
  'Bottoms',
  'Dresses',
  'Tailoring',
  'Outerwear',
  'Nightwear',
  'Swimwear',
])
const LETTERS = ['XS', 'S', 'M', 'L', 'XL', 'XXL']

export function makeClothingSet(): JudgedSet {
  const chance = createChance(1)
  const things: Thing[] = []
  for (const kind of readKinds(KINDS, GROUPS))
    for (let at = 0; at < kind.count; at++) things.push(makeThing(kind, things.length, chance))
  return makeJudgedSet('made-clothing', things, QUERIES, MODELS)
}

function makeThing(kind: Kind, number: number, chance: Chance): Thing {
  const brand = chance.pick(kind.brands)
  const style = chance.pick(kind.lines)
  const model = chance.pick([
    `${style} ${chance.between(100, 999)}`,
    `${style.slice(0, 2).toUpperCase()}${chance.between(1000, 9999)}`,
    `${style} ${chance.pick(['II', 'Classic', 'Lite', 'Pro'])}`,
  ])
  const { name, implied } = chance.pick(kind.names)
  // The first name is the general one: it does not say which sort it is.
  const attributes: Thing['attributes'] = {
    name: name === kind.names[0]?.name ? undefined : name.toLowerCase(),
  }
  const specs: Record<string, Value> = {}
  const inTitle: Record<string, string> = {}
  const state = (attribute: string, value: Value, words: string, spec: string) => {
    const place = chance.next()
    if (place < 0.1 && impliedValue(implied, attribute) === undefined) return
    attributes[attribute] = value
    if (place < 0.6 && words !== '') inTitle[attribute] = words
    if (place >= 0.45 || words === '') specs[spec] = words || 'No'
  }
  for (const [attribute, values] of kind.attributes) {
    const value = impliedValue(implied, attribute) ?? chance.pick(values)
    const [words, spec] = say(attribute, value, chance)
    state(attribute, value, words, spec)
  }
  const sizes = sizesOf(kind, attributes.gender, chance)
  if (sizes.length > 0) {
    attributes.size = sizes.join('/')
    if (sizes.length === 1 && chance.maybe(0.6))
      inTitle.size = chance.pick([`- ${sizes[0]}`, `Size ${sizes[0]}`, `(${sizes[0]})`])
    else specs[chance.pick(['Size', 'Sizes', 'Available sizes'])] = sizes.join(', ')
  }
  if (SIZED.has(kind.family) && chance.maybe(0.4))
    specs.Care = chance.pick(['Machine wash 30', 'Hand wash', 'Dry clean only'])
  if (chance.maybe(0.3)) specs['Country of origin'] = chance.pick(['Portugal', 'Turkey', 'Vietnam', 'Italy'])
  if (chance.maybe(0.2)) specs.Season = chance.pick(['SS26', 'AW25', 'Core'])
  const title = makeTitle({ brand, model, name, inTitle }, chance)
  const department = String(attributes.gender ?? 'All')
  return {
    kind: kind.kind,
    brand,
    model,
    attributes,
    row: {
      id: `c${1000 + number * 3}`,
      title,
      category: chance.maybe(0.3) ? `${department[0]?.toUpperCase()}${department.slice(1)}` : kind.family,
      ...(chance.maybe(0.9) || !title.includes(brand) ? { brand } : {}),
      ...(chance.maybe(0.6) || !title.includes(model) ? { model } : {}),
      ...(!/care$/i.test(kind.family) && chance.maybe(0.6)
        ? { description: chance.shuffle(linesOf(CHAT)).slice(0, chance.between(1, 3)).join(' ') }
        : {}),
      specs,
      price: Math.round(kind.price[0] + (kind.price[1] - kind.price[0]) * chance.next() ** 2) - 0.05,
    },
  }
}

/** The words for a value, and the name of its spec. Words are empty when it is a plain no. */
function say(attribute: string, value: Value, chance: Chance): [words: string, spec: string] {
  const text = String(value)
  const capital = `${text[0]?.toUpperCase()}${text.slice(1)}`
  switch (attribute) {
    case 'gender':
      return [chance.pick(GENDERS[text] ?? [text]), chance.pick(['Gender', 'Department', 'For'])]
    case 'colour':
      return [chance.pick(COLOURS.get(text) ?? [capital]), chance.pick(['Colour', 'Color'])]
    case 'material':
      return [
        chance.pick([capital, capital, `100% ${capital}`]),
        chance.pick(['Material', 'Fabric', 'Composition']),
      ]
    case 'sleeve':
      return [chance.pick([`${capital} Sleeve`, `${capital[0]}/S`, `${capital}-Sleeved`]), 'Sleeve length']
    case 'fit':
      return [`${capital} Fit`, 'Fit']
    case 'length':
      return [capital, 'Dress length']
    default:
      return [value ? (FEATURES[attribute] ?? capital) : '', FEATURES[attribute] ?? attribute]
  }
}
const FEATURES: Record<string, string> = {
  waterproof: 'Waterproof',
  zip: 'Full Zip',
  hood: 'Hooded',
  highWaist: 'High Waist',
  sports: 'Sports',
  polarised: 'Polarised',
}

function sizesOf({ family }: Kind, gender: Value | undefined, chance: Chance): string[] {
  if (family !== 'Shoes' && !SIZED.has(family)) return []
  const shoes =
    gender === 'kids'
      ? [28, 30, 32, 34]
      : gender === 'women'
        ? [36, 37, 38, 39, 40, 41]
        : [40, 41, 42, 43, 44, 45]
  const all = family === 'Shoes' ? shoes.map(String) : LETTERS
  if (chance.maybe(0.2)) return []
  if (chance.maybe(0.4)) return [chance.pick(all)]
  const from = chance.between(0, 2)
  return all.slice(from, from + chance.between(3, 5))
}

function makeTitle(
  {
    brand,
    model,
    name,
    inTitle,
  }: { brand: string; model: string; name: string; inTitle: Record<string, string> },
  chance: Chance,
): string {
  const { gender = '', colour = '', size = '', material = '', ...others } = inTitle
  const rest = Object.values(others).filter((words) => !name.includes(words))
  const cloth = name.includes(material) ? '' : material
  const parts = chance.pick([
    [brand, gender, ...rest, colour, cloth, name, size],
    [gender, cloth, name, ...rest, colour, size, 'by', brand],
    [brand, model, name, gender, colour, ...rest, cloth, size],
    [name, cloth, colour, ...rest, gender, size],
    [brand, `"${model}"`, gender, cloth, name, ...rest, '-', colour, size],
    [gender, colour, cloth, ...rest, name, `| ${brand}`, size],
  ])
  const title = parts
    .filter(Boolean)
    .join(' ')
    .replace(/ -(?= -|$)/, '')
  return chance.maybe(0.1) ? title.toUpperCase() : title
}
