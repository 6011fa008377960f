/** Takes a good value and spoils it in one or a few places, and tells how. */
import type { Dice } from './attempt.ts'
import { nested, raw } from './json.ts'
import { NUMBERS, nastyText, STRINGS } from './values.ts'

type Place = { holder: Record<string, unknown> | unknown[]; key: string | number }
export type Mutated<T> = { value: T; names: string[] }

const DEEP = [200, 4_000, 10_000]
const EXTRA = [
  'extra',
  '__proto__',
  'constructor',
  'toString',
  'id',
  'org_id',
  'user_id',
  'is_admin',
  '$ref',
  '',
]

/** Every field and item, the whole included: it stands in a holder of its own. */
function placesIn(root: { whole: unknown }): Place[] {
  const places: Place[] = []
  const walk = (holder: Record<string, unknown> | unknown[], key: string | number, value: unknown) => {
    places.push({ holder, key })
    if (Array.isArray(value)) for (const [at, inner] of value.entries()) walk(value, at, inner)
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) walk(value as Record<string, unknown>, name, inner)
  }
  walk(root, 'whole', root.whole)
  return places
}

const read = ({ holder, key }: Place): unknown => (holder as Record<string, unknown>)[key]

function write({ holder, key }: Place, value: unknown): void {
  // As an own property, also under names that mean something else.
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true })
}

function remove({ holder, key }: Place): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

type Change = { weight: number; apply(dice: Dice, place: Place): string }

/** What was done, after it was done. */
const told = (_done: unknown, name: string): string => name

const CHANGES: readonly Change[] = [
  { weight: 4, apply: (_, place) => told(remove(place), 'missing') },
  { weight: 3, apply: (_, place) => told(write(place, null), 'null') },
  { weight: 8, apply: (dice, place) => set(dice, place, STRINGS) },
  { weight: 5, apply: (dice, place) => set(dice, place, NUMBERS, raw) },
  { weight: 2, apply: (dice, place) => told(write(place, dice.pick([true, false])), 'boolean') },
  { weight: 2, apply: (dice, place) => told(write(place, dice.pick([[], {}, ''])), 'emptied') },
  { weight: 2, apply: (_, place) => told(write(place, [read(place)]), 'in a list') },
  { weight: 2, apply: (_, place) => told(write(place, { value: read(place) }), 'in an object') },
  { weight: 1, apply: many },
  { weight: 3, apply: extra },
  { weight: 0.6, apply: deepen },
]
const WEIGHTS = CHANGES.reduce((sum, { weight }) => sum + weight, 0)

function set(
  dice: Dice,
  place: Place,
  from: typeof STRINGS,
  as: (text: string) => string = (text) => text,
): string {
  const { name, make } = dice.pick(from)
  write(place, as(make(dice)))
  return name
}

function many(dice: Dice, place: Place): string {
  const value = read(place)
  const count = dice.pick([21, 51, 101, 2_000])
  const item = Array.isArray(value) ? (value[0] ?? 'x') : value
  // A large thing many times over would only be too large.
  const size = JSON.stringify(item)?.length ?? 1
  write(place, Array(Math.min(count, Math.max(2, Math.floor(100_000 / size)))).fill(item))
  return 'a long list'
}

function extra(dice: Dice, place: Place): string {
  const value = read(place)
  const name = dice.pick(EXTRA)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return set(dice, place, STRINGS)
  write({ holder: value as Record<string, unknown>, key: name }, dice.pick([1, 'x', null, { a: 1 }, [true]]))
  return 'an extra field'
}

function deepen(dice: Dice, place: Place): string {
  write(place, raw(nested(dice.pick(DEEP), dice.pick(['list', 'object']))))
  return 'nested deep'
}

function drawChange(dice: Dice): Change {
  let left = dice.random() * WEIGHTS
  for (const change of CHANGES) {
    left -= change.weight
    if (left < 0) return change
  }
  return CHANGES[0] as Change
}

export function mutateValue(dice: Dice, value: unknown): Mutated<unknown> {
  const root = { whole: structuredClone(value) }
  const names: string[] = []
  const count = dice.chance(0.65) ? 1 : 2 + dice.below(3)
  for (let n = 0; n < count; n++) {
    const places = placesIn(root)
    // The whole is one of many, and spoiling it hides all the rest.
    const inner = places.length > 1 && dice.chance(0.95) ? places.slice(1) : places
    names.push(drawChange(dice).apply(dice, dice.pick(inner)))
  }
  return { value: root.whole, names }
}

/** The same for fields of a form or query, which are texts and may come twice. */
export function mutateFields(
  dice: Dice,
  fields: ReadonlyArray<[string, string]>,
): Mutated<Array<[string, string]>> {
  const list = fields.map(([name, text]): [string, string] => [name, text])
  const names: string[] = []
  const count = dice.chance(0.65) ? 1 : 2 + dice.below(3)
  for (let n = 0; n < count; n++) {
    const at = dice.below(list.length)
    const field = list[at]
    const draw = dice.random()
    if (field === undefined || draw < 0.1) {
      list.push([dice.pick([...EXTRA, 'page', 'q', 'sort', 'limit']), nastyText(dice).text])
      names.push('an extra field')
    } else if (draw < 0.25) {
      list.splice(at, 1)
      names.push('missing')
    } else if (draw < 0.35) {
      list.push([field[0], dice.chance(0.5) ? field[1] : nastyText(dice).text])
      names.push('twice')
    } else {
      const { name, text } = nastyText(dice)
      field[1] = text
      names.push(name)
    }
  }
  return { value: list, names }
}
