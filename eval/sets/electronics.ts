/**
 * An electronics shop as an import brings it: terse titles full of part numbers, twenty to forty raw specs with and
 * without units, yes as true, "Yes" or "Y", descriptions that talk of other things, and no categories. Brands and models
 * are made up.
 */
import type { JudgedSet } from '../judged.ts'
import { MODELS, QUERIES } from './electronics.queries.ts'
import { ACCESSORIES, FILLERS, GROUPS, PITCHES, THINGS } from './electronics.words.ts'
import { makeJudgedSet, type Thing } from './judge.ts'
import {
  type Chance,
  createChance,
  impliedValue,
  type Kind,
  makeEan,
  readKinds,
  readPairs,
  readSections,
  readValue,
  type Value,
} from './make.ts'

const PITCHES_BY_FAMILY = readSections(PITCHES)

type Stated = { spec: [name: string, value: Value]; title?: string }
type Say = (value: never, chance: Chance) => Stated

const flag =
  (name: string, title?: string): Say =>
  (value: boolean, chance) => ({
    spec: [name, chance.pick([value, value ? 'Y' : 'N', value ? 'Yes' : 'No'])],
    title: value ? title : undefined,
  })

/** How each attribute is stated as a spec and, in about half of the titles, there too. */
const STATED: Record<string, Say> = {
  screen: (inches: number, chance) => {
    const cm = `${(inches * 2.54).toFixed(1)} cm`
    return {
      spec: [
        chance.pick(['Display diagonal', 'Screen size', 'Display diagonal (metric)']),
        chance.pick<Value>([cm, `${inches}"`, inches]),
      ],
      title: chance.pick([`${cm} (${inches}")`, `${inches}"`, `${inches}-inch`]),
    }
  },
  memory: (gigabytes: number, chance) => ({
    spec: ['Internal memory', chance.pick<Value>([gigabytes, `${gigabytes} GB`])],
    title: chance.pick([`${gigabytes} GB DDR4-SDRAM`, `${gigabytes}GB`]),
  }),
  storage: (gigabytes: number, chance) => {
    const size = gigabytes >= 1000 ? `${gigabytes / 1000} TB` : `${gigabytes} GB`
    return {
      spec: ['Total storage capacity', chance.pick<Value>([gigabytes, size])],
      title: chance.pick([size, size.replace(' ', '')]),
    }
  },
  drive: (media: string) => ({ spec: ['Storage media', media], title: media }),
  colour: (colour: string, chance) => ({
    spec: [chance.pick(['Product colour', 'Colour', 'Color of product']), colour],
    title: colour,
  }),
  resolution: (pixels: string, chance) => ({
    spec: ['Display resolution', pixels],
    title: chance.pick([`${pixels} pixels`, NICKNAMES[pixels] ?? pixels]),
  }),
  refresh: (hertz: number) => ({ spec: ['Maximum refresh rate', hertz], title: `${hertz}Hz` }),
  panel: (panel: string) => ({ spec: ['Panel type', panel], title: panel }),
  brightness: (lumens: number) => ({
    spec: ['Projector brightness', lumens],
    title: `${lumens} ANSI lumens`,
  }),
  technology: (technology: string) => ({ spec: ['Print technology', technology], title: technology }),
  inColour: (inColour: boolean) => ({
    spec: ['Printing colours', inColour ? 'Black, Cyan, Magenta, Yellow' : 'Black'],
    title: inColour ? 'Colour' : 'Mono',
  }),
  megapixels: (count: number) => ({ spec: ['Megapixel', count], title: `${count} MP` }),
  focal: (mm: number) => ({ spec: ['Focal length', `${mm} mm`], title: `${mm}mm` }),
  ports: (count: number) => ({
    spec: ['Basic switching RJ-45 Ethernet ports quantity', count],
    title: `${count}-port`,
  }),
  capacity: (mah: number) => ({ spec: ['Battery capacity', mah], title: `${mah} mAh` }),
  watts: (watts: number) => ({ spec: ['Output power', watts], title: `${watts} W` }),
  length: (metres: number) => ({ spec: ['Cable length', metres], title: `${metres} m` }),
  wireless: (wireless: boolean, chance) => ({
    spec: chance.pick<[string, Value]>([
      ['Connectivity technology', wireless ? 'Wireless' : 'Wired'],
      ['Device interface', wireless ? 'RF Wireless + Bluetooth' : 'USB'],
    ]),
    title: wireless ? chance.pick(['Wireless', 'RF Wireless', 'Bluetooth']) : chance.pick(['USB', 'Wired']),
  }),
  touch: flag('Touchscreen', 'Touchscreen'),
  gaming: (gaming: boolean, chance) => ({
    spec: ['Purpose', gaming ? 'Gaming' : chance.pick(['Home', 'Office', 'Business'])],
    title: gaming ? 'Gaming' : undefined,
  }),
  backlit: flag('Backlight', 'backlit'),
  cellular: flag('Cellular data', '4G LTE'),
  curved: flag('Curved screen', 'Curved'),
  smart: flag('Smart TV', 'Smart'),
  portable: flag('Portable', 'portable'),
  multifunction: (isMany: boolean) => ({
    spec: ['Functions', isMany ? 'Print, Copy, Scan' : 'Print'],
    title: isMany ? 'All-in-One' : undefined,
  }),
  duplex: flag('Duplex printing', 'Duplex'),
  wifi: flag('Wi-Fi', 'Wi-Fi'),
  mechanical: flag('Mechanical key switch', 'Mechanical'),
  ergonomic: flag('Ergonomic design', 'Ergonomic'),
  microphone: flag('Built-in microphone'),
  noiseCancelling: flag('Active noise cancellation', 'ANC'),
  waterproof: (isTight: boolean) => ({
    spec: ['International Protection (IP) code', isTight ? 'IPX7' : 'None'],
    title: isTight ? 'Waterproof' : undefined,
  }),
  subwoofer: flag('Subwoofer included', 'with subwoofer'),
  mirrorless: (isMirrorless: boolean) => ({
    spec: ['Camera type', isMirrorless ? 'MILC (mirrorless)' : 'SLR / compact'],
    title: isMirrorless ? 'Mirrorless' : undefined,
  }),
  usbC: (isC: boolean) => ({ spec: ['Connector 1', isC ? 'USB C' : 'Micro-USB B'] }),
  fiveG: flag('5G', '5G'),
  gps: flag('GPS (satellite)', 'GPS'),
  wifi6: (isSix: boolean) => ({
    spec: ['Wi-Fi standards', isSix ? '802.11ax (Wi-Fi 6)' : '802.11ac (Wi-Fi 5)'],
    title: isSix ? 'Wi-Fi 6' : 'AC1200',
  }),
  mesh: flag('Mesh network', 'Mesh'),
  poe: flag('Power over Ethernet (PoE)', 'PoE'),
  scientific: (isScientific: boolean) => ({
    spec: ['Calculator type', isScientific ? 'Scientific' : 'Basic'],
    title: undefined,
  }),
}
const NICKNAMES: Record<string, string> = {
  '1280 x 720': 'HD',
  '1366 x 768': 'HD Ready',
  '1920 x 1080': 'Full HD',
  '2560 x 1440': 'QHD',
  '3840 x 2160': '4K Ultra HD',
}

