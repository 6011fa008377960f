/**
 * Gets the file of a source: asks whether it has changed, follows redirects that are each checked anew, and stores what
 * comes with the run. A seller's address is a stranger's, so the operator's allow list opens nothing for it.
 */
import { inPieces, storeFile } from '../catalog/import-content.ts'
import { takeSourceFile } from '../catalog/import-files.service.ts'
import { sha256 } from '../lib/crypto.ts'
import { OutboundError } from '../lib/outbound.errors.ts'
import type { OutboundResponse } from '../lib/outbound.ts'
import type { SourcesContext } from './context.ts'
import { openCredentials } from './credentials.ts'
import { outboundSaid, type Said, statusSaid } from './source-words.ts'
import { findCredentialsBox, findOpenRun, updateFetched } from './sources.queries.ts'
import type { Run, Source } from './sources.schema.ts'

const REDIRECTS = 5
/** Longer ones are not sent back: no server needs them. */
const MAX_VALIDATOR = 500

/** Nothing came that could be taken; `said` is for the person. */
export class FetchFailed extends Error {
  readonly said: Said

  constructor(said: Said, options?: ErrorOptions) {
    super(said.message, options)
    this.said = said
  }
}

/** The run with its file, or why there is nothing new. */
export async function fetchFile(
  ctx: SourcesContext,
  source: Source,
  run: Run,
  signal: AbortSignal,
): Promise<{ run: Run } | { unchanged: string }> {
  if (run.fileId !== null || source.url === null) return { run }
  const { status, headers, body } = await get(ctx, source, run, signal)
  if (status === 304) return { unchanged: 'The file has not changed since the last run.' }
  if (status !== 200) throw new FetchFailed(statusSaid(status, source.auth))
  const contentHash = sha256(body).toString('hex')
  if (!run.dryRun) {
    if (contentHash === source.contentHash)
      return { unchanged: 'The file has not changed since the last run.' }
    if (contentHash === source.rejectedHash)
      return { unchanged: 'The file is still the one that you rejected.' }
    if (contentHash === (await findOpenRun(ctx.db, source.id, 'waiting'))?.contentHash)
      return { unchanged: 'The file is still the one that waits for your decision.' }
  }
  const fileName = URL.parse(source.url)?.pathname ?? ''
  const { id: fileId, sizeBytes } = await storeFile(ctx, { fileName, bytes: inPieces(body) })
  const fetched: Run = {
    ...run,
    fileId,
    bytes: sizeBytes,
    contentHash,
    etag: validator(headers.etag),
    lastModified: validator(headers['last-modified']),
  }
  await ctx.db.transaction().execute(async (tx) => {
    await takeSourceFile(tx, {
      ...{ id: fileId, sizeBytes, rules: source.rules, sourceId: source.id },
      at: ctx.clock.now(),
    })
    if (!(await updateFetched(tx, fetched))) throw new Error('the run ended while its file was fetched')
  })
  return { run: fetched }
}

async function get(
  ctx: SourcesContext,
  source: Source,
  run: Run,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const isSeller = source.orgId !== null
  const maxBytes = isSeller ? ctx.limits.sellerBytes : ctx.limits.maxBytes
  const timeoutMs = isSeller ? ctx.limits.sellerMs : ctx.limits.timeoutMs
  const isConditional = source.contentHash !== null && !run.dryRun
  try {
    return await ctx.outbound.request({
      url: source.url ?? '',
      headers: {
        accept: '*/*',
        ...(isConditional && source.etag !== null && { 'if-none-match': source.etag }),
        ...(isConditional && source.lastModified !== null && { 'if-modified-since': source.lastModified }),
        ...(await credentialsOf(ctx, source)),
      },
      ...{ timeoutMs, maxBytes, signal, redirects: REDIRECTS, mayBeGzip: true, publicOnly: isSeller },
    })
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof OutboundError) || error.reason === 'aborted') throw error
    throw new FetchFailed(outboundSaid(error, { maxBytes, timeoutMs, isSeller }), { cause: error })
  }
}

async function credentialsOf(ctx: SourcesContext, { id, auth }: Source): Promise<Record<string, string>> {
  const box = auth === 'none' ? null : await findCredentialsBox(ctx.db, id)
  if (box === null) return {}
  try {
    return openCredentials(ctx, box)
  } catch (error) {
    ctx.log.warn({ source: id }, 'the credentials of a source cannot be opened')
    throw new FetchFailed(
      {
        message:
          'The credentials cannot be opened with the secret of this service. The catalog stays as it was.',
        fix: 'Enter them again in the settings.',
      },
      { cause: error },
    )
  }
}

/** As the server wrote it, if it can be sent back. */
function validator(text: string | undefined): string | null {
  return text !== undefined && text.length <= MAX_VALIDATOR && /^[\x20-\x7e]+$/.test(text) ? text : null
}
