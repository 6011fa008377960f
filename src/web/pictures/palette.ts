/**
 * Tints for the drawings: one hue a brand or the product's own colour, six tones a tint, once for each theme. Tones are
 * placed in OKLCH, where equal lightness looks equal for every hue, so all brands weigh the same on a page; they leave
 * here as plain hex, which every browser, crawler and image library reads.
 */
import type { Colour } from '../../catalog/drawing.kinds.ts'
import { spread } from '../../lib/spread.ts'

/** `spot` is the light behind the thing, `base` what most of the thing has. */
export const TONES = ['background', 'spot', 'light', 'base', 'dark', 'ink'] as const
export type Tint = Record<(typeof TONES)[number], string>
export type Theme = 'light' | 'dark'

type Lch = { lightness: number; chroma: number; hue: number }

const lch = (lightness: number, chroma: number, hue: number): Lch => ({ lightness, chroma, hue })

const COLOURS: Record<Colour, Lch> = {
  black: lch(0.36, 0.008, 264),
  white: lch(0.965, 0.004, 250),
  graphite: lch(0.48, 0.02, 262),
  silver: lch(0.77, 0.014, 255),
  beige: lch(0.86, 0.04, 85),
  brown: lch(0.5, 0.075, 55),
  tan: lch(0.72, 0.085, 70),
  copper: lch(0.64, 0.12, 48),
  gold: lch(0.76, 0.12, 86),
  yellow: lch(0.85, 0.16, 95),
  orange: lch(0.71, 0.17, 55),
  red: lch(0.57, 0.2, 26),
  burgundy: lch(0.42, 0.13, 15),
  pink: lch(0.76, 0.13, 358),
  purple: lch(0.53, 0.17, 305),
  lavender: lch(0.77, 0.085, 300),
  navy: lch(0.41, 0.1, 265),
  blue: lch(0.57, 0.17, 258),
  sky: lch(0.78, 0.1, 232),
  teal: lch(0.63, 0.105, 195),
  green: lch(0.6, 0.14, 148),
  olive: lch(0.56, 0.085, 118),
  mint: lch(0.84, 0.075, 165),
}

/**
 * The hues of brands, few enough that any two are told apart side by side. From 92 to 128 a mid-dark tone turns to mud
 * (olive, khaki); no brand gets one.
 */
const HUES = [144, 176, 209, 241, 274, 306, 338, 11, 43, 76]

/** What a finish does to a brand's base tone: nothing, paler, deeper. */
const FINISHED = [lch(0, 0, 0), lch(0.1, -0.02, 0), lch(-0.11, -0.02, 0)]

/**
 * What decides the tint of a key: the colour it names, or one of the hues for any other name. There are only so many, whatever an
 * address says. The key is folded first, so that a brand's name and its slug in an address give the same tint.
 */
export function tintName(key: string): string {
  const folded = key
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
  return Object.hasOwn(COLOURS, folded) ? folded : String(HUES[Math.floor(spread(folded) * HUES.length)])
}

export function tintOf(name: string, finish = 0): Record<Theme, Tint> {
  const own = COLOURS[name as Colour]
  const turn = FINISHED[finish] ?? lch(0, 0, 0)
  const base = own ?? lch(0.655 + turn.lightness, 0.14 + turn.chroma, Number(name))
  return { light: tonesOf(base, 'light'), dark: tonesOf(base, 'dark') }
}

/** In the dark theme things are lit and stand before dusk; what is dark itself stands before a lighter wall. */
function tonesOf({ lightness, chroma, hue }: Lch, theme: Theme): Tint {
  const night = theme === 'dark'
  const isDark = lightness < 0.5
  const isPale = lightness > 0.8
  const base = night ? Math.min(0.965, lightness + (isDark ? 0.03 : 0.08)) : lightness
  const behind = night ? (isDark ? 0.66 : 0.36) : isPale ? base - 0.15 : 0.93
  const tone = (at: number, share: number) => hex(lch(at, chroma * share, hue))
  return {
    background: tone(behind, 0.19),
    spot: tone(behind + (night ? (isDark ? 0.06 : 0.08) : -0.03), 0.3),
    light: tone(Math.min(0.99, base + (isPale ? 0.06 : 0.175)), isPale ? 0.5 : 0.6),
    base: tone(base, 1),
    dark: tone(Math.max(0.24, base - (isDark ? 0.12 : 0.185)), 0.82),
    ink: tone(night ? 0.14 : Math.min(0.27, base - 0.17), 0.28),
  }
}

/** The most colourful sRGB colour of this lightness and hue, up to the tone's chroma. */
function hex({ lightness, chroma: most, hue }: Lch): string {
  let chroma = most
  let channels = toLinearRgb(lightness, chroma, hue)
  while (chroma > 0 && channels.some((channel) => channel < 0 || channel > 1)) {
    chroma = Math.max(0, chroma - 0.004)
    channels = toLinearRgb(lightness, chroma, hue)
  }
  return `#${channels.map(toByte).join('')}`
}

/** OKLCH to linear sRGB, with the matrices of CSS Color 4. */
function toLinearRgb(lightness: number, chroma: number, hue: number): number[] {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

function toByte(linear: number): string {
  const clamped = Math.min(1, Math.max(0, linear))
  const gamma = clamped <= 0.0031308 ? clamped * 12.92 : 1.055 * clamped ** (1 / 2.4) - 0.055
  return Math.round(gamma * 255)
    .toString(16)
    .padStart(2, '0')
}
