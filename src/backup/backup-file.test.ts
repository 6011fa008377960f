import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type BackupRecord, FIRST_LINE, FORMAT, type Header, writeRecord } from './format.ts'
import { readRecords } from './read-file.ts'
import { checkBackup } from './restore.service.ts'
import { refuseTaken, writeBackupFile } from './write-file.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-backup-'))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))
let files = 0
const newFile = () => path.join(folder, `${++files}.backup`)

const header: Header = {
  ...{ format: FORMAT, createdAt: '2026-11-01T12:00:00Z', souk: '0.1.0', postgres: '18.4' },
  ...{ migrations: ['0001_a.sql'], secret: null, secretElsewhere: false },
}
const RECORDS: BackupRecord[] = [
  { kind: 'header', header },
  { kind: 'table', table: { name: 'things', columns: ['id', 'text'] } },
  { kind: 'data', bytes: Buffer.alloc(300_000, 'a piece that is longer than what is read at once ') },
  { kind: 'data', bytes: Buffer.from('the rest') },
  { kind: 'end', rows: 7 },
  { kind: 'trailer', trailer: { tables: [{ name: 'things', rows: 7 }], sequences: [] } },
]

async function* given(records: BackupRecord[], failure?: Error) {
  for (const record of records) yield writeRecord(record)
  if (failure) throw failure
}

async function written(records = RECORDS): Promise<string> {
  const file = newFile()
  await writeBackupFile(given(records), { file, force: false })
  return file
}

/** All of the ends, where each byte has a meaning of its own, and some of what is between. */
const places = (size: number) =>
  Array.from({ length: size }, (_, at) => at).filter((at) => at < 40 || at > size - 60 || at % 7 === 0)

const leftBeside = (file: string) =>
  fs.readdirSync(folder).filter((name) => name.startsWith(path.basename(file)))

describe('a file', () => {
  test('gives back what was written, and only its owner may read it', async () => {
    const file = await written()
    const read: BackupRecord[] = []
    for await (const record of readRecords(file)) read.push(record)
    expect(read).toEqual(RECORDS)
    expect(fs.statSync(file).mode & 0o777).toBe(0o600)
    expect(leftBeside(file)).toEqual([path.basename(file)])
    expect(await checkBackup(file)).toEqual({ header, tables: 1, rows: 7 })
  })

  test('is refused when it was cut, wherever that was', async () => {
    const bytes = fs.readFileSync(await written())
    const cut = newFile()
    for (const length of places(bytes.length)) {
      fs.writeFileSync(cut, bytes.subarray(0, length))
      await expect(checkBackup(cut), `cut to ${length}`).rejects.toThrow(
        /cut off or damaged|not a Souk backup/,
      )
    }
  })

  test('is refused when one byte of it is another, wherever that is', async () => {
    const bytes = fs.readFileSync(await written())
    const flipped = newFile()
    for (const at of places(bytes.length)) {
      const other = Buffer.from(bytes)
      other[at] = (other[at] ?? 0) ^ 0x10
      fs.writeFileSync(flipped, other)
      await expect(checkBackup(flipped), `byte ${at}`).rejects.toThrow(
        /cut off or damaged|not a Souk backup|format/,
      )
    }
  })

  test('that is something else, or of a later form, is refused by what it is', async () => {
    const file = newFile()
    fs.writeFileSync(file, 'PGDMP and so on, for long enough to be read as a backup of something else')
    await expect(checkBackup(file)).rejects.toThrow(`${file} is not a Souk backup`)
    const later = fs.readFileSync(await written()).subarray(FIRST_LINE.length)
    fs.writeFileSync(file, Buffer.concat([Buffer.from('souk backup 2\n'), later]))
    await expect(checkBackup(file)).rejects.toThrow('uses backup format 2, but this Souk reads format 1')
    await expect(checkBackup(path.join(folder, 'nothing'))).rejects.toThrow('does not exist')
    await expect(checkBackup('/dev/null')).rejects.toThrow('cannot come from a pipe')
  })

  test('whose records are not in order is refused, though its checksum is right', async () => {
    const [head, table, data, , end, trailer] = RECORDS as [BackupRecord, ...BackupRecord[]]
    const orders = [
      [head, table, data, trailer],
      [head, table, data, end],
      [table, data, end, trailer],
      [head, data, end, trailer],
      [head, table, end, table, end, trailer],
      [head, trailer],
      [],
    ]
    for (const order of orders) {
      const file = await written(order.filter((record) => record !== undefined))
      await expect(checkBackup(file)).rejects.toThrow('cut off or damaged')
    }
  })
})

describe('writing', () => {
  test('that fails in the middle leaves nothing, and what was there stays', async () => {
    const file = await written()
    const before = fs.readFileSync(file)
    const failure = new Error('the database went away')
    const again = writeBackupFile(given(RECORDS.slice(0, 3), failure), { file, force: true })
    await expect(again).rejects.toThrow('the database went away')
    expect(fs.readFileSync(file)).toEqual(before)
    expect(leftBeside(file)).toEqual([path.basename(file)])
  })

  test('an existing file is refused without --force, also one that came meanwhile, and replaced with it', async () => {
    const file = await written()
    expect(() => refuseTaken({ file, force: false })).toThrow('already exists')
    await expect(writeBackupFile(given(RECORDS), { file, force: false })).rejects.toThrow('already exists')
    fs.writeFileSync(file, 'something of mine')
    refuseTaken({ file, force: true })
    await writeBackupFile(given(RECORDS), { file, force: true })
    expect((await checkBackup(file)).rows).toBe(7)
    expect(leftBeside(file)).toEqual([path.basename(file)])
    expect(() => refuseTaken({ file: folder, force: true })).toThrow('is a folder')
    expect(() => refuseTaken({ file: '/no/such/folder/x', force: false })).toThrow('does not exist')
  })

  test('what a killed command left is tidied up, what another one is writing is not', async () => {
    const file = newFile()
    const [dead, alive] = [`${file}.partial-4194305`, `${file}.partial-1`]
    for (const name of [dead, alive]) fs.writeFileSync(name, 'half a backup')
    await writeBackupFile(given(RECORDS), { file, force: false })
    expect([fs.existsSync(dead), fs.existsSync(alive)]).toEqual([false, true])
  })
})
