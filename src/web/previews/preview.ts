/**
 * The pictures that other sites show beside a link: the awning of the site's header, words on the left, a drawing on the
 * right. A `Card` says what is shown and is the picture's identity. resvg does the rest: it reads the fonts, measures and
 * sets the text, and writes the PNG. Everything from outside passes through `drawable` and `escapeXml`. The colors are
 * those of the light theme, because the background the picture lands on is unknown.
 */
import { createRequire } from 'node:module'
import type { CategorySummary } from '../../catalog/catalog.service.ts'
import { categoryPicturePath, type ProductProfile, picturePath, priceRange } from '../../catalog/profile.ts'
import { shorten } from '../../lib/text.ts'
import { countOf } from '../format.ts'
import { ARCH } from '../mark.ts'
import { type Picture, readPicture, renderPicture } from '../pictures/pictures.ts'
import { PREVIEW_SIZE } from './preview-path.ts'

export type Card = {
  above?: string | undefined
  /** The first that the font can draw is shown. */
  titles: string[]
  price?: string | null
  rating?: string | undefined
  note?: string | undefined
  drawings: Picture[]
}

const { width: WIDTH, height: HEIGHT } = PREVIEW_SIZE
const [INK, SOFT, ACCENT, PALE, LINE, STARS] = [
  '#151922',
  '#515a6b',
  '#2347c5',
  '#b7c5f3',
  '#dfe3ea',
  '#a86a00',
]
const [MARGIN, COLUMN, CLOTH] = [72, 560, 60]
const PICTURES = { x: 680, y: 164, width: 448, gap: 20 }
const TITLE = { lines: 3, size: 60, smallest: 44, charactersALine: [16, 20, 24, 28] }
const STAR = 'M10 1.6l2.6 5.3 5.8.8-4.2 4.1 1 5.8-5.2-2.7-5.2 2.7 1-5.8L1.6 7.7l5.8-.8z'
/** All but Latin, Greek, Cyrillic and the punctuation that the font has. The font draws others as boxes. */
const NO_GLYPH =
  /[^ -~\u00a1-\u012b\u012e-\u0131\u0134-\u0165\u0168-\u017f\u0218-\u021b\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u045f\u0490-\u0493\u1e80-\u1e85\u1ea0-\u1ef9\u2010\u2012-\u2015\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2026\u2030\u2032\u2033\u2039\u203a\u20ac\u20bd\u2116\u2122\u2212]/g
const { resolve } = createRequire(import.meta.url)
const FONT_FILES = ['400Regular', '600SemiBold'].map((cut) =>
  resolve(`@expo-google-fonts/source-serif-4/${cut}/SourceSerif4_${cut}.ttf`),
)
export const OPTIONS = {
  font: { loadSystemFonts: false, fontFiles: FONT_FILES, defaultFontFamily: 'Source Serif 4' },
}

export function productCard(product: ProductProfile): Card {
  const brand = product.brand?.name
  return {
    above: brand,
    // Where the font cannot draw the title, the category still says what it is.
    titles: [product.title, product.category.label],
    price: priceRange(product),
    rating: product.rating?.toFixed(1),
    note: product.reviewCount === null ? undefined : countOf(product.reviewCount, 'review'),
    drawings: drawingsAt(picturePath(product)),
  }
}

export function categoryCard(category: CategorySummary): Card {
  return {
    above: 'Category',
    titles: [category.label, category.slug.replaceAll('-', ' ')],
    price: priceRange(category),
    note: countOf(category.productCount, 'product'),
    drawings: drawingsAt(categoryPicturePath(category)),
  }
}

export const SOUK_CARD: Card = {
  titles: ['A product catalog for people and their agents'],
  note: 'Facts, prices, offers and quotes',
  drawings: ['tents', 'espresso-machines', 'running-shoes', 'laptops'].flatMap((slug) =>
    drawingsAt(categoryPicturePath({ slug })),
  ),
}

function drawingsAt(path: string): Picture[] {
  const [, , category = '', ...file] = decodeURIComponent(path).split('/')
  return [readPicture(category, file.join('/')) ?? []].flat()
}

/** resvg is loaded with the first picture and renders off the main thread. */
export async function renderCard(card: Card): Promise<Buffer> {
  const { renderAsync } = await import('@resvg/resvg-js')
  return (await renderAsync(await drawCard(card), OPTIONS)).asPng()
}

