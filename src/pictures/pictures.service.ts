/**
 * Copies the pictures that products name. Addresses come from strangers, so each is fetched through the guarded way out,
 * redirects too, and what comes is judged by its bytes and encoded anew (decoder.ts). Every address ends as copied or as
 * refused with a reason; what may be a passing trouble is tried again, less and less often. A picture is fetched once for
 * all products that name its address, and an address that was copied is not looked at again.
 */
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { OutboundError, type OutboundReason } from '../lib/outbound.errors.ts'
import type { Outbound } from '../lib/outbound.ts'
import { type DecodedPicture, LIMITS, REFUSALS, type Refusal } from './decoder.limits.ts'
import type { Decoder } from './decoder.ts'
import { pictureName, readPictureName } from './picture.address.ts'
import {
  countFiles,
  countPictures,
  type DuePicture,
  findCopyOf,
  findDuePictures,
  findPicturesUnder,
  forgetCopies,
  hasPicture,
  insertUploaded,
  lockPicture,
  markCopied,
  markFailed,
  noteNamedPictures,
  retryRefused,
} from './pictures.queries.ts'
import {
  listFiles,
  PREFIXES,
  readPicture,
  removeOrphan,
  restoreUpload,
  type StoreContext,
  storePicture,
} from './store.ts'

export type PicturesContext = StoreContext & {
  baseUrl: string
  clock: Clock
  log: Log
  outbound: Outbound
  decoder: Decoder
}

const FETCH_MS = 20_000
const REDIRECTS = 4
const PRODUCTS_A_STEP = 2_000
const AT_ONCE = 3
const A_ROUND = 30
/** After so many tries a trouble counts as lasting. */
const TRIES = 5
const FIRST_DELAY_MS = 60_000
/** Shops repair pictures; what was refused is looked at again. */
const REFUSED_AGAIN_MS = 30 * 86_400_000

/** What may be better in a moment. */
const PASSING: ReadonlySet<string> = new Set<OutboundReason>(['dns', 'connect', 'tls', 'timeout', 'protocol'])

/** Notes every picture that products name and that is not known yet. */
export async function notePictures(ctx: PicturesContext, signal?: AbortSignal): Promise<void> {
  let after: string | null = null
  do {
    signal?.throwIfAborted()
    after = await noteNamedPictures(ctx.db, { after, limit: PRODUCTS_A_STEP, at: ctx.clock.now() })
  } while (after !== null)
}

