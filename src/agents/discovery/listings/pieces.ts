/**
 * What a listing made of a segment: bytes in a scratch file, and in memory only what tells whether they still hold. A
 * segment is read and written a few products at a time, so that its size does not matter. When most of a file is bytes
 * that nobody needs any more, the others are moved to a new one; readers keep the one they began with. A file that could
 * not be written to is given up with everything in it, which gives a full disk its room back.
 */
import { createHash } from 'node:crypto'
import { getAddressesInRange, getProfilesInRange } from '../../../catalog/catalog.service.ts'
import { withOffers } from '../../../catalog/promoted-offer.ts'
import type { Clock } from '../../../lib/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { ScratchFile } from '../../../lib/scratch-file.ts'
import type { LiveOffers } from '../../../offers/live-offers.ts'
import type { Listing, ListingSite } from './listing.ts'
import { type ReadContext, type Reads, readsInTime } from './read-in-time.ts'
import { memberKey, type Segment, type Shape } from './segments.ts'

export type Piece = {
  /** Of the segment, before it was read. */
  version: number
  file: ScratchFile
  at: number
  length: number
  hash: Buffer
  entries: number
  /** The products in it (see memberKey). */
  members: Uint32Array
  /** When the next offer in it starts or ends, as a time in milliseconds. */
  validUntil: number
}

export type PieceContext = ReadContext & {
  clock: Clock
  site: ListingSite
  offers: Pick<LiveOffers, 'of' | 'nextChange' | 'changedAt'>
}

export type PieceStore = {
  /** Whether it holds or not; null when it was never made, or given up. */
  kept(segment: Segment): Piece | null
  fresh(segment: Segment): Piece | null
  /** The fresh piece, made if it is missing. One call at a time over all stores. */
  make(segment: Segment, reads?: Reads): Promise<Piece>
  wantsCompaction(shape: Shape): boolean
  /** Not while a piece is being made. */
  compact(shape: Shape): Promise<void>
  close(): void
}

/** Read and made in one go, and so how much garbage there is at a time and how long others wait for the processor. */
const PROFILES = 128
const ADDRESSES = 512
const WRITE_BYTES = 64 * 1024
const COPY_BYTES = 256 * 1024
const COMPACT_AGAIN_MS = 10 * 60_000

export function createPieceStore(
  ctx: PieceContext,
  listing: Listing,
  options: { openFile(): Promise<ScratchFile>; compactBytes: number },
): PieceStore {
  let file: ScratchFile | null = null
  let closed = false
  let compactFrom = 0

  const livePieces = (shape: Shape) =>
    shape.groups.flatMap(({ segments }) =>
      segments.flatMap((segment) => {
        const piece = kept(segment)
        return piece ? [{ segment, piece }] : []
      }),
    )

  function kept(segment: Segment): Piece | null {
    const piece = segment.pieces.get(listing)
    // One in another file was given up with it, or belongs to a segment that was given up before its file was.
    return piece?.file === file ? (piece ?? null) : null
  }

  function fresh(segment: Segment): Piece | null {
    const piece = kept(segment)
    if (piece === null || piece.version !== segment.version) return null
    return ctx.clock.now().getTime() < piece.validUntil ? piece : null
  }

  function letGo(): void {
    file?.letGo()
    file = null
  }

  return {
    kept,
    fresh,
    async make(segment, reads = readsInTime(ctx)) {
      const known = fresh(segment)
      if (known) return known
      file ??= await options.openFile().catch(noRoom)
      if (closed) letGo()
      if (file === null) throw new AppError('unavailable', 'the server is stopping')
      const used = file
      const append = (bytes: Buffer) =>
        used.append(bytes).catch((error: unknown) => {
          if (file === used) letGo()
          return noRoom(error)
        })
      const piece = await makePiece(ctx, { listing, segment, reads, file: used, append })
      segment.pieces.set(listing, piece)
      return piece
    },
    wantsCompaction(shape) {
      if (file === null || file.size() < options.compactBytes) return false
      if (ctx.clock.now().getTime() < compactFrom) return false
      const needed = livePieces(shape).reduce((sum, { piece }) => sum + piece.length, 0)
      return file.size() - needed > Math.max(needed, options.compactBytes / 2)
    },
    async compact(shape) {
      // For the case that it fails: whatever is in the way now will be for a while.
      compactFrom = ctx.clock.now().getTime() + COMPACT_AGAIN_MS
      const next = await options.openFile()
      const moved: Array<{ segment: Segment; piece: Piece }> = []
      try {
        for (const { segment, piece } of livePieces(shape)) {
          const at = next.size()
          for (let done = 0; done < piece.length; done += COPY_BYTES)
            await next.append(
              await piece.file.read(piece.at + done, Math.min(COPY_BYTES, piece.length - done)),
            )
          moved.push({ segment, piece: { ...piece, file: next, at } })
        }
        if (closed) throw new Error('the listings were stopped')
      } catch (error) {
        next.letGo()
        throw error
      }
      for (const { segment, piece } of moved) segment.pieces.set(listing, piece)
      letGo()
      file = next
      compactFrom = 0
    },
    close() {
      closed = true
      letGo()
    },
  }
}

