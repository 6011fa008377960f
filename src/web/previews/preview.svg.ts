/**
 * The pictures that other sites show beside a link, as SVG: the awning of the site's header, what the page is about in
 * words on the left, its drawing on the right. Pure text from what is shown, so the text itself tells one picture from
 * another. Everything from outside comes through `drawable` and `escapeXml`; the colours are those of the light theme,
 * since nobody knows what ground the picture will stand on.
 */
import type { CategorySummary } from '../../catalog/catalog.service.ts'
import { type ProductProfile, priceRange } from '../../catalog/profile.ts'
import { countOf } from '../format.ts'
import { ARCH } from '../mark.ts'
import { renderPicture } from '../pictures/pictures.ts'
import { FONT_FAMILY, type Font, loadFonts } from './fonts.ts'
import { PREVIEW_SIZE } from './preview-path.ts'
import { breakLines, drawable, escapeXml, fittingSize } from './set-text.ts'

const { width: WIDTH, height: HEIGHT } = PREVIEW_SIZE
const COLOURS = {
  paper: '#ffffff',
  line: '#dfe3ea',
  ink: '#151922',
  soft: '#515a6b',
  accent: '#2347c5',
  awning: '#2347c5',
  awning2: '#b7c5f3',
  star: '#a86a00',
}
const MARGIN = 72
/** Of the words; the drawing has the rest. */
const COLUMN = 560
const CLOTH = 60
const TITLE_LINES = 3
/** The largest at which a title is whole is taken; at the last it is cut. */
const TITLE_SIZES = [64, 56, 50]
const STAR = 'M10 1.6l2.6 5.3 5.8.8-4.2 4.1 1 5.8-5.2-2.7-5.2 2.7 1-5.8L1.6 7.7l5.8-.8z'
const PICTURE = { x: 680, y: 164, width: 448 }
/** What stands for the whole catalog. */
const SAMPLES = ['tents', 'espresso-machines', 'running-shoes', 'laptops'] as const

type ShownProduct = Pick<
  ProductProfile,
  'title' | 'category' | 'brand' | 'priceLowCents' | 'priceHighCents' | 'rating' | 'reviewCount'
>
type ShownCategory = Pick<
  CategorySummary,
  'slug' | 'label' | 'productCount' | 'priceLowCents' | 'priceHighCents'
>

export function drawProductPreview(product: ShownProduct): string {
  const brand = product.brand?.name ?? null
  return card({
    above: brand,
    // Where the font cannot draw the title, the kind of thing is still worth saying.
    titles: [product.title, product.category.label],
    price: priceRange(product),
    rating: product.rating === null ? null : product.rating.toFixed(1),
    note: product.reviewCount === null ? null : countOf(product.reviewCount, 'review'),
    picture: drawing(product.category.slug, brand, PICTURE),
  })
}

export function drawCategoryPreview(category: ShownCategory): string {
  return card({
    above: 'Category',
    titles: [category.label, category.slug.replaceAll('-', ' ')],
    price: priceRange(category),
    rating: null,
    note: countOf(category.productCount, 'product'),
    picture: drawing(category.slug, null, PICTURE),
  })
}

export function drawSoukPreview(): string {
  const [width, gap] = [214, 20]
  return card({
    above: null,
    titles: ['A product catalog for people and their agents'],
    price: null,
    rating: null,
    note: 'Facts, prices, offers and quotes',
    picture: SAMPLES.map((category, index) =>
      drawing(category, null, {
        x: PICTURE.x + (index % 2) * (width + gap),
        y: PICTURE.y + Math.floor(index / 2) * ((width * 3) / 4 + gap),
        width,
      }),
    ).join(''),
  })
}

type Card = {
  above: string | null
  /** The first that the font can draw is shown. */
  titles: string[]
  price: string | null
  rating: string | null
  note: string | null
  picture: string
}

