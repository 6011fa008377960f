/**
 * Files over the whole catalog: llms.txt, the feeds, the sitemap. Each is kept as pieces, one a segment of the catalog,
 * made when somebody asks and made again only where something changed. An answer is put together from pieces that are
 * all fresh at one moment, with a tag that is true to its bytes. When too many are missing, as after a start over a large
 * catalog, the answer begins at once and the pieces are sent as they are made, and kept for the next.
 *
 * Pieces are made one at a time over all listings, each for the first who asks; a client that leaves asks for no more.
 * A file that is whole waits for nobody. Nothing is waited for without end: not the database, not a turn, not a client.
 * A product that moves is, until the log of changes says so, where it was; a long first answer may have passed
 * the place it moved to.
 */
import os from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, Hono } from 'hono'
import type { ChangeEvent } from '../../../catalog/changes.follower.ts'
import type { HttpEnv } from '../../../http/env.ts'
import { respondEnvelope } from '../../../http/error-response.ts'
import { inTime, joinAbort } from '../../../lib/abort.ts'
import { AppError } from '../../../lib/errors.ts'
import { createSerialQueue } from '../../../lib/limit.ts'
import type { Log } from '../../../lib/log.ts'
import { createHolds, type Holds, openScratchFile, type ScratchFile } from '../../../lib/scratch-file.ts'
import { assemble, type ListingFiles, piecePart, textPart } from './assemble.ts'
import { type Bytes, readPart } from './bytes.ts'
import type { Listing } from './listing.ts'
import { createPieceStore, NoRoomError, type Piece, type PieceContext, type PieceStore } from './pieces.ts'
import { readInTime } from './read-in-time.ts'
import { createSegments, type Segment, type Shape } from './segments.ts'
import { createCompressors, type Sending, sendAsMade, sendFile } from './send.ts'

export type ListingsOptions = PieceContext & {
  log: Log
  listings: readonly Listing[]
  /** Where the scratch files are. */
  dir?: string
  /** Products of a segment, about. */
  segmentSize?: number
  /** With more pieces missing than this, the answer begins before they are made. */
  mostMissing?: number
  /** Scratch files below this are never tidied up. */
  compactBytes?: number
  openFile?(dir: string): Promise<ScratchFile>
  /** How long an answer may take to begin. */
  beginMs?: number
  /** How long a client may take nothing before it is let go. */
  patienceMs?: number
  /** How long stopping waits for what is being made. */
  stopMs?: number
}

export type Listings = {
  mount(app: Hono<HttpEnv>): void
  /** Only marks what is stale. Call after the live offers have taken in the same events. */
  apply(events: ChangeEvent[]): void
  /** Waits a little for what is under way, and for a database that does not answer no longer than that. */
  stop(): Promise<void>
}

/** Under a stream of changes something is always stale; what was made for this answer is fresh enough. */
const ROUNDS = 1
/** For the first byte of an answer: a client that would wait for longer is sent away, to come back. */
const BEGIN_MS = 5_000
const BUSY = 'the catalog is changing too fast to build this file; try again shortly'
/** Pieces that are made in one go; others wait for their turn meanwhile. */
const GROUP = 8
const GONE = 499
const PATIENCE_MS = 60_000
const MOST_COMPRESSED = 2
/** For others to be done, one or a few pieces each. */
const TURN_MS = 30_000
const STOP_MS = 2_000
const RETRY_SECONDS = 10

