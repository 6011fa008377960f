/** What a stylesheet owes every page: small, self-contained, and readable in both colour schemes. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { loadAssets } from '../assets.ts'

const assets = loadAssets()
const textOf = (path: string) =>
  String(assets.get(path.replace('/assets/', ''))?.variants.get('identity')?.body)
const sheets = { shop: textOf(assets.stylesheet), console: textOf(assets.consoleStylesheet) }
const css = sheets.shop
const [, light = '', dark = ''] = css.split(/:root \{/)

function palette(block: string): Map<string, string> {
  const declarations = block.slice(0, block.indexOf('}')).matchAll(/--([\w-]+): (#[0-9a-f]{3,6});/g)
  return new Map([...declarations].map(([, name = '', colour = '']) => [name, colour]))
}

/** WCAG 2.2, relative luminance and contrast ratio. */
function luminance(hex: string): number {
  const full = hex.length === 4 ? hex.replace(/[^#]/g, '$&$&') : hex
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(full.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (high + 0.05) / (low + 0.05)
}

test('every part is in one of the two stylesheets', () => {
  for (const name of readdirSync(import.meta.dirname).filter((file) => file.endsWith('.css'))) {
    const part = readFileSync(path.join(import.meta.dirname, name), 'utf8')
    expect(Object.values(sheets).some((sheet) => sheet.includes(part))).toBe(true)
  }
})

test.each(Object.entries(sheets))(
  '%s: it fetches nothing, and costs a first visit less than 12 KB',
  (_, sheet) => {
    expect(sheet).not.toMatch(/url\(|@import/)
    expect(brotliCompressSync(sheet).length).toBeLessThan(12 * 1024)
  },
)

test.each(Object.entries(sheets))('%s: colours are named once, in the palette', (_, sheet) => {
  const beyond = sheet.slice(sheet.indexOf('*,\n*::before'))
  expect(beyond.match(/#[0-9a-f]{3,8}\b|\brgb\(/g)?.filter((colour) => colour !== '#fff') ?? []).toEqual([])
})

test.each([
  ['light', palette(light)],
  ['dark', palette(dark)],
])('every text colour has AA contrast on every ground it stands on (%s)', (_, colours) => {
  const colour = (name: string) => colours.get(name) ?? `no --${name}`
  const grounds = ['paper', 'surface']
  const texts = ['ink', 'ink-soft', 'accent', 'good', 'mixed', 'bad']
  const pairs = [
    ...texts.flatMap((text) => grounds.map((ground) => [text, ground] as const)),
    ['ink', 'accent-soft'] as const,
    ['on-accent', 'accent'] as const,
  ]
  const ratios = pairs.map(([text, ground]) => ({
    pair: `${text} on ${ground}`,
    ratio: contrast(colour(text), colour(ground)),
  }))
  expect(ratios.filter(({ ratio }) => !(ratio >= 4.5))).toEqual([])
  expect(contrast(colour('star'), colour('paper'))).toBeGreaterThanOrEqual(3)
})