const ANY_FILLER = 'any'

export function makeElectronicsSet(): JudgedSet {
  const chance = createChance(9)
  const fillers = readSections(FILLERS)
  const things: Thing[] = []
  const make = (kind: Kind, filler: string[]) => {
    const all = [...filler, ...(fillers.get(ANY_FILLER) ?? [])]
    things.push(makeThing(kind, all, things, chance))
  }
  for (const kind of readKinds(THINGS, GROUPS))
    for (let at = 0; at < kind.count; at++) make(kind, fillers.get(kind.family) ?? [])
  for (const kind of readKinds(ACCESSORIES, GROUPS))
    for (let at = 0; at < kind.count; at++)
      make(kind, chance.shuffle(fillers.get(kind.family) ?? []).slice(0, 4))
  return makeJudgedSet('made-electronics', things, QUERIES, MODELS)
}

function makeThing(kind: Kind, filler: string[], before: Thing[], chance: Chance): Thing {
  const brand = chance.pick(kind.brands)
  const isForOne = kind.of !== '' && chance.maybe(0.7)
  const parent = isForOne ? chance.pick(before.filter((thing) => thing.kind === kind.of)) : undefined
  const model = makeModel(kind, chance)
  const { name, implied } = chance.pick(kind.names)
  const attributes: Thing['attributes'] = {}
  const specs: Array<[string, Value]> = []
  const bits: string[] = []
  for (const [attribute, values] of kind.attributes) {
    const known = impliedValue(implied, attribute)
    if (known === undefined && chance.maybe(0.12)) continue
    const value = known ?? chance.pick(values)
    const said = STATED[attribute]?.(value as never, chance)
    if (!said) throw new Error(`nothing says how ${attribute} is stated`)
    const inTitle = said.title !== undefined && chance.maybe(0.6)
    if (inTitle && said.title) bits.push(said.title)
    if (!inTitle || chance.maybe(0.85)) specs.push(said.spec)
    attributes[attribute] = value
  }
  const plainNames = kind.names.filter((one) => one.name !== '' && one.implied === '')
  if (name === '' || chance.maybe(0.5))
    specs.push([chance.pick(['Product type', 'Type', 'Form factor']), name || chance.pick(plainNames).name])
  if (parent) {
    const spec = chance.pick(['Compatibility', 'Compatible products', 'Brand compatibility'])
    specs.push([spec, `${parent.brand} ${parent.model}`])
  }
  const noise = chance.shuffle(filler).slice(0, chance.between(20, 40) - specs.length)
  for (const [spec, values] of readPairs(noise.join('\n')))
    specs.push([spec, readValue(chance.pick(values.split(' / ')))])
  const forParent = parent
    ? chance.pick([`for ${parent.brand} ${parent.model}`, `f/ ${parent.model}`, ''])
    : ''
  const summary = `${[brand, model, name].filter(Boolean).join(' ')}${bits.map((bit) => `, ${bit}`).join('')}.`
  const head = chance.pick([
    [brand, model, name],
    [brand, model, ...bits.splice(0, 1), name],
    [brand, name, model],
    [model, name],
  ])
  const title = [...head, ...chance.shuffle(bits), forParent]
    .filter(Boolean)
    .join(chance.maybe(0.12) ? ', ' : ' ')
  const pitch = chance.shuffle(PITCHES_BY_FAMILY.get(kind.family) ?? []).slice(0, chance.between(1, 3))
  const [low, high] = kind.price
  return {
    kind: kind.kind,
    brand,
    model,
    ...(parent ? { fits: parent.model } : {}),
    attributes,
    row: {
      id: String(10_000 + before.length * 7),
      title,
      ...(chance.maybe(0.95) || !title.includes(brand) ? { brand } : {}),
      ...(chance.maybe(0.85) ? { model } : {}),
      ...(chance.maybe(0.75)
        ? { description: [...(chance.maybe(0.5) ? [summary] : []), ...pitch].join(' ') }
        : {}),
      price: Number((low + (high - low) * chance.next() ** 2).toFixed(2)),
      specs: Object.fromEntries(chance.shuffle(specs)),
      ...(chance.maybe(0.8) ? { ean: makeEan(chance) } : {}),
    },
  }
}

function makeModel({ lines }: Kind, chance: Chance): string {
  const line = chance.pick(lines)
  const letters = () => chance.pick(['A', 'D', 'E', 'G', 'N', 'S', 'T', 'X', 'Z'])
  const number = chance.pick([
    chance.between(10, 99) * 10,
    chance.between(100, 999),
    chance.between(1000, 9990),
  ])
  return chance.pick([
    `${line} ${number}`,
    `${line} ${letters()}${number}`,
    `${line} ${number}${letters().toLowerCase()}`,
    `${line} ${letters()}${letters()}-${number}`,
    `${line}${line.length <= 3 ? '' : ' '}${number}-${letters()}${chance.between(1, 9)}`,
  ])
}
