/**
 * Which encoding a text of single bytes is in: the one of the language whose letters explain most of its bytes. Encodings
 * of Windows share a byte among different letters, and no language uses all of them: "ì" and "ø" in one word are Czech.
 */
import { TextDecoder } from 'node:util'

/** What Western spreadsheets write when they do not write Unicode. Latin-1 is a part of it. */
export const FALLBACK = 'windows-1252'

/** Of languages that explain the same share the first counts. */
const LETTERS: ReadonlyArray<readonly [encoding: string, ...letters: string[]]> = [
  [
    FALLBACK,
    ...['àâæçèéêëîïôœùûüÿ', 'äöüßé', 'áéíñóúüªº', 'àèéìòùî', 'ãáàâçéêíóôõúü', 'éëïóöüèê'],
    ...['åäöéü', 'æøåéöä', 'áðéíóúýþæö', 'äõöüšž', 'àçèéíïòóúü'],
  ],
  ['windows-1250', 'áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'ąćęłńóśźż', 'áéíóöőúüű', 'ăâîşţ', 'čšžćđ'],
  ['windows-1251', 'абвгдежзийклмнопрстуфхцчшщъыьэюяё', 'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя'],
  ['windows-1253', 'αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ'],
  ['windows-1254', 'çğıöşüâîû'],
]

const HIGH = Uint8Array.from({ length: 128 }, (_, at) => at + 128)

const decode = (encoding: string) => [...new TextDecoder(encoding).decode(HIGH)]

/** By encoding and language: whether each byte from 128 on is one of its letters. */
const ALPHABETS = LETTERS.flatMap(([encoding, ...languages]) => {
  const letters = decode(encoding)
  return languages.map((language) => {
    const own = new Set([...language, ...language.toUpperCase(), ...language.toLocaleUpperCase('tr')])
    return { encoding, isOwn: letters.map((letter) => own.has(letter)) }
  })
})

/** What is a letter in the West; other bytes, as in "5 m³", count as letters only inside of a word. */
const IS_WESTERN = decode(FALLBACK).map((letter) => /\p{L}/u.test(letter))

export function encodingOfLetters(bytes: Uint8Array): string {
  const counts = new Uint32Array(128)
  bytes.forEach((byte, at) => {
    const isLetter = IS_WESTERN[byte - 128] || (byte >= 128 && isLetterByte(bytes[at + 1] ?? 0))
    if (isLetter) counts[byte - 128] = (counts[byte - 128] ?? 0) + 1
  })
  let best = { encoding: FALLBACK, explained: 0 }
  for (const { encoding, isOwn } of ALPHABETS) {
    const explained = counts.reduce((sum, count, at) => sum + (isOwn[at] ? count : 0), 0)
    if (explained > best.explained) best = { encoding, explained }
  }
  return best.encoding
}

function isLetterByte(byte: number): boolean {
  return byte >= 0xc0 || (byte >= 0x61 && byte <= 0x7a)
}