function card({ above, titles, price, rating, note, picture }: Card): string {
  const { regular, semibold } = loadFonts()
  const parts: string[] = []
  let y = 112
  const brand = above === null ? null : drawable(above, semibold)
  if (brand !== null) {
    const [line = ''] = breakLines(brand, { font: semibold, size: 30, width: COLUMN, most: 1 }).lines
    parts.push(textAt(MARGIN, y + 30, line, semibold, 30, COLOURS.soft))
    y += 50
  }
  const title = titles.map((text) => drawable(text, semibold)).find((text) => text !== null)
  if (title !== undefined) {
    const { lines, size } = setTitle(title, semibold)
    for (const line of lines) {
      y += Math.round(size * 1.14)
      parts.push(textAt(MARGIN, y, line, semibold, size, COLOURS.ink))
    }
    y += 26
  }
  if (price !== null) {
    const size = fittingSize(price, semibold, 44, COLUMN)
    y += 48
    parts.push(textAt(MARGIN, y, price, semibold, size, COLOURS.accent))
  }
  if (rating !== null || note !== null) parts.push(noteAt(y + 52, rating, note, { regular, semibold }))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="${COLOURS.paper}"/>`,
    awning(),
    ...parts,
    mark(semibold),
    picture,
    '</svg>',
  ].join('')
}

function setTitle(title: string, font: Font): { lines: string[]; size: number } {
  for (const size of TITLE_SIZES) {
    const { lines, cut } = breakLines(title, { font, size, width: COLUMN, most: TITLE_LINES })
    if (!cut || size === TITLE_SIZES.at(-1)) return { lines, size }
  }
  return { lines: [], size: 0 }
}

function textAt(x: number, y: number, text: string, font: Font, size: number, colour: string): string {
  return `<text x="${x}" y="${y}" font-family="${FONT_FAMILY}" font-weight="${font.weight}" font-size="${size}" fill="${colour}">${escapeXml(text)}</text>`
}

function noteAt(
  y: number,
  rating: string | null,
  note: string | null,
  { regular, semibold }: { regular: Font; semibold: Font },
): string {
  const parts: string[] = []
  let x = MARGIN
  if (rating !== null) {
    parts.push(`<path transform="translate(${x} ${y - 26}) scale(1.5)" d="${STAR}" fill="${COLOURS.star}"/>`)
    x += 40
    parts.push(textAt(x, y, rating, semibold, 30, COLOURS.ink))
    x += Math.round(semibold.widthOf(rating, 30)) + 16
  }
  if (note !== null) {
    const size = fittingSize(note, regular, 30, MARGIN + COLUMN - x)
    parts.push(textAt(x, y, note, regular, size, COLOURS.soft))
  }
  return parts.join('')
}

function mark(font: Font): string {
  return [
    `<path transform="translate(${MARGIN - 6} 538) scale(2)" d="${ARCH}" fill="${COLOURS.accent}"/>`,
    textAt(MARGIN + 52, 582, 'Souk', font, 42, COLOURS.ink),
  ].join('')
}

/** As in the site's header: a band, and under it half circles in two colours by turns. */
function awning(): string {
  const radius = CLOTH / 2
  const scallops = Array.from({ length: WIDTH / CLOTH }, (_, index) => {
    const colour = index % 2 === 0 ? COLOURS.awning : COLOURS.awning2
    return `<path d="M${index * CLOTH} ${radius}a${radius} ${radius} 0 0 0 ${CLOTH} 0z" fill="${colour}"/>`
  })
  return `<rect width="${WIDTH}" height="${radius}" fill="${COLOURS.awning}"/>${scallops.join('')}`
}

type Place = { x: number; y: number; width: number }

/** The catalog's drawing with rounded corners. It has no ids of its own, and its label says nothing here. */
function drawing(category: string, brand: string | null, { x, y, width }: Place): string {
  const height = (width * 3) / 4
  const id = `cut-${x}-${y}`
  const shape = `x="${x}" y="${y}" width="${width}" height="${height}" rx="18"`
  const svg = renderPicture({ category, brand, title: '' }).replace(
    '<svg ',
    `<svg x="${x}" y="${y}" width="${width}" height="${height}" `,
  )
  return [
    `<clipPath id="${id}"><rect ${shape}/></clipPath><g clip-path="url(#${id})">${svg}</g>`,
    `<rect ${shape} fill="none" stroke="${COLOURS.line}" stroke-width="2"/>`,
  ].join('')
}
