/** Where a picture of ours is: its address on the service and its name in the data folder. Pure. */
export type PictureCopy = {
  hash: string
  width: number
  height: number
  /** The widths of its smaller sizes. */
  widths: number[]
}

/** Of a picture that was refused: its host says that there is none. */
export const GONE_REASONS = ['http_404', 'http_410']

/** `width` for one of the smaller sizes. */
export function pictureName(hash: string, width?: number): string {
  return `${hash}${width === undefined ? '' : `-${width}`}.webp`
}

export function copyPath(hash: string, width?: number): string {
  return `/pictures/${pictureName(hash, width)}`
}

const NAME = /^([0-9a-f]{40})(?:-(320|640))?\.webp$/

/** Null for what is no name of ours; nothing else ever becomes part of a path. */
export function readPictureName(name: string): { hash: string; width?: number } | null {
  const [, hash, width] = NAME.exec(name) ?? []
  if (hash === undefined) return null
  return width === undefined ? { hash } : { hash, width: Number(width) }
}

/** All sizes for a browser to choose from. */
export function srcsetOf({ hash, width, widths }: PictureCopy): string {
  return [...widths.map((wide) => `${copyPath(hash, wide)} ${wide}w`), `${copyPath(hash)} ${width}w`].join(
    ', ',
  )
}
