/** Spoils what is around and below values: bytes of a body, types and encodings it claims, methods, headers, paths. */
import type { Attempt, Dice } from './attempt.ts'
import { HEADERS, METHODS, TYPES } from './spoil.headers.ts'
import { queryText, spoilPath } from './spoil.paths.ts'

type Spoiler = { name: string; weight: number; apply(dice: Dice, attempt: Attempt): void }

function setHeader(attempt: Attempt, name: string, value: string): void {
  attempt.headers[name] = value
}

const OVER_LIMIT = 300 * 1024
const bytes = (change: (dice: Dice, body: Buffer) => Buffer) => (dice: Dice, attempt: Attempt) => {
  if (attempt.body !== null) attempt.body = change(dice, attempt.body)
}
const insertAt = (dice: Dice, body: Buffer, what: Buffer): Buffer => {
  const at = dice.below(body.length + 1)
  return Buffer.concat([body.subarray(0, at), what, body.subarray(at)])
}
const INVALID = [
  [0x80],
  [0xff],
  [0xc0, 0xaf],
  [0xe0, 0x80, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
  [0xc3],
]
const BOM = Buffer.from('\ufeff')

const BODY: readonly Spoiler[] = [
  {
    name: 'body cut short',
    weight: 4,
    apply: bytes((dice, body) => body.subarray(0, dice.below(body.length))),
  },
  { name: 'body empty', weight: 1, apply: bytes(() => Buffer.alloc(0)) },
  { name: 'body with BOM', weight: 1, apply: bytes((_, body) => Buffer.concat([BOM, body])) },
  { name: 'body in UTF-16', weight: 0.5, apply: bytes((_, body) => Buffer.from(body.toString(), 'utf16le')) },
  {
    name: 'body not UTF-8',
    weight: 3,
    apply: bytes((dice, body) => insertAt(dice, body, Buffer.from(dice.pick(INVALID)))),
  },
  { name: 'body with NUL', weight: 1, apply: bytes((dice, body) => insertAt(dice, body, Buffer.alloc(1))) },
  {
    name: 'body and more',
    weight: 1,
    apply: bytes((dice, body) => Buffer.concat([body, Buffer.from(dice.pick(['}', ',', 'x', '\n{}', ' ']))])),
  },
  { name: 'body with a byte changed', weight: 3, apply: bytes(changeByte) },
  { name: 'body with a key twice', weight: 3, apply: bytes(repeatKey) },
  {
    name: 'body too large',
    weight: 0.1,
    apply: bytes((_, body) => Buffer.concat([body, Buffer.alloc(OVER_LIMIT, ' ')])),
  },
  {
    name: 'body of another kind',
    weight: 1,
    apply: bytes((dice) =>
      Buffer.from(dice.pick(['null', '1', '"a"', '[]', 'true', '<a/>', 'a=b&c', '%', '--x\r\n\r\n--x--'])),
    ),
  },
]

const AROUND: readonly Spoiler[] = [
  {
    name: 'another method',
    weight: 3,
    apply: (dice, attempt) => void Object.assign(attempt, { method: dice.pick(METHODS) }),
  },
  {
    name: 'another content type',
    weight: 3,
    apply: (dice, attempt) => setHeader(attempt, 'content-type', dice.pick(TYPES)),
  },
  { name: 'no content type', weight: 1, apply: (_, { headers }) => void delete headers['content-type'] },
  {
    name: 'a strange header',
    weight: 6,
    apply(dice, attempt) {
      const [name, values] = dice.pick(HEADERS)
      setHeader(attempt, name, dice.pick(values))
    },
  },
  {
    name: 'a strange path',
    weight: 4,
    apply: (dice, attempt) => void Object.assign(attempt, { path: spoilPath(dice, attempt.path) }),
  },
  {
    name: 'a strange query',
    weight: 4,
    apply(dice, attempt) {
      const name = dice.pick([
        'q',
        'page',
        'limit',
        'offset',
        'sort',
        'id',
        'return_to',
        'cursor',
        'after',
        'from',
        'to',
        '%',
        '',
      ])
      const text = queryText(dice)
      attempt.path += `${attempt.path.includes('?') ? '&' : '?'}${name}=${text}`
    },
  },
]

function changeByte(dice: Dice, body: Buffer): Buffer {
  const copy = Buffer.from(body)
  if (copy.length > 0)
    copy[dice.below(copy.length)] = dice.pick([0, 0x22, 0x2c, 0x5c, 0x7b, 0x7d, 0x41, 0x80, 0x30])
  return copy
}

/** The first key of the object again, at its end, with another value. */
function repeatKey(dice: Dice, body: Buffer): Buffer {
  const text = body.toString()
  const key = /^\{("(?:[^"\\]|\\.)*"):/.exec(text)?.[1]
  if (key === undefined) return body
  return Buffer.from(`${text.slice(0, -1)},${key}:${dice.pick(['null', '1', '"other"', '{}', '[]'])}}`)
}

function draw(dice: Dice, spoilers: readonly Spoiler[]): Spoiler {
  let left = dice.random() * spoilers.reduce((sum, { weight }) => sum + weight, 0)
  for (const spoiler of spoilers) {
    left -= spoiler.weight
    if (left < 0) return spoiler
  }
  return spoilers[0] as Spoiler
}

export function spoil(dice: Dice, attempt: Attempt): void {
  const times = dice.chance(0.8) ? 1 : 2
  for (let n = 0; n < times; n++) {
    const spoiler = draw(dice, attempt.body !== null && dice.chance(0.5) ? BODY : AROUND)
    spoiler.apply(dice, attempt)
    attempt.mutations.push(spoiler.name)
  }
}
