import { describe, expect, it } from 'vitest'
import { decodeStart, encodingOf, normalizeText } from './bytes.ts'

async function read(bytes: Uint8Array, options?: Parameters<typeof normalizeText>[1]): Promise<string> {
  async function* input() {
    for (const byte of bytes) yield Uint8Array.of(byte)
  }
  const pieces: Buffer[] = []
  for await (const piece of normalizeText(input(), options)) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

const TEXT = 'Größe;Preis\r\n„10“;5 €\r\n'
const PLAIN = 'Größe;Preis\n„10“;5 €\n'
const windows = Buffer.from('Größe;Preis\r\n\x8410\x93;5 \x80\r\n', 'latin1')

describe('text', () => {
  it.each([
    ['utf-8', Buffer.from(TEXT)],
    ['utf-8', Buffer.from(`\ufeff${TEXT}`)],
    ['utf-16le', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['utf-16le', Buffer.from(TEXT, 'utf16le')],
    ['utf-16be', Buffer.from(TEXT, 'utf16le').swap16()],
    ['windows-1252', windows],
  ])('in %s is known by its bytes', async (encoding, bytes) => {
    expect(encodingOf(bytes)).toBe(encoding)
    expect(await read(bytes)).toBe(PLAIN)
    expect(decodeStart(bytes)).toBe(TEXT)
    expect(await read(Buffer.from(await read(bytes)))).toBe(PLAIN)
  })

  it.each([
    ['windows-1250', 'Žlutý kůň, těžký', Buffer.from('8e6c7574fd206bf9f22c2074ec9e6bfd', 'hex')],
    ['windows-1250', 'Żółta łódź', Buffer.from('aff3b3746120b3f3649f', 'hex')],
    [
      'windows-1250',
      'Erős gyönyörű tükör',
      Buffer.from('4572f57320677 9f66e79f672fb2074fc6bf672'.replaceAll(' ', ''), 'hex'),
    ],
    ['windows-1251', 'Чайник', Buffer.from('d7e0e9ede8ea', 'hex')],
    [
      'windows-1252',
      'Théière à œufs',
      Buffer.from('5468e969e87265 20e0209c756673'.replaceAll(' ', ''), 'hex'),
    ],
    ['windows-1252', 'Rum 5 m³, mañana', Buffer.from('Rum 5 m\xb3, ma\xf1ana', 'latin1')],
    ['windows-1252', 'Sønderjysk blåbær', Buffer.from('Sønderjysk blåbær', 'latin1')],
    ['windows-1252', 'canções, ações', Buffer.from('canções, ações', 'latin1')],
  ])('in %s is known by its letters: %s', async (encoding, text, bytes) => {
    expect(encodingOf(bytes)).toBe(encoding)
    expect(await read(bytes)).toBe(text)
  })

  it('in UTF-8 with a bad byte in it stays UTF-8', async () => {
    const damaged = Buffer.concat([Buffer.from(TEXT), Buffer.of(0xe9), Buffer.from(TEXT)])
    expect(await read(damaged)).toBe(`${PLAIN}\ufffd${PLAIN}`)
  })

  it('is read as somebody says, and what nobody knows is refused', async () => {
    const czech = Buffer.from([0xf8, 0x65, 0x9d, 0x61])
    expect(await read(czech, { encoding: 'windows-1250' })).toBe('řeťa')
    expect(await read(windows, { encoding: 'latin1' })).toBe(PLAIN)
    await expect(read(czech, { encoding: 'klingon' })).rejects.toMatchObject({ field: 'encoding' })
  })

  it('that is XML and says its encoding is left to its reader', async () => {
    const xml = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>', 'latin1')
    expect(encodingOf(xml)).toBe('utf-8')
  })

  it('in Windows-1252 is said once', async () => {
    const notices: string[] = []
    await read(windows, { onNotice: (text) => notices.push(text) })
    expect(notices).toEqual([expect.stringContaining('Windows-1252')])
  })
})
