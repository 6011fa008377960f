/**
 * Text of others made fit for a picture: what the font can draw, in lines that fit, safe inside SVG. A picture shows no
 * boxes: characters without a glyph are left out, and a text that would lose most of itself is not shown at all.
 */
import type { Font } from './fonts.ts'

/** Kerning and rounding may set a line a little wider than its advances say. */
const SPARE = 0.98
const ELLIPSIS = '…'

/** One line of what this font can draw; null when that is less than half of the letters, or nothing. */
export function drawable(text: string, font: Font): string | null {
  const clean = text
    .toWellFormed()
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .replace(/[\p{C}\ufffd]/gu, '')
  const shown = [...clean].filter((character) => font.has(character)).join('')
  const letters = countLetters(shown)
  if (letters === 0 || letters < countLetters(clean) / 2) return null
  // What stood between two words that are gone leaves no gap.
  return shown.replace(/ {2,}/g, ' ').trim()
}

function countLetters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
}

/** At most `most` lines no wider than `width`; what is left over is told by an ellipsis. */
export function breakLines(
  text: string,
  { font, size, width, most }: { font: Font; size: number; width: number; most: number },
): { lines: string[]; cut: boolean } {
  const fits = (line: string) => font.widthOf(line, size) <= width * SPARE
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((long) => breakWord(long, fits))) {
    const longer = line === '' ? word : `${line} ${word}`
    if (fits(longer)) line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  lines.push(line)
  if (lines.length <= most) return { lines, cut: false }
  const kept = lines.slice(0, most)
  return { lines: [...kept.slice(0, -1), shortenLine(kept.at(-1) ?? '', fits)], cut: true }
}

/** A word wider than the line, in pieces that are not. */
function breakWord(word: string, fits: (text: string) => boolean): string[] {
  if (fits(word)) return [word]
  const pieces: string[] = []
  let piece = ''
  for (const character of word) {
    if (piece === '' || fits(piece + character)) piece += character
    else {
      pieces.push(piece)
      piece = character
    }
  }
  return [...pieces, piece]
}

function shortenLine(line: string, fits: (text: string) => boolean): string {
  const characters = [...line]
  while (characters.length > 0 && !fits(characters.join('').trimEnd() + ELLIPSIS)) characters.pop()
  return characters.join('').replace(/[\s,;:–-]+$/, '') + ELLIPSIS
}

/** The largest size up to `size` at which the text is no wider than `width`. */
export function fittingSize(text: string, font: Font, size: number, width: number): number {
  return Math.min(size, Math.floor((size * width * SPARE) / font.widthOf(text, size)))
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
