// The catalog's own pictures: a drawing for each demo category, tinted for each brand, as a complete SVG
// document. They are used until a producer supplies photos.
// Pure text from pure functions: no script, no reference to anything outside, no ids. The only words from
// outside that reach the markup are the label's, and those are cut, cleaned and escaped here.
import { AUDIO } from './audio.ts'
import { BABY_AND_PETS } from './baby-and-pets.ts'
import { DEVICES } from './devices.ts'
import { HOME } from './home.ts'
import { KITCHEN } from './kitchen.ts'
import { OFFICE } from './office.ts'
import { OUTDOORS } from './outdoors.ts'
import { tintFor } from './palette.ts'
import { parcel } from './parcel.ts'
import { circle, type Drawing, faded, rect } from './shapes.ts'
import { SPORTS } from './sports.ts'

const DRAWINGS: ReadonlyMap<string, Drawing> = new Map(
  [KITCHEN, HOME, OFFICE, DEVICES, AUDIO, OUTDOORS, SPORTS, BABY_AND_PETS].flatMap((group) =>
    Object.entries(group),
  ),
)

const LABEL_LENGTH = 120

export function hasPicture(category: string): boolean {
  return DRAWINGS.has(category)
}

export function renderPicture(input: { category: string; brand: string | null; title?: string }): string {
  const tint = tintFor(input.brand || input.category)
  const drawing = DRAWINGS.get(input.category) ?? parcel
  const label = input.title ?? [input.brand, input.category.replaceAll('-', ' ')].filter(Boolean).join(' ')
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 240" role="img" aria-label="${attribute(label)}">`,
    rect(0, 0, 320, 240, tint.background),
    faded(0.3, circle(160, 116, 98, tint.light)),
    drawing(tint),
    '</svg>',
  ].join('')
}

/** Safe inside a quoted attribute: characters XML forbids are dropped, markup and quotes are escaped. */
function attribute(text: string): string {
  return [...text.toWellFormed()]
    .slice(0, LABEL_LENGTH)
    .join('')
    .replace(/[^\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, ' ')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
