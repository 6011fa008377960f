/**
 * The form of a backup file, version 1. First a line that says what it is, then records in one zstd stream, then a mark
 * and the SHA-256 of every byte before it: a file that was cut or changed anywhere is known without reading its records.
 *
 * A record is one letter, its length (32 bits, big-endian) and its content: H the header, then for each table T (its
 * columns), any number of D (PostgreSQL's binary COPY format, cut anywhere) and E (its rows), and Z at the very end.
 * Tables come in an order in which each stands after those that it refers to.
 */
import { z } from 'zod'

export const FORMAT = 1
export const FIRST_LINE = Buffer.from(`souk backup ${FORMAT}\n`)
export const ANY_FIRST_LINE = /^souk backup (\d+)\n/
export const END_MARK = Buffer.from('souk end')
export const HASH = 'sha256'
export const HASH_BYTES = 32
export const TAIL_BYTES = END_MARK.length + HASH_BYTES

export const PREFIX_BYTES = 5
export const MAX_RECORD = 8 * 1024 * 1024

const Table = z.object({ name: z.string().min(1), columns: z.array(z.string().min(1)).min(1) })
const count = z.number().int().nonnegative()

const Header = z.object({
  format: z.literal(FORMAT),
  createdAt: z.string(),
  /** Versions of the program and of the server that it was taken from. */
  souk: z.string(),
  postgres: z.string(),
  /** The migrations that were applied, which are the schema. */
  migrations: z.array(z.string().min(1)).min(1),
  /** The content of the data folder's secret file, if it came along. */
  secret: z.string().nullable(),
  /** Whether what is sealed was sealed with SOUK_SECRET, which is never in a backup. */
  secretElsewhere: z.boolean(),
})
const TableEnd = z.object({ rows: count })
const Sequence = z.object({ name: z.string().min(1), last: z.string().regex(/^-?\d+$/), called: z.boolean() })
const Trailer = z.object({
  tables: z.array(z.object({ name: z.string(), rows: count })),
  sequences: z.array(Sequence),
})

export type Header = z.infer<typeof Header>
export type Table = z.infer<typeof Table>
export type Sequence = z.infer<typeof Sequence>
export type Trailer = z.infer<typeof Trailer>

export type BackupRecord =
  | { kind: 'header'; header: Header }
  | { kind: 'table'; table: Table }
  | { kind: 'data'; bytes: Buffer }
  | { kind: 'end'; rows: number }
  | { kind: 'trailer'; trailer: Trailer }

export function writeRecord(record: BackupRecord): Buffer {
  switch (record.kind) {
    case 'header':
      return frame('H', jsonOf(record.header))
    case 'table':
      return frame('T', jsonOf(record.table))
    case 'data':
      return frame('D', record.bytes)
    case 'end':
      return frame('E', jsonOf({ rows: record.rows }))
    case 'trailer':
      return frame('Z', jsonOf(record.trailer))
  }
}

/** Throws what zod or JSON throws for a record that nobody could have written. */
export function readRecord(letter: string, body: Buffer): BackupRecord {
  switch (letter) {
    case 'H':
      return { kind: 'header', header: Header.parse(parsed(body)) }
    case 'T':
      return { kind: 'table', table: Table.parse(parsed(body)) }
    case 'D':
      return { kind: 'data', bytes: body }
    case 'E':
      return { kind: 'end', rows: TableEnd.parse(parsed(body)).rows }
    case 'Z':
      return { kind: 'trailer', trailer: Trailer.parse(parsed(body)) }
    default:
      throw new Error(`no record begins with ${JSON.stringify(letter)}`)
  }
}

function frame(letter: string, body: Buffer): Buffer {
  const whole = Buffer.allocUnsafe(PREFIX_BYTES + body.length)
  whole.write(letter, 0, 'latin1')
  whole.writeUInt32BE(body.length, 1)
  body.copy(whole, PREFIX_BYTES)
  return whole
}

function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

function parsed(body: Buffer): unknown {
  return JSON.parse(body.toString('utf8'))
}
