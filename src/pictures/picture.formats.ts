/**
 * What a file is by its bytes. Neither its name nor what a server says about it counts: both are a stranger's word, and
 * a browser that believed them would run what is inside. Only raster formats are taken; an SVG is a document with scripts.
 */
export const FORMATS = ['jpeg', 'png', 'webp', 'gif', 'avif'] as const
export type PictureFormat = (typeof FORMATS)[number]

/** Null for anything else. The decoder looks closer; this decides what it gets to see. */
export function formatOf(bytes: Uint8Array): PictureFormat | null {
  const text = (from: number, to: number) => Buffer.from(bytes.subarray(from, to)).toString('latin1')
  if (text(0, 3) === '\xff\xd8\xff') return 'jpeg'
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'png'
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'webp'
  if (/^GIF8[79]a/.test(text(0, 6))) return 'gif'
  // The brands of a file stand in its first box, which says how long it is.
  if (text(4, 8) === 'ftyp' && /avi[fs]/.test(text(8, Math.min(lengthOf(bytes), 256)))) return 'avif'
  return null
}

/** Whether it looks like SVG, to name the reason: people upload logos. */
export function looksLikeSvg(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 4_096)).toString('latin1').replaceAll('\0', '')
  return /<(?:\w+:)?svg[\s>/]/i.test(start)
}

function lengthOf(bytes: Uint8Array): number {
  return Buffer.from(bytes.subarray(0, 4)).readUInt32BE(0)
}
