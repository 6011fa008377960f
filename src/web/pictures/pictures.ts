/**
 * The drawings as complete SVG documents, shown until a product has photographs. A file in `art/` is the thing alone, in
 * the key colours below; here it gets its tint, its size, what is behind it, and the tones of the dark theme. Nothing from
 * an address or a product reaches the markup: no words, no script, no reference to anything outside, no ids.
 */
import fs from 'node:fs'
import { drawnWords, readDrawingPath, type Size } from '../../catalog/drawing.ts'
import { projectFile } from '../../lib/paths.ts'
import { type Tint, TONES, tintName, tintOf } from './palette.ts'

/** `tint` is a name of the palette's. */
export type Picture = { category: string; kind: string; size: Size; tint: string; finish: number }

/** What the files are drawn with. All other colours stay as they are. */
export const KEY_COLOURS: Record<Exclude<keyof Tint, 'spot'>, string> = {
  background: '#dcf0f4',
  light: '#8ed4e0',
  base: '#1ba3b8',
  dark: '#0d6574',
  ink: '#12303a',
}
const TONE_OF = new Map(Object.entries(KEY_COLOURS).map(([tone, colour]) => [colour, tone as keyof Tint]))
const KEYS = new RegExp([...TONE_OF.keys()].join('|'), 'g')

const SCALES: Record<Size, number> = { small: 0.76, regular: 0.92, large: 1.04 }
/** The middle of the ground that a thing stands on. */
const GROUND = { x: 160, y: 208 }

/** `file` is all of the address after the category. Null if there is no such drawing. */
export function readPicture(category: string, file: string): Picture | null {
  const asked = readDrawingPath(category, file)
  if (!asked) return null
  const { key, ...drawing } = asked
  // Without a brand the category's name gives the hue, so that a page of categories is colourful.
  return { ...drawing, tint: tintName(key === 'plain' ? category : key) }
}

/** `themed` adds the dark theme's tones; without them the picture is the same everywhere. */
export function renderPicture({ category, kind, size, tint, finish }: Picture, themed = true): string {
  const { light, dark } = tintOf(tint, finish)
  const scale = SCALES[size]
  const place = `translate(${round(GROUND.x * (1 - scale))} ${round(GROUND.y * (1 - scale))}) scale(${scale})`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 240" role="img" aria-label="${drawnWords({ category, kind })}">`,
    themed ? nightStyle(light, dark) : '',
    `<rect width="320" height="240" fill="${light.background}"/>`,
    `<circle cx="160" cy="116" r="98" fill="${light.spot}"/>`,
    `<g transform="${place}">`,
    artOf(`${category}-${kind}`).replace(KEYS, (key) => light[TONE_OF.get(key) as keyof Tint]),
    '</g></svg>',
  ].join('')
}

/** Where a style is not applied, the light theme's tones show. */
function nightStyle(light: Tint, dark: Tint): string {
  const rules = TONES.flatMap((tone) =>
    ['fill', 'stroke'].map((paint) => `[${paint}="${light[tone]}"]{${paint}:${dark[tone]}}`),
  )
  return `<style>@media(prefers-color-scheme:dark){${rules.join('')}[fill-opacity=".18"]{fill-opacity:.4}}</style>`
}

const arts = new Map<string, string>()

/** What is in the file's one `svg` element. There are as many as files. */
function artOf(name: string): string {
  let art = arts.get(name)
  if (art === undefined) {
    const file = fs.readFileSync(projectFile('src', 'web', 'pictures', 'art', `${name}.svg`), 'utf8')
    art = file.replace(/^<svg[^>]*>|<\/svg>\s*$/g, '').replace(/\n/g, '')
    arts.set(name, art)
  }
  return art
}

function round(length: number): number {
  return Math.round(length * 100) / 100
}
