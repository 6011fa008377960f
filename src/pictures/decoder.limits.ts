/** What a picture may cost, what becomes of it, and what the decoding process and its owner say to each other. */
export const LIMITS = {
  /** Of the file as it comes. */
  bytes: 12 * 1024 ** 2,
  /** 40 megapixels: more than cameras of phones have. Judged by the head, before anything is decoded. */
  pixels: 40_000_000,
  /** Of the copy: enough for a full screen. */
  longSide: 1_600,
  decodeMs: 30_000,
  /** Of the decoding process. Any picture that is allowed stays below it, but for the largest AVIF ones. */
  memoryBytes: 640 * 1024 ** 2,
  /** How the decoding process ends when it has taken too much. */
  memoryExit: 77,
} as const

export const THUMBNAIL_WIDTHS = [320, 640] as const

export type DecodedPicture = {
  width: number
  height: number
  full: Uint8Array
  /** Only those that are smaller than the full size. */
  thumbnails: Array<{ width: number; bytes: Uint8Array }>
}

export type PictureMessage = { bytes: Uint8Array }
export type PictureReply = { rssBytes: number } & (DecodedPicture | { refused: 'too_many_pixels' | 'broken' })

/** Why a picture is not taken, in words for who brought it. */
export const REFUSALS = {
  empty: 'the file is empty',
  too_large: `the file is larger than ${LIMITS.bytes / 1024 ** 2} MB`,
  svg: 'SVG is not accepted; use a JPEG, PNG, WebP, GIF or AVIF picture',
  not_a_picture: 'the file is not a JPEG, PNG, WebP, GIF or AVIF picture',
  too_many_pixels: `the picture has more than ${LIMITS.pixels / 1_000_000} megapixels`,
  broken: 'the picture is damaged or incomplete',
  too_slow: 'the picture takes too long to decode',
  too_much_memory: 'the picture takes too much memory to decode',
} as const
export type Refusal = keyof typeof REFUSALS