/** Copies what is due, up to a number. Returns how many addresses it settled; 0 when nothing is due. */
export async function copyDuePictures(ctx: PicturesContext, signal?: AbortSignal): Promise<number> {
  const due = await findDuePictures(ctx.db, { at: ctx.clock.now(), limit: A_ROUND })
  const left = due.values()
  const lane = async () => {
    for (const picture of left) {
      signal?.throwIfAborted()
      await copyOne(ctx, picture, signal)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return due.length
}

async function copyOne(ctx: PicturesContext, picture: DuePicture, signal?: AbortSignal): Promise<void> {
  const { url } = picture
  const known = (await findCopyOf(ctx.db, url)) ?? uploadIn(ctx, url)
  if (known !== null && (await reuse(ctx, url, known))) return
  const fetched = await fetchPicture(ctx, url, signal)
  if ('reason' in fetched) return fail(ctx, picture, fetched)
  const decoded = await ctx.decoder.decode(fetched.bytes, signal)
  if ('refused' in decoded) return fail(ctx, picture, { reason: decoded.refused, isPassing: false })
  const at = ctx.clock.now()
  await storePicture(ctx, decoded.picture, { at, use: (tx, hash) => markCopied(tx, { url, hash, at }) })
}

/** An address of ours names an upload, perhaps one that moved here with its proposal from another product. */
function uploadIn({ baseUrl }: PicturesContext, url: string): string | null {
  const start = `${baseUrl}/pictures/`
  return url.startsWith(start) ? (readPictureName(url.slice(start.length))?.hash ?? null) : null
}

/** False when it is gone. */
async function reuse(ctx: PicturesContext, url: string, hash: string): Promise<boolean> {
  const at = ctx.clock.now()
  return ctx.db.transaction().execute(async (tx) => {
    await lockPicture(tx, hash)
    if (!(await hasPicture(tx, hash)) || (await readPicture(ctx.folder, hash)) === null) return false
    await markCopied(tx, { url, hash, at })
    return true
  })
}

/** Keeps a picture that somebody uploaded for a product, by the address that it gets here. */
export async function keepUpload(
  ctx: PicturesContext,
  picture: DecodedPicture,
  { productId, urlOf }: { productId: string; urlOf(hash: string): string },
): Promise<string> {
  const at = ctx.clock.now()
  const use = (tx: StoreContext['db'], hash: string) =>
    insertUploaded(tx, { productId, url: urlOf(hash), hash, at })
  return storePicture(ctx, picture, { at, keepBytes: true, use })
}

type Failure = { reason: string; isPassing: boolean }

async function fetchPicture(
  { outbound }: PicturesContext,
  url: string,
  signal?: AbortSignal,
): Promise<{ bytes: Buffer } | Failure> {
  try {
    const { status, body } = await outbound.request({
      url,
      headers: { accept: 'image/jpeg, image/png, image/webp, image/avif, image/gif', 'user-agent': 'Souk' },
      timeoutMs: FETCH_MS,
      maxBytes: LIMITS.bytes,
      redirects: REDIRECTS,
      signal,
    })
    if (status === 200) return { bytes: body }
    return { reason: `http_${status}`, isPassing: status >= 500 || status === 429 || status === 408 }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    signal?.throwIfAborted()
    if (error.reason === 'aborted') throw error
    return { reason: error.reason, isPassing: PASSING.has(error.reason) }
  }
}

async function fail(ctx: PicturesContext, picture: DuePicture, failure: Failure): Promise<void> {
  const { reason, isPassing } = failure
  const attempts = picture.attempts + 1
  const isOver = !isPassing || attempts >= TRIES
  const delayMs = isOver ? REFUSED_AGAIN_MS : FIRST_DELAY_MS * 4 ** picture.attempts
  const at = ctx.clock.now()
  await markFailed(ctx.db, {
    at,
    url: picture.url,
    state: isOver ? 'refused' : 'waiting',
    reason,
    attempts: isOver ? 0 : attempts,
    dueAt: new Date(at.getTime() + delayMs),
  })
}

/** Fetches what was refused again with the next round. */
export async function retryRefusedPictures(ctx: Pick<PicturesContext, 'db' | 'clock'>): Promise<number> {
  return retryRefused(ctx.db, ctx.clock.now())
}

/**
 * Holds the folder against the rows. Files that no row knows are deleted; a picture whose files are not all there is
 * written again if a person uploaded it, and else fetched again.
 */
export async function reconcileFiles(
  ctx: Omit<PicturesContext, 'outbound' | 'decoder'>,
  signal?: AbortSignal,
) {
  const counts = { orphans: 0, lost: 0 }
  for (const prefix of PREFIXES) {
    signal?.throwIfAborted()
    const names = await listFiles(ctx.folder, prefix, Date.now())
    const known = await findPicturesUnder(ctx.db, prefix)
    const hashes = new Set(known.map(({ hash }) => hash))
    const unknown = new Set([...names].map((name) => readPictureName(name)?.hash ?? ''))
    for (const hash of unknown.difference(hashes)) if (await removeOrphan(ctx, hash)) counts.orphans++
    for (const { hash, widths } of known) {
      if ([undefined, ...widths].every((width) => names.has(pictureName(hash, width)))) continue
      if (await restoreUpload(ctx, hash)) continue
      counts.lost++
      await ctx.db.transaction().execute((tx) => forgetCopies(tx, { hash, at: ctx.clock.now() }))
    }
  }
  return counts
}

export type PicturesStatus = Awaited<ReturnType<typeof picturesStatus>>

export async function picturesStatus(db: PicturesContext['db']) {
  const rows = await countPictures(db)
  const sum = (state: string, reason?: string) =>
    rows
      .filter((row) => row.state === state && (reason === undefined || row.reason === reason))
      .reduce((total, { count }) => total + count, 0)
  const reasons = [...new Set(rows.flatMap(({ reason }) => reason ?? []))]
    .map((reason) => ({
      reason,
      words: reasonWords(reason),
      waiting: sum('waiting', reason),
      refused: sum('refused', reason),
    }))
    .toSorted((a, b) => b.refused + b.waiting - a.refused - a.waiting)
  return {
    copied: sum('copied'),
    waiting: sum('waiting'),
    refused: sum('refused'),
    ...(await countFiles(db)),
    /** Why pictures are refused or still wait, the most frequent first. */
    reasons,
  }
}

const FETCH_WORDS: Record<Exclude<OutboundReason, Refusal | 'aborted'>, string> = {
  invalid_url: 'the address is not valid',
  scheme: 'the address does not start with https://',
  private_address: 'the address is or leads to a private or reserved one',
  dns: 'the host has no address',
  connect: 'the host does not answer',
  tls: 'the connection is not secure',
  timeout: 'the answer takes too long',
  redirect: 'there are too many redirects, or one leads nowhere',
  encoding: 'the answer is compressed, which was not requested',
  protocol: 'the answer is no complete HTTP',
}

export function reasonWords(reason: string): string {
  const words: Record<string, string> = {
    ...FETCH_WORDS,
    ...REFUSALS,
    lost: 'the file was lost and is fetched again',
  }
  return words[reason] ?? `the host answered with ${reason.replace('http_', 'status ')}`
}

/** For who brought it. */
export function refusalError(refused: Refusal, field: string): AppError {
  const kind = refused === 'too_large' ? 'too_large' : 'invalid'
  return new AppError(kind, `${field}: ${REFUSALS[refused]}`, { field })
}
