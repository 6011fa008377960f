/**
 * The two cuts of Source Serif that previews are set in, and how wide they set a text. Only what measuring needs is read
 * from the font files: which characters there are (`cmap`) and how far each moves the pen (`hmtx`). Kerning is left out;
 * it only ever makes a line a little shorter or longer, and lines are given room for that.
 */
import fs from 'node:fs'
import { createRequire } from 'node:module'

export type Font = {
  file: string
  weight: 400 | 600
  has(character: string): boolean
  /** In the units of `size`. */
  widthOf(text: string, size: number): number
}

export type Fonts = { regular: Font; semibold: Font }

export const FONT_FAMILY = 'Source Serif 4'

const require = createRequire(import.meta.url)
let loaded: Fonts | null = null

/** Read with the first preview: a node that nobody asks for one need not wait for it at start. */
export function loadFonts(): Fonts {
  loaded ??= { regular: readFont('400Regular', 400), semibold: readFont('600SemiBold', 600) }
  return loaded
}

function readFont(cut: string, weight: Font['weight']): Font {
  const file = require.resolve(`@expo-google-fonts/source-serif-4/${cut}/SourceSerif4_${cut}.ttf`)
  const bytes = fs.readFileSync(file)
  const unitsPerEm = bytes.readUInt16BE(tableAt(bytes, 'head') + 18)
  const advances = readAdvances(bytes)
  return {
    file,
    weight,
    has: (character) => advances.has(character.codePointAt(0) ?? 0),
    widthOf(text, size) {
      let units = 0
      for (const character of text) units += advances.get(character.codePointAt(0) ?? 0) ?? unitsPerEm
      return (units * size) / unitsPerEm
    },
  }
}

/** How far each character moves the pen, by its code point. */
function readAdvances(bytes: Buffer): Map<number, number> {
  const metrics = tableAt(bytes, 'hmtx')
  const last = bytes.readUInt16BE(tableAt(bytes, 'hhea') + 34) - 1
  const advances = new Map<number, number>()
  const groups = characterGroups(bytes)
  for (let at = groups + 16, left = bytes.readUInt32BE(groups + 12); left > 0; at += 12, left--) {
    const [from, to, glyph] = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4), bytes.readUInt32BE(at + 8)]
    for (let code = from; code <= to; code++) {
      // Glyphs past the last entry share its width.
      const entry = Math.min(glyph + code - from, last)
      advances.set(code, bytes.readUInt16BE(metrics + 4 * entry))
    }
  }
  return advances
}

/** Where the list of segmented coverage is: the form of `cmap` that knows all of Unicode. */
function characterGroups(bytes: Buffer): number {
  const cmap = tableAt(bytes, 'cmap')
  for (let index = 0; index < bytes.readUInt16BE(cmap + 2); index++) {
    const subtable = cmap + bytes.readUInt32BE(cmap + 4 + 8 * index + 4)
    if (bytes.readUInt16BE(subtable) === 12) return subtable
  }
  throw new Error('the font has no list of all its characters')
}

function tableAt(bytes: Buffer, tag: string): number {
  for (let index = 0; index < bytes.readUInt16BE(4); index++) {
    const record = 12 + 16 * index
    if (bytes.toString('latin1', record, record + 4) === tag) return bytes.readUInt32BE(record + 8)
  }
  throw new Error(`the font has no table ${tag}`)
}
