/**
 * A hardware shop as an import brings it: titles alone, full of sizes and abbreviations, half of the products without a
 * category, hardly a spec. Brands and models are made up.
 */
import type { JudgedSet } from '../judged.ts'
import { MODELS, QUERIES } from './hardware.queries.ts'
import { GROUPS, KINDS, SAID } from './hardware.words.ts'
import { makeJudgedSet, type Thing } from './judge.ts'
import {
  type Chance,
  createChance,
  impliedValue,
  type Kind,
  readKinds,
  readPairs,
  type Value,
} from './make.ts'

const WORDS = new Map(readPairs(SAID).map(([value, words]) => [value, words.split(', ')]))

export function makeHardwareSet(): JudgedSet {
  const chance = createChance(3)
  const things: Thing[] = []
  for (const kind of readKinds(KINDS, GROUPS))
    for (let at = 0; at < kind.count; at++) things.push(makeThing(kind, things, chance))
  return makeJudgedSet('made-hardware', things, QUERIES, MODELS)
}

function makeThing(kind: Kind, before: Thing[], chance: Chance): Thing {
  const isForOne = kind.of !== '' && chance.maybe(0.5)
  const parent = isForOne ? chance.pick(before.filter((thing) => thing.kind === kind.of)) : undefined
  const brand = parent?.brand ?? chance.pick(kind.brands)
  const { name, implied } = chance.pick(kind.names)
  const isTool = kind.family === 'Power tools'
  const line = chance.pick(kind.lines)
  const model = isTool
    ? `${line}${chance.between(10, 36)}-${chance.between(100, 990)}`
    : `${line}${chance.between(1000, 99_999)}`
  // The first name is the general one: it does not say which sort it is.
  const attributes: Thing['attributes'] = {
    name: name === kind.names[0]?.name ? undefined : name.toLowerCase(),
  }
  const bits: string[] = []
  let length = ''
  for (const [attribute, values] of kind.attributes) {
    const known = impliedValue(implied, attribute)
    if (known === undefined && attribute !== 'thread' && chance.maybe(0.08)) continue
    const value = known ?? parent?.attributes[attribute] ?? chance.pick(values)
    attributes[attribute] = value
    if (known !== undefined) continue
    const words = say(attribute, value, chance)
    if (attribute === 'length' && bits.length === 1 && /^(thread|screw)$/.test(kind.attributes[0]?.[0] ?? ''))
      length = chance.pick([` x ${value} mm`, `x${value}`, ` x ${value}mm`, `X${value}MM`])
    else if (words !== '') bits.push(words)
    else if (value === true || value === false) delete attributes[attribute]
    if (attribute === 'length' && length !== '') bits[0] += length
  }
  const fits = parent
    ? chance.pick([`for ${parent.brand} ${parent.model}`, `f. ${parent.model}`, `fits ${parent.model}`])
    : ''
  const title = makeTitle(chance, {
    brand,
    model: isTool || chance.maybe(0.25) ? model : '',
    name,
    bits,
    fits,
  })
  const [low, high] = kind.price
  return {
    kind: kind.kind,
    brand,
    model,
    ...(parent ? { fits: parent.model } : {}),
    attributes,
    row: {
      id: `h${20_000 + before.length}`,
      title,
      ...(chance.maybe(0.5) ? { category: kind.family } : {}),
      ...(chance.maybe(0.6) || !title.includes(brand) ? { brand } : {}),
      ...(isTool || title.includes(model) ? {} : { sku: model }),
      ...(chance.maybe(0.1) ? { specs: { Unit: chance.pick(['each', 'box', 'pack']) } } : {}),
      price: Number((low + (high - low) * chance.next() ** 2).toFixed(2)),
    },
  }
}

/** How a title says it; nothing when it goes without saying. */
function say(attribute: string, value: Value, chance: Chance): string {
  switch (attribute) {
    case 'thread':
      return String(value)
    case 'screw':
      return chance.pick([`${value}`, `${Number(value).toFixed(1)}`])
    case 'length':
    case 'hole':
    case 'blade':
    case 'wide':
      return chance.pick([`${value}mm`, `${value} mm`, `${value}MM`])
    case 'inch':
      return chance.pick([`${value} in`, `${value}"`, `${value}in`, `${value}-inch`])
    case 'metres':
      return chance.pick([`${value}m`, `${value} m`, `${value}M`])
    case 'litres':
      return chance.pick([`${value}L`, `${value} L`, `${value} Litre`, `${value}ltr`])
    case 'volts':
      return chance.pick([`${value}V`, `${value} V`, `${value}v`])
    case 'amp':
      return chance.pick([`${value}.0Ah`, `${value}Ah`, `${value} Ah`])
    case 'watts':
      return chance.pick([`${value}W`, `${value} W`])
    case 'pack':
      return chance.pick([`(${value} pk)`, `Box of ${value}`, `${value}PK`, `x${value}`, `Pack ${value}`])
    case 'pieces':
      return chance.pick([`${value}pc`, `${value} Piece`, `${value}-pce`])
    case 'grit':
      return chance.pick([`P${value}`, `${value} Grit`, `G${value}`])
    case 'teeth':
      return `${value}T`
    case 'ounces':
      return chance.pick([`${value}oz`, `${value} oz`])
    case 'treads':
      return `${value} Tread`
    case 'cordless':
      return value
        ? chance.pick(['Cordless', '18V Cordless', 'Cordless Body Only'])
        : chance.pick(['230V', 'Corded', '240V Corded'])
    case 'brushless':
      return value ? chance.pick(['Brushless', 'B/L']) : ''
    case 'kit':
      return value
        ? chance.pick(['Kit 2 x 2.0Ah', '2x2.0Ah Li-Ion + Case', 'Kit'])
        : chance.pick(['Bare Unit', 'Body Only'])
    case 'combination':
      return value ? 'Combination' : 'Keyed'
    default: {
      const text = String(value)
      return chance.pick(WORDS.get(text) ?? [`${text[0]?.toUpperCase()}${text.slice(1)}`])
    }
  }
}

type Parts = { brand: string; model: string; name: string; bits: string[]; fits: string }

function makeTitle(chance: Chance, { brand, model, name, bits, fits }: Parts): string {
  const [first = '', ...rest] = bits
  const parts = chance.pick([
    [brand, model, name, ...bits, fits],
    [name, ...bits, fits, brand, model],
    [first, name, ...rest, fits, model],
    [brand, first, name, ...rest, model, fits],
    [name, ...chance.shuffle(bits), fits, model ? `[${model}]` : ''],
    [name, '-', ...bits, '-', brand, model, fits],
  ])
  const title = parts
    .filter(Boolean)
    .join(' ')
    .replace(/ - -(?= )/, ' -')
  return chance.maybe(0.15) ? title.toUpperCase() : title
}