export function createListings(options: ListingsOptions): Listings {
  const { log, site, mostMissing = 64, segmentSize = 256, compactBytes = 16 * 1024 * 1024 } = options
  const {
    dir = os.tmpdir(),
    openFile = openScratchFile,
    patienceMs = PATIENCE_MS,
    beginMs = BEGIN_MS,
    stopMs = STOP_MS,
  } = options
  const segments = createSegments(options, segmentSize)
  const turns = createSerialQueue(TURN_MS)
  const compressors = createCompressors(MOST_COMPRESSED)
  const stores = new Map(
    options.listings.map((listing) => [
      listing,
      createPieceStore(options, listing, { openFile: () => openFile(dir), compactBytes }),
    ]),
  )
  let noRoomTold = false

  function make(store: PieceStore, segment: Segment, signal: AbortSignal, holds?: Holds): Promise<Piece> {
    return turns.run(async () => {
      signal.throwIfAborted()
      const piece = await store.make(segment)
      holds?.add(piece.file)
      return piece
    })
  }

  /** Several within one transaction: most of what a small piece costs is beginning and ending its own. */
  function makeGroup(store: PieceStore, group: readonly Segment[], signal: AbortSignal): Promise<void> {
    return turns.run(async () => {
      if (group.every(store.fresh)) return
      await readInTime(options, async (tx) => {
        for (const segment of group) {
          signal.throwIfAborted()
          await store.make(segment, (work) => work(tx))
        }
      })
    })
  }

  /**
   * `use` is called at the moment the files are put together, so that nothing can come between that and holding them.
   * Without an answer to `muchMissing`, all is made first.
   */
  async function withFresh<T>(
    wanted: { listing: Listing; store: PieceStore; signal: AbortSignal },
    use: { files(files: ListingFiles): T; muchMissing(shape: Shape): T | null },
  ): Promise<T> {
    const { listing, store, signal } = wanted
    for (let round = 1; ; round++) {
      const shape = segments.settled() ?? (await turns.run(segments.settle))
      const all = shape.groups.flatMap((group) => group.segments)
      const missing = all.filter((segment) => !store.fresh(segment))
      if (missing.length === 0 || (round > ROUNDS && all.every(store.kept)))
        return use.files(assemble(listing, site, shape, (segment) => required(store.kept(segment))))
      const early = missing.length > mostMissing ? use.muchMissing(shape) : null
      if (early !== null) return early
      for (let at = 0; at < missing.length; at += GROUP)
        await makeGroup(store, missing.slice(at, at + GROUP), signal)
      noRoomTold = false
    }
  }

  async function* makeBytes(
    listing: Listing,
    { store, shape, holds, signal }: { store: PieceStore; shape: Shape; holds: Holds; signal: AbortSignal },
  ): Bytes {
    yield* readPart(textPart(listing.head(site, shape.overview)))
    for (const { category, segments: inside } of shape.groups) {
      let begun = false
      for (const segment of inside) {
        const piece = await make(store, segment, signal, holds)
        if (piece.entries === 0) continue
        if (!begun) yield* readPart(textPart(listing.section?.(site, category) ?? ''))
        begun = true
        yield* readPart(piecePart(piece))
      }
    }
    yield* readPart(textPart(listing.foot?.(site) ?? ''))
    noRoomTold = false
    tidyUp(listing, store)
  }

  function tidyUp(listing: Listing, store: PieceStore): void {
    const wanted = () => {
      const shape = segments.shape()
      return shape !== null && store.wantsCompaction(shape) ? shape : null
    }
    if (!wanted()) return
    const tidied = turns.run(async () => {
      const shape = wanted()
      if (shape) await store.compact(shape)
    })
    tidied.catch((error) => log.warn({ err: error, path: listing.path }, 'could not clean up a listing'))
  }

  async function answer(c: Context<HttpEnv>, listing: Listing, store: PieceStore): Promise<Response> {
    const { signal } = c.req.raw
    const path = c.req.path.replace(/\/$/, '')
    const part = path === listing.path ? null : Number(/\d+/.exec(path)?.[0])
    if (part !== null && (part < 1 || listing.split?.partPath(part) !== path)) return c.notFound()
    const sending: Sending = {
      listing,
      compressors,
      patienceMs,
      onError(error) {
        if (error instanceof NoRoomError) tellOfNoRoom(error)
        else c.get('log').error({ err: error, path: c.req.path }, 'a listing was interrupted')
      },
    }
    // Nobody asks for more pieces once nobody waits for this answer; what is being made is made, for the next who asks.
    const asking = joinAbort([signal])
    try {
      const fresh = withFresh<Response | Promise<Response>>(
        { listing, store, signal: asking.signal },
        {
          files(files) {
            const file = files.get(path)
            return file ? sendFile(c, file, sending) : c.notFound()
          },
          muchMissing(shape) {
            // A part begins with a segment. How many parts there are is known only when all of it is there.
            if (part !== null && part > shape.groups.flatMap((group) => group.segments).length)
              return c.notFound()
            if (listing.split && (part !== null || c.req.method !== 'HEAD')) return null
            const holds = createHolds()
            return sendAsMade(
              c,
              { bytes: makeBytes(listing, { store, shape, holds, signal }), holds },
              sending,
            )
          },
        },
      )
      const response = await inTime(fresh, beginMs, () => new AppError('unavailable', BUSY))
      tidyUp(listing, store)
      return response
    } catch (error) {
      asking.abort()
      // Nobody is there to hear it, and nothing went wrong.
      if (signal.aborted) return new Response(null, { status: GONE })
      if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error
      if (error instanceof NoRoomError) tellOfNoRoom(error)
      else c.get('log').warn({ err: error.cause ?? error, path }, 'a listing has to wait')
      c.header('Retry-After', String(error.retryAfterSeconds ?? RETRY_SECONDS))
      return respondEnvelope(c, error)
    } finally {
      asking.letGo()
    }
  }

  /** Once, until a file could be made again: each request would fill the log, and perhaps the disk with it. */
  function tellOfNoRoom({ cause }: NoRoomError): void {
    if (!noRoomTold)
      log.error({ err: cause, dir }, 'listings cannot be stored: no space, or no permission to write')
    noRoomTold = true
  }

  return {
    mount(app) {
      for (const [listing, store] of stores) {
        const handle = (c: Context<HttpEnv>) => answer(c, listing, store)
        app.get(listing.path, handle)
        if (listing.split) app.get(partRoute(listing.split.partPath), handle)
      }
    },
    apply: segments.mark,
    async stop() {
      const done = new AbortController()
      await Promise.race([
        turns.close().finally(() => done.abort()),
        sleep(stopMs, null, { signal: done.signal }).catch(() => {}),
      ])
      for (const store of stores.values()) store.close()
    },
  }
}

/** The route of all parts, from how one of them is named. */
function partRoute(partPath: (part: number) => string): string {
  const [before, after] = partPath(7).split('7')
  if (before === undefined || after === undefined) throw new Error('a part is named by its number')
  return `${before}:part{[0-9]+${after.replaceAll('.', '\\.')}}`
}

function required(piece: Piece | null): Piece {
  if (!piece) throw new Error('a listing was put together before its pieces were made')
  return piece
}
