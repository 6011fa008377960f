/**
 * The objects of a JSON document, one at a time: those of the list that holds the products, wherever it stands, or the
 * document itself. They are found by following quotes and brackets over the bytes, without reading what is between, so
 * that a document of any size is passed with one object in hand and a broken object costs itself alone.
 */
import { fieldOf } from './csv-columns.ts'
import { MAX_RECORD_SIZE, RUNAWAY_SIZE } from './rows.ts'
import { plainName } from './values.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LF = 0x0a
const COLON = 0x3a
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

const MAX_KEY = 200
/** A list of products does not stand deeper. */
const MAX_PATH = 5

/** What lists of products are called. Others are judged by their length. */
const LISTS =
  /^(products?|productlist|items|itemlistelement|graph|goods|articles|artikel|catalog(ue)?|entries|records|rows|results|listings|nodes|edges|hits|data|offers)$/
/** Lists of these names are also parts of one product. */
const PARTS = /^(offers|data|edges|nodes|entries|hits)$/

/** `bytes` is null instead of an object over the limit. */
type JsonElement =
  | { line: number; item: number; bytes: Buffer | null; key?: string }
  | { line: number; end: string }

/**
 * The keys that lead to the list; empty for a list that is the document; null where the document is an object. A list
 * may be an object with the products by their ids.
 */
type ListPath = { keys: readonly string[]; isKeyed: boolean } | null

type Level = { isList: boolean; key: string | null }

/** Follows quotes and brackets. */
type Scanner = {
  scan(piece: Buffer): void
  depth(): number
  line(): number
}

type Hearing = {
  /** At the first byte of a value: a bracket, a quote or anything else that is no mark. */
  value(at: number, byte: number): void
  /** After the last byte of a value. */
  closed(after: number): void
  /** Whether keys are of interest here. */
  wantsKeys(): boolean
  key(key: string): void
}

function createScanner(levels: Level[], hear: Hearing): Scanner {
  let line = 1
  let depth = 0
  let isText = false
  let isEscaped = false
  let isPlain = false
  let text: number[] | null = null
  let lastText = ''

  const level = () => (depth <= MAX_PATH + 1 ? levels[depth - 1] : undefined)
  const endPlain = (at: number) => {
    if (isPlain) hear.closed(at)
    isPlain = false
  }

  return {
    depth: () => depth,
    line: () => line,
    scan(piece) {
      for (let at = 0; at < piece.length; at++) {
        const byte = piece[at] ?? 0
        if (isText) {
          if (byte === LF) line++
          if (isEscaped) isEscaped = false
          else if (byte === BACKSLASH) isEscaped = true
          else if (byte === QUOTE) {
            isText = false
            if (text) lastText = Buffer.from(text).toString('utf8')
            hear.closed(at + 1)
            continue
          }
          if (text && text.length < MAX_KEY) text.push(byte)
          continue
        }
        switch (byte) {
          case LF:
            endPlain(at)
            line++
            continue
          case 0x20:
          case 0x09:
          case 0x0d:
            endPlain(at)
            continue
          case QUOTE:
            endPlain(at)
            isText = true
            text = depth <= MAX_PATH && hear.wantsKeys() ? [] : null
            hear.value(at, byte)
            continue
          case COLON: {
            const open = level()
            if (open && !open.isList && hear.wantsKeys()) {
              open.key = lastText
              hear.key(lastText)
            }
            continue
          }
          case COMMA: {
            endPlain(at)
            const open = level()
            if (open) open.key = null
            continue
          }
          case OPEN_LIST:
          case OPEN_OBJECT:
            endPlain(at)
            hear.value(at, byte)
            depth++
            if (depth <= MAX_PATH + 1) {
              levels.length = depth - 1
              levels.push({ isList: byte === OPEN_LIST, key: null })
            }
            continue
          case CLOSE_LIST:
          case CLOSE_OBJECT:
            endPlain(at)
            depth = Math.max(0, depth - 1)
            if (depth <= MAX_PATH) levels.length = Math.min(levels.length, depth)
            hear.closed(at + 1)
            continue
          default:
            if (!isPlain) hear.value(at, byte)
            isPlain = true
        }
      }
    },
  }
}

const MOST_LISTS = 100
const MOST_OBJECTS = 1_000

