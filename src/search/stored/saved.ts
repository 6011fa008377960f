/**
 * What the index is made of, as plain trees: numbers, texts, lists, and typed arrays, which lie in the file as they lie in
 * memory. A part is a piece of the index that is a file of its own, named by its key: as long as the key stays, the file
 * need not be written again.
 */
import { randomBytes } from 'node:crypto'

export type Numbers =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
export type Saved =
  | null
  | boolean
  | number
  | string
  | Numbers
  | readonly Saved[]
  | { readonly [name: string]: Saved }

export type Part = {
  key: string
  /** What stands there now. It may be newer than what was saved with it: whatever came since is applied again. */
  save(): Saved
  load(saved: Saved): void
}

/** What is only read now and then: one array of bytes, which may be let go from memory when it is in a file. */
export type LeavingPart = Part & { length: number; leave(file: LeftFile): void }

/** An open file that holds the bytes of a part, from `at` on. It stays open as long as somebody has this. */
export type LeftFile = { fd: number; at: number; length: number }

const mine = randomBytes(9).toString('base64url')
let keys = 0

/** Never given twice, by any process. */
export function newKey(): string {
  return `${mine}-${(keys++).toString(36)}`
}

/** The keys of rows that are kept in groups of equal size: a group that is written to loses its key. */
export type GroupKeys = {
  touch(row: number): void
  /** For so many rows. */
  list(rows: number): string[]
}

export function createGroupKeys(rowsEach: number, known: readonly string[] = []): GroupKeys {
  const given: Array<string | undefined> = [...known]
  return {
    touch(row) {
      given[Math.floor(row / rowsEach)] = undefined
    },
    list: (rows) =>
      Array.from({ length: Math.ceil(rows / rowsEach) }, (_, group) => (given[group] ??= newKey())),
  }
}

const KINDS = {
  Uint8Array,
  Int8Array,
  Uint16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
}
type Kind = keyof typeof KINDS
const ALIGNED = 8
const TEXT_AT_ONCE = 1 << 16
const SHORT_LIST = 16

/**
 * A tree as bytes: how it is made, in pieces of text, then its arrays, each where it may begin. Lists of names are as long
 * as the catalog is large, so `breathe` comes between.
 */
export async function encode(
  tree: Saved,
  breathe: () => Promise<void>,
): Promise<{ shape: Buffer[]; arrays: Numbers[] }> {
  const arrays: Numbers[] = []
  const shape: Buffer[] = []
  let text = ''
  for (const more of shapeOf(tree, arrays)) {
    text += more
    if (text.length < TEXT_AT_ONCE) continue
    shape.push(Buffer.from(text))
    text = ''
    await breathe()
  }
  return { shape: [...shape, Buffer.from(text)], arrays }
}

/** As JSON, with the length of an array where the array is. */
function* shapeOf(tree: Saved, arrays: Numbers[]): Generator<string> {
  if (ArrayBuffer.isView(tree)) {
    arrays.push(tree as Numbers)
    yield JSON.stringify({ $: [tree.constructor.name, (tree as Numbers).length] })
  } else if (isPlain(tree) || isShortList(tree)) yield JSON.stringify(tree)
  else if (Array.isArray(tree)) {
    yield '['
    for (const [at, item] of tree.entries()) {
      if (at > 0) yield ','
      yield* shapeOf(item, arrays)
    }
    yield ']'
  } else {
    yield '{'
    for (const [at, [name, item]] of Object.entries(tree as Record<string, Saved>).entries()) {
      yield `${at > 0 ? ',' : ''}${JSON.stringify(name)}:`
      yield* shapeOf(item, arrays)
    }
    yield '}'
  }
}

/** The arrays of `tree` in copies of their own, made a little at a time; `breathe` comes between. */
export async function copyOf(tree: Saved, breathe: () => Promise<void>): Promise<Saved> {
  if (ArrayBuffer.isView(tree)) return copyArray(tree as Numbers, breathe)
  if (Array.isArray(tree)) {
    const list: Saved[] = []
    for (const item of tree) {
      list.push(isPlain(item) ? item : await copyOf(item, breathe))
      await breathe()
    }
    return list
  }
  if (isPlain(tree)) return tree
  const named: Record<string, Saved> = {}
  for (const [name, item] of Object.entries(tree as Record<string, Saved>))
    named[name] = await copyOf(item, breathe)
  return named
}

/** Of pairs and the like there are as many as words. */
function isShortList(tree: Saved): boolean {
  return Array.isArray(tree) && tree.length <= SHORT_LIST && tree.every(isPlain)
}

function isPlain(tree: Saved): boolean {
  return tree === null || typeof tree !== 'object'
}

const COPIED_AT_ONCE = 1 << 22

async function copyArray(array: Numbers, breathe: () => Promise<void>): Promise<Numbers> {
  const copy = new (array.constructor as new (length: number) => Numbers)(array.length)
  const step = COPIED_AT_ONCE / array.BYTES_PER_ELEMENT
  for (let from = 0; from < array.length; from += step) {
    copy.set(array.subarray(from, from + step), from)
    await breathe()
  }
  return copy
}

export function aligned(at: number): number {
  return Math.ceil(at / ALIGNED) * ALIGNED
}

/** The tree again; its arrays look into `bytes`, from `at` on. */
export function decode(shape: string, bytes: Uint8Array<ArrayBuffer>, at: number): Saved {
  let next = at
  const open = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) if (typeof value[i] === 'object') value[i] = open(value[i])
      return value
    }
    const named = value as Record<string, unknown>
    const array = named.$ as [Kind, number] | undefined
    if (array === undefined) {
      for (const name of Object.keys(named)) named[name] = open(named[name])
      return named
    }
    const [kind, length] = array
    const Numbers = KINDS[kind]
    const from = aligned(next)
    next = from + length * Numbers.BYTES_PER_ELEMENT
    return new Numbers(bytes.buffer, bytes.byteOffset + from, length)
  }
  return open(JSON.parse(shape)) as Saved
}
