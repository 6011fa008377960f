/**
 * From a listing and its pieces to files: what stands where, how long it is, and a tag that names its bytes. Pure, and
 * the bytes of the products are not looked at: the tag is made from their hashes. A section is written before the first
 * product that is really there, whatever was counted.
 */
import { createHash } from 'node:crypto'
import { sha256 } from '../../../lib/crypto.ts'
import type { ScratchFile } from '../../../lib/scratch-file.ts'
import type { Listing, ListingSite, ListingSplit } from './listing.ts'
import type { Piece } from './pieces.ts'
import type { Segment, Shape } from './segments.ts'

/** In memory, or at a place in a scratch file. */
export type Part = { length: number; hash: Buffer } & (
  | { bytes: Buffer }
  | { bytes: null; file: ScratchFile; at: number }
)

export type ListingFile = { parts: Part[]; length: number; etag: string }

/** By path: one file, or an index and its parts. */
export type ListingFiles = Map<string, ListingFile>

/** What a segment adds, with the section it begins. */
type Block = { parts: Part[]; entries: number; length: number }

export function assemble(
  listing: Listing,
  site: ListingSite,
  shape: Shape,
  pieceOf: (segment: Segment) => Piece,
): ListingFiles {
  const head = textPart(listing.head(site, shape.overview))
  const foot = textPart(listing.foot?.(site) ?? '')
  const blocks = blocksOf(listing, site, shape, pieceOf)
  if (!listing.split) return new Map([[listing.path, fileOf([head, ...partsOf(blocks), foot])]])
  const { split } = listing
  const packed = pack(blocks, split, {
    entries: split.headEntries(shape.overview),
    length: head.length + foot.length,
  })
  const files = packed.map((inside, index) =>
    fileOf([index === 0 ? head : textPart(split.partHead(site)), ...partsOf(inside), foot]),
  )
  const [only] = files
  if (only && files.length === 1) return new Map([[listing.path, only]])
  const paths = files.map((_, index) => split.partPath(index + 1))
  return new Map([
    [listing.path, fileOf([textPart(split.index(site, paths))])],
    ...files.map((file, index) => [split.partPath(index + 1), file] as const),
  ])
}

export function textPart(text: string): Part {
  const bytes = Buffer.from(text)
  return { bytes, length: bytes.length, hash: sha256(bytes) }
}

export function piecePart({ file, at, length, hash }: Piece): Part {
  return { bytes: null, file, at, length, hash }
}

function blocksOf(
  listing: Listing,
  site: ListingSite,
  { groups }: Shape,
  pieceOf: (segment: Segment) => Piece,
): Block[] {
  return groups.flatMap(({ category, segments }) => {
    const filled = segments.map(pieceOf).filter(({ entries }) => entries > 0)
    return filled.map((piece, index) => {
      const section = index === 0 ? listing.section?.(site, category) : undefined
      const parts = [...(section === undefined ? [] : [textPart(section)]), piecePart(piece)]
      return { parts, entries: piece.entries + parts.length - 1, length: lengthOf(parts) }
    })
  })
}

/** Whole blocks in order, as many as fit; one that is too large by itself stands alone. */
function pack(blocks: Block[], split: ListingSplit, first: { entries: number; length: number }): Block[][] {
  let inside: Block[] = []
  const packed = [inside]
  let { entries, length } = first
  for (const block of blocks) {
    const fits = entries + block.entries <= split.maxEntries && length + block.length <= split.maxBytes
    if (!fits && inside.length > 0) {
      inside = []
      packed.push(inside)
      entries = 0
      // What opens and closes a part is no longer than what opens and closes the first.
      length = first.length
    }
    inside.push(block)
    entries += block.entries
    length += block.length
  }
  return packed
}

function partsOf(blocks: Block[]): Part[] {
  return blocks.flatMap(({ parts }) => parts)
}

/** The same products in the same words have the same tag on every node, because every node cuts at the same places. */
function fileOf(parts: Part[]): ListingFile {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part.hash)
  return { parts, length: lengthOf(parts), etag: `"${hash.digest('base64url').slice(0, 22)}"` }
}

function lengthOf(parts: Part[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}