/** The reason the scratch file could not be made or written to, for the log. */
export class NoRoomError extends AppError {
  constructor(cause: unknown) {
    super('unavailable', 'this file is temporarily unavailable; try again later', {
      retryAfterSeconds: 60,
      cause,
    })
    this.name = 'NoRoomError'
  }
}

function noRoom(error: unknown): never {
  throw new NoRoomError(error)
}

async function makePiece(
  ctx: PieceContext,
  made: {
    listing: Listing
    segment: Segment
    reads: Reads
    file: ScratchFile
    append(bytes: Buffer): Promise<number>
  },
): Promise<Piece> {
  const { segment, file, append } = made
  const { version } = segment
  const at = file.size()
  const hash = createHash('sha256')
  const members: number[] = []
  let validUntil = Number.POSITIVE_INFINITY
  let text = ''
  const write = async () => {
    const bytes = Buffer.from(text)
    text = ''
    hash.update(bytes)
    await append(bytes)
  }
  for await (const { id, entry } of entriesOf(ctx, made)) {
    // Asked before what is shown: a window that opens in between leaves a piece that is over at once.
    validUntil = Math.min(validUntil, ctx.offers.nextChange(id)?.getTime() ?? validUntil)
    text += entry()
    members.push(memberKey(id))
    if (text.length >= WRITE_BYTES) await write()
  }
  await write()
  return {
    version,
    file,
    at,
    length: file.size() - at,
    hash: hash.digest(),
    entries: members.length,
    members: Uint32Array.from(members),
    validUntil,
  }
}

type Entry = { id: string; entry(): string }

async function* entriesOf(
  { site, offers }: PieceContext,
  { listing, segment, reads }: { listing: Listing; segment: Segment; reads: Reads },
): AsyncGenerator<Entry> {
  const { addressEntry } = listing
  if (addressEntry) {
    const read = (after: string | null) =>
      reads((tx) => getAddressesInRange(tx, { range: segment, after, limit: ADDRESSES }))
    for await (const product of paged(read, ADDRESSES))
      yield { id: product.id, entry: () => addressEntry(site, withOffers(product, offers)) }
    return
  }
  const read = (after: string | null) =>
    reads((tx) => getProfilesInRange(tx, { range: segment, after, limit: PROFILES }))
  for await (const profile of paged(read, PROFILES))
    yield { id: profile.id, entry: () => listing.entry(site, withOffers(profile, offers)) }
}

async function* paged<T extends { slug: string }>(
  read: (after: string | null) => Promise<T[]>,
  size: number,
): AsyncGenerator<T> {
  for (let after: string | null = null; ; ) {
    const page: T[] = await read(after)
    yield* page
    after = page.at(-1)?.slug ?? null
    if (page.length < size) return
  }
}