/** Where the products are, by the start of the document. */
export function findList(start: Buffer): ListPath {
  const lists = new Map<string, { path: string[]; objects: number }>()
  /** Of objects: the fields that they have beside ids. One with a title is a product, whose lists are its parts. */
  const known = new Map<string, Set<string>>()
  const levels: Level[] = []
  let isObject = false
  let isFirst = true
  const pathTo = (around: readonly Level[]) =>
    around.some((one) => one.isList || one.key === null) ? null : around.map((one) => one.key ?? '')
  const scanner = createScanner(levels, {
    value(_, byte) {
      if (isFirst) isObject = byte === OPEN_OBJECT
      isFirst = false
      const isInList = scanner.depth() === levels.length && levels.at(-1)?.isList === true
      const path = byte === OPEN_OBJECT && isInList ? pathTo(levels.slice(0, -1)) : null
      if (path === null) return
      const name = JSON.stringify(path)
      const found = lists.get(name) ?? { path, objects: 0 }
      found.objects++
      if (lists.size < MOST_LISTS) lists.set(name, found)
    },
    closed() {},
    wantsKeys: () => true,
    key(key) {
      const field = fieldOf(key)
      const path = field && field !== 'id' && field !== 'sku' ? pathTo(levels.slice(0, -1)) : null
      if (!field || !path) return
      const name = JSON.stringify(path)
      const fields = known.get(name) ?? new Set()
      if (known.size < MOST_OBJECTS) known.set(name, fields.add(field))
    },
  })
  scanner.scan(start)
  if (!isObject) return { keys: [], isKeyed: false }
  const nameOf = (path: readonly string[]) => plainName(path.at(-1) ?? '')
  const isPart = (path: readonly string[]) =>
    path.some((_, at) => known.get(JSON.stringify(path.slice(0, at)))?.has('title')) &&
    (PARTS.test(nameOf(path)) || !LISTS.test(nameOf(path)))
  const whole = [...lists.values()].filter(({ path }) => !isPart(path))
  const named = whole.filter(({ path }) => LISTS.test(nameOf(path)))
  const [most] = (named.length > 0 ? named : whole).toSorted((a, b) => b.objects - a.objects)
  if (most) return { keys: most.path, isKeyed: false }
  const keyed = keyedParent(known)
  return keyed && { keys: keyed, isKeyed: true }
}

/**
 * The object that holds others, each with a title and more, and has no title itself. What has a field's name is a part of
 * one product: `{"brand": {"name": …}, "category": {"name": …}}`.
 */
function keyedParent(known: ReadonlyMap<string, ReadonlySet<string>>): string[] | null {
  const isProduct = (path: readonly string[]) => known.get(JSON.stringify(path))?.has('title') === true
  const inside = [...known].flatMap(([name, fields]) => {
    const path = JSON.parse(name) as string[]
    const isPart = path.length === 0 || fieldOf(path.at(-1) ?? '') !== null || isProduct(path.slice(0, -1))
    return !isPart && isProduct(path) && fields.size > 1 ? [path.slice(0, -1)] : []
  })
  const [parent] = Map.groupBy(inside, (path) => JSON.stringify(path))
    .values()
    .toArray()
    .toSorted((a, b) => b.length - a.length)
  return parent && parent.length > 1 ? (parent[0] ?? null) : null
}

/** With the objects of the list at the path, or, for null, the objects that stand alone. */
export async function* splitElements(
  input: AsyncIterable<Buffer>,
  path: ListPath,
): AsyncGenerator<JsonElement> {
  const levels: Level[] = []
  const base = path === null ? 0 : path.keys.length + 1
  const isKeyed = path?.isKeyed === true
  let key: string | null = null
  let given: JsonElement[] = []
  let piece: Buffer = Buffer.alloc(0)
  let parts: Buffer[] = []
  let size = 0
  let from = -1
  let line = 0
  let items = 0

  const isInList = () =>
    path === null ||
    (levels.length >= base &&
      levels[base - 1]?.isList === !isKeyed &&
      path.keys.every((key, at) => levels[at]?.isList === false && levels[at].key === key))

  const hold = (part: Buffer) => {
    size += part.length
    if (size <= MAX_RECORD_SIZE) parts.push(part)
    else parts = []
  }
  const scanner = createScanner(levels, {
    value(at, byte) {
      if (from !== -1 || scanner.depth() !== base || !isInList()) return
      key = isKeyed ? (levels[base - 1]?.key ?? null) : null
      if (isKeyed && (key === null || byte !== OPEN_OBJECT)) return
      from = at
      line = scanner.line()
    },
    closed(after) {
      if (from === -1 || scanner.depth() !== base) return
      hold(piece.subarray(from, after))
      const bytes = size > MAX_RECORD_SIZE ? null : Buffer.concat(parts)
      given.push({ line, item: ++items, bytes, ...(key !== null && { key }) })
      parts = []
      size = 0
      from = -1
    },
    wantsKeys: () => from === -1,
    key() {},
  })
  for await (const next of input) {
    piece = next
    scanner.scan(piece)
    if (from !== -1) {
      hold(piece.subarray(from))
      from = 0
    }
    yield* given
    given = []
    if (size > RUNAWAY_SIZE) {
      yield {
        line,
        end: `does not end within ${RUNAWAY_SIZE / MAX_RECORD_SIZE} MB, so nothing after it was read`,
      }
      return
    }
  }
  if (from !== -1 || scanner.depth() > 0)
    yield { line: scanner.line(), end: 'is incomplete: the file is cut off there' }
}
