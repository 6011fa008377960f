/**
 * Grades made products by what they are, never by words in common. A line of a query table says what a shopper types and
 * what that means: `wireless mouse | mouse | wireless=yes | mouse-pad`, that is the text, the kinds that are it, the
 * conditions, and near kinds. 3: all of it. 2: the kind, and the product does not state a thing asked, or nearly has
 * it. 1: one thing asked is otherwise, or a near kind. 0: all else. A line that starts with # names the slice.
 */
import { type JudgedQuery, type JudgedRow, type JudgedSet, judgedProfile } from '../judged.ts'
import { readSections, type Value } from './make.ts'

export type Thing = {
  kind: string
  brand: string
  model: string
  /** The model it is an accessory of. */
  fits?: string
  /** Only what title, specs or description state. */
  attributes: Record<string, Value | undefined>
  row: JudgedRow
}

type Condition = { name: string; test: '=' | '~' | '>' | '<'; values: string[] }
type Want = { kinds: string[]; conditions: Condition[]; near: string[] }

/** The lines of a model table: the text with {brand}, {model}, its {number} or its {start} of one thing, its kind, which one of that kind (`$toner`: the first that has a toner), and the accessory meant. */
export function makeJudgedSet(name: string, things: Thing[], queries: string, models: string): JudgedSet {
  const kinds = new Set(things.map(({ kind }) => kind))
  const judged = [
    ...readTable(queries, (cells) => {
      const [text = '', kind = '', conditions = '', near = ''] = cells
      const want = { kinds: words(kind), conditions: words(conditions).map(readCondition), near: words(near) }
      for (const known of [...want.kinds, ...want.near])
        if (known !== '*' && !kinds.has(known))
          throw new Error(`${name}: "${text}" asks for an unknown kind, ${known}`)
      return { text, grade: (thing: Thing) => gradeWant(thing, want) }
    }),
    ...readTable(models, ([form = '', kind = '', which = '0', accessory = '']) => {
      const isMeant = (thing: Thing, at: number) =>
        which.startsWith('$')
          ? things.some(({ kind: other, fits }) => other === which.slice(1) && fits === thing.model)
          : at === Number(which)
      const alike = things.filter((thing) => thing.kind === kind)
      const meant = alike.find(isMeant)
      const makers = new Set(alike.map(({ brand }) => brand))
      if (!meant) throw new Error(`${name}: there is no ${kind} ${which}`)
      const number = meant.model.split(' ').find((word) => /\d/.test(word)) ?? meant.model
      const parts = { brand: meant.brand, model: meant.model, number, start: meant.model.slice(0, -1) }
      const text = Object.entries(parts).reduce(
        (said, [part, value]) => said.replace(`{${part}}`, value),
        form,
      )
      const named = form.includes('{number}') ? number : form.includes('{start}') ? parts.start : meant.model
      return {
        text,
        grade: (thing: Thing) =>
          accessory ? gradeAccessory(thing, meant, accessory, makers) : gradeModel(thing, named),
      }
    }),
  ]
  return {
    name,
    products: things.map(({ row }) => judgedProfile(row)),
    queries: judged.map(({ slice, read: { text, grade } }, at): JudgedQuery => {
      const grades = things.map((thing): [string, number] => [thing.row.id, grade(thing)])
      if (!grades.some(([, value]) => value >= 2)) throw new Error(`${name}: nothing answers "${text}"`)
      return { id: String(at), text, slice, grades: new Map(grades.filter(([, value]) => value > 0)) }
    }),
  }
}

function readTable<Read>(
  table: string,
  read: (cells: string[]) => Read,
): Array<{ slice: string; read: Read }> {
  return [...readSections(table)].flatMap(([slice, lines]) =>
    lines.map((line) => ({ slice, read: read(line.split('|').map((cell) => cell.trim())) })),
  )
}

function words(cell: string): string[] {
  return cell.split(' ').filter((word) => word !== '')
}

function readCondition(text: string): Condition {
  const at = text.search(/[=~<>]/)
  if (at < 1) throw new Error(`"${text}" is not a condition`)
  const values = text
    .slice(at + 1)
    .replaceAll('_', ' ')
    .split(',')
  return { name: text.slice(0, at), test: text[at] as Condition['test'], values }
}

export function gradeWant(thing: Thing, { kinds, conditions, near }: Want): number {
  const isKind = kinds.includes('*') || kinds.includes(thing.kind)
  if (!isKind && !near.includes(thing.kind)) return 0
  const answers = conditions.map((condition) => meets(thing, condition))
  const misses = answers.filter((answer) => answer === 'no').length
  if (!isKind) return misses === 0 ? 1 : 0
  if (misses > 0) return kinds.includes('*') || misses > 1 ? 0 : 1
  return answers.every((answer) => answer === 'yes') ? 3 : 2
}

function meets({ brand, attributes }: Thing, { name, test, values }: Condition): 'yes' | 'no' | 'unknown' {
  const value = name === 'brand' ? brand : attributes[name]
  if (value === undefined) return 'unknown'
  const given = value === true ? 'yes' : value === false ? 'no' : String(value)
  const asked = Number(values[0])
  if (test === '>') return Number(value) >= asked ? 'yes' : 'no'
  if (test === '<') return Number(value) <= asked ? 'yes' : 'no'
  // Several values of one thing, "S/M/L": one of them is enough.
  if (test === '=') return given.split('/').some((one) => values.includes(one)) ? 'yes' : 'no'
  const distance = Math.abs(Number(value) - asked) / asked
  return distance <= 0.03 ? 'yes' : distance <= 0.1 ? 'unknown' : 'no'
}

/** Who names a model wants that one; what else its maker sells is no answer. */
function gradeModel({ model, fits }: Thing, named: string): number {
  if (model.includes(named)) return 3
  return fits?.includes(named) ? 1 : 0
}

/** Another maker's own does not fit. One by a maker of accessories, or by the same maker, may. */
function gradeAccessory(thing: Thing, meant: Thing, accessory: string, makers: Set<string>): number {
  if (thing.kind !== accessory) return 0
  if (thing.fits !== undefined) return thing.fits === meant.model ? 3 : 1
  return thing.brand === meant.brand || !makers.has(thing.brand) ? 2 : 1
}