export async function drawCard({ above, titles, price, rating, note, drawings }: Card): Promise<string> {
  const { Resvg } = await import('@resvg/resvg-js')
  const parts: string[] = []
  let y = 112
  /** The largest size up to `size` at which no line is wider than the column. */
  const fit = (lines: string[], size: number, room = COLUMN) => {
    const box = new Resvg(svg(lines.map((line) => text(0, size, line, INK, 0))), OPTIONS).getBBox()
    return Math.min(size, Math.floor((size * room) / ((box?.x ?? 0) + (box?.width ?? 1))))
  }
  const add = (lines: string[], size: number, color: string, gap: number, indent = 0) => {
    for (const line of lines) {
      y += Math.round(size * 1.14)
      parts.push(text(y, size, line, color, MARGIN + indent))
    }
    y += gap
  }

  const brand = [drawable(above ?? '') ?? []].flat().map((line) => escapeXml(shorten(line, 40)))
  add(brand, fit(brand, 30), SOFT, brand.length * 12)
  const { lines, size } = setTitle(titles.map(drawable).find((title) => title !== null) ?? '', fit)
  add(lines, size, INK, 26)
  if (price) add([price], fit([price], 44), ACCENT, 18)
  const indent = rating ? 40 : 0
  if (rating) parts.push(path(MARGIN, y + 8, 1.5, STAR, STARS))
  const last = [
    rating ? `<tspan fill="${INK}">${rating}</tspan>` : '',
    note ? `<tspan dx="${indent / 3}" font-weight="400">${note}</tspan>` : '',
  ].join('')
  if (last !== '') add([last], fit([last], 30, COLUMN - indent), SOFT, 0, indent)
  return svg([
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    awning(),
    ...parts,
    path(MARGIN - 6, 538, 2, ARCH, ACCENT),
    text(582, 42, 'Souk', INK, MARGIN + 52),
    ...placeDrawings(drawings),
  ])
}

/** Takes the largest letters at which the title is whole; a title that never is gets shortened. */
function setTitle(title: string, fit: (lines: string[], size: number) => number) {
  let best = { lines: [] as string[], size: 0 }
  for (const most of TITLE.charactersALine) {
    const { lines, whole } = breakLines(title, most)
    const markup = lines.map(escapeXml)
    const size = fit(markup, TITLE.size)
    if (best.size === 0 || size >= TITLE.smallest) best = { lines: markup, size }
    if (whole && size >= TITLE.smallest) break
  }
  return best
}

/** Breaks between words; a word longer than a line breaks where the line ends. */
export function breakLines(title: string, most: number): { lines: string[]; whole: boolean } {
  const lines: string[] = []
  let [rest, whole] = [title, true]
  while (rest.length > most && lines.length < TITLE.lines - 1) {
    const space = rest.lastIndexOf(' ', most)
    if (space <= 0) whole = false
    lines.push(rest.slice(0, space > 0 ? space : most))
    rest = rest.slice(space > 0 ? space + 1 : most)
  }
  return { lines: [...lines, shorten(rest, most)], whole: whole && rest.length <= most }
}

/** One line of what the font can draw; null when that is less than half of the letters. */
export function drawable(line: string): string | null {
  const clean = line.toWellFormed().normalize('NFC').replace(/\s+/g, ' ').replace(/\p{C}/gu, '')
  const shown = clean.replace(NO_GLYPH, '')
  const [letters, before] = [shown, clean].map((words) => words.match(/[\p{L}\p{N}]/gu)?.length ?? 0)
  if (!letters || letters < (before ?? 0) / 2) return null
  return shown.replace(/ {2,}/g, ' ').trim()
}

function escapeXml(line: string): string {
  return line.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function svg(parts: string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-weight="600">${parts.join('')}</svg>`
}

function text(y: number, size: number, markup: string, color: string, x: number): string {
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${color}">${markup}</text>`
}

function path(x: number, y: number, scale: number, d: string, color: string): string {
  return `<path transform="translate(${x} ${y}) scale(${scale})" d="${d}" fill="${color}"/>`
}

/** As in the site's header: a band, and below it half circles in two colors. */
function awning(): string {
  const scallops = Array.from({ length: WIDTH / CLOTH }, (_, index) =>
    path(index * CLOTH, CLOTH / 2, CLOTH / 2, 'M0 0a1 1 0 0 0 2 0z', index % 2 ? PALE : ACCENT),
  )
  return `<rect width="${WIDTH}" height="${CLOTH / 2}" fill="${ACCENT}"/>${scallops.join('')}`
}

/** The catalog's drawings with rounded corners, in one or two columns. They have no ids of their own. */
function placeDrawings(drawings: Card['drawings']): string[] {
  const columns = drawings.length > 1 ? 2 : 1
  const width = (PICTURES.width - (columns - 1) * PICTURES.gap) / columns
  return drawings.flatMap((drawing, index) => {
    const x = PICTURES.x + (index % columns) * (width + PICTURES.gap)
    const y = PICTURES.y + Math.floor(index / columns) * (width * 0.75 + PICTURES.gap)
    const box = `x="${x}" y="${y}" width="${width}" height="${width * 0.75}"`
    const picture = renderPicture(drawing, false).replace('<svg ', `<svg ${box} `)
    return [
      `<clipPath id="cut-${index}"><rect ${box} rx="18"/></clipPath><g clip-path="url(#cut-${index})">${picture}</g>`,
      `<rect ${box} rx="18" fill="none" stroke="${LINE}" stroke-width="2"/>`,
    ]
  })
}
