// Tints for the drawn catalog pictures: one hue a brand, five tones a hue.
// Tones are placed in OKLCH, where equal lightness looks equal for every hue, so all brands weigh the
// same on a page; they leave here as plain hex, which every browser, crawler and image library reads.
// The key is folded first, so a brand's name and its slug in an address give the same tint.

export type Tint = { background: string; light: string; base: string; dark: string; ink: string }

type Tone = { lightness: number; chroma: number }

const TONES: Record<keyof Tint, Tone> = {
  background: { lightness: 0.93, chroma: 0.026 },
  light: { lightness: 0.83, chroma: 0.085 },
  base: { lightness: 0.655, chroma: 0.14 },
  dark: { lightness: 0.47, chroma: 0.115 },
  ink: { lightness: 0.27, chroma: 0.04 },
}

// Between these angles a mid-dark tone turns to mud (olive, khaki); no brand is given one.
const MUD_FROM = 92
const MUD_TO = 128

export function tintFor(key: string): Tint {
  const hue = (MUD_TO + spread(fold(key)) * (360 - (MUD_TO - MUD_FROM))) % 360
  return {
    background: hex(TONES.background, hue),
    light: hex(TONES.light, hue),
    base: hex(TONES.base, hue),
    dark: hex(TONES.dark, hue),
    ink: hex(TONES.ink, hue),
  }
}

function fold(key: string): string {
  return key
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** FNV-1a with a final mix, as a number in [0, 1): near names such as "Arvo" and "Arva" land far apart. */
function spread(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}

/** The most colourful sRGB colour of this lightness and hue, up to the tone's chroma. */
function hex(tone: Tone, hue: number): string {
  let chroma = tone.chroma
  let channels = toLinearRgb(tone.lightness, chroma, hue)
  while (chroma > 0 && channels.some((channel) => channel < 0 || channel > 1)) {
    chroma = Math.max(0, chroma - 0.004)
    channels = toLinearRgb(tone.lightness, chroma, hue)
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
