/**
 * The one door to the import readers: a stream of bytes and the name of its format in, rows out. Gzip is
 * undone on the way, whatever the format, up to a bound, since a small file can unpack to a very large one.
 */
import { pipeline, Readable } from 'node:stream'
import { constants, createGunzip, gunzipSync } from 'node:zlib'
import { AppError } from '../../lib/errors.ts'
import { isBigCommerceHeader, readBigCommerce } from './bigcommerce.ts'
import { type ByteStream, decodeStart, peek } from './bytes.ts'
import { readCsv } from './csv.ts'
import { isTitleColumn } from './csv-columns.ts'
import { type DelimitedRow, detectDelimiter, headerNames, readDelimited } from './delimited.ts'
import { googleAttribute, readGoogle } from './google.ts'
import { readJsonl } from './jsonl.ts'
import { isMagentoHeader, readMagento } from './magento.ts'
import type { ImportFormat, ReaderOptions, SourceRow } from './rows.ts'
import { isShopifyHeader, readShopify } from './shopify.ts'
import { isWooHeader, readWoo } from './woocommerce.ts'

const MAX_INFLATED_BYTES = 2 * 1024 ** 3

export type ReadRowsOptions = ReaderOptions & {
  format: ImportFormat
  /** How much a gzip file may unpack to, in bytes. */
  maxInflatedBytes?: number
}

export async function* readRows(input: ByteStream, options: ReadRowsOptions): AsyncGenerator<SourceRow> {
  const { head, stream } = await peek(input, 2)
  const bytes = isGzip(head) ? inflate(stream, options.maxInflatedBytes ?? MAX_INFLATED_BYTES) : stream
  if (options.format !== 'csv' && Object.keys(options.mapping ?? {}).length > 0) {
    options.onNotice?.(`The mapping is for CSV files; a ${options.format} file is read by its own names.`)
  }
  switch (options.format) {
    case 'jsonl':
      return yield* readJsonl(bytes)
    case 'csv':
      return yield* readCsv(bytes, options)
    case 'google':
      return yield* readGoogle(bytes, options)
    case 'shopify':
      return yield* readShopify(bytes, options)
    case 'woocommerce':
      return yield* readWoo(bytes, options)
    case 'magento':
      return yield* readMagento(bytes, options)
    case 'bigcommerce':
      return yield* readBigCommerce(bytes, options)
  }
}

/** A sheet as it stands, the header first: what its columns mean is not asked. */
export async function* readCells(
  input: ByteStream,
  { maxInflatedBytes }: { maxInflatedBytes: number },
): AsyncGenerator<DelimitedRow> {
  const { head, stream } = await peek(input, 2)
  yield* readDelimited(isGzip(head) ? inflate(stream, maxInflatedBytes) : stream, { keepCells: true })
}

/** What stands between the cells of a sheet. */
export function delimiterOf(firstBytes: Uint8Array): string {
  return detectDelimiter(startOfText(firstBytes))
}

/** By what the file starts with, then by its name. Null when it is none of ours. */
export function detectFormat(fileName: string, firstBytes: Uint8Array): ImportFormat | null {
  const extension = /\.([a-z]+)(?:\.gz)?$/i.exec(fileName)?.[1]?.toLowerCase() ?? ''
  const text = startOfText(firstBytes).trimStart()
  if (extension === 'jsonl' || extension === 'ndjson') return 'jsonl'
  if (text.startsWith('<')) {
    return /<(rss|feed|rdf:rdf)[\s>]/i.test(text) || (extension === 'xml' && /^<\?xml/.test(text))
      ? 'google'
      : null
  }
  if (text.startsWith('{')) {
    const [firstLine = '', ...others] = text.split('\n')
    // An object over several lines is JSON, not JSONL.
    return others.length === 0 || firstLine.trimEnd().endsWith('}') ? 'jsonl' : null
  }
  // Spreadsheets in their own format, pictures and the like hold zero bytes; text does not.
  if (text.includes('\0')) return null
  const names = headerNames(text)
  if (isShopifyHeader(names)) return 'shopify'
  if (isWooHeader(names)) return 'woocommerce'
  if (isMagentoHeader(names)) return 'magento'
  if (isBigCommerceHeader(names)) return 'bigcommerce'
  if (isGoogleHeader(names, detectDelimiter(text))) return 'google'
  const isCsv = ['csv', 'tsv', 'txt'].includes(extension) || names.some(isTitleColumn)
  return isCsv && names.length > 1 ? 'csv' : null
}

function isGoogleHeader(names: readonly string[], delimiter: string): boolean {
  const attributes = new Set(names.map(googleAttribute))
  const hasBasics = ['id', 'title', 'link', 'price'].every((attribute) => attributes.has(attribute))
  return hasBasics && (delimiter === '\t' || attributes.has('image_link'))
}

function startOfText(firstBytes: Uint8Array): string {
  let bytes = firstBytes
  if (isGzip(bytes)) {
    try {
      // Unpacks at most a thousandfold, so what is taken of it bounds what comes out.
      bytes = gunzipSync(bytes.subarray(0, 4096), { finishFlush: constants.Z_SYNC_FLUSH })
    } catch {
      return ''
    }
  }
  return decodeStart(bytes).replace(/\r\n?/g, '\n')
}

function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b
}

async function* inflate(input: ByteStream, maxBytes: number): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip()
  // What goes wrong upstream is thrown by the loop below.
  pipeline(Readable.from(input), gunzip, () => {})
  let size = 0
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > maxBytes) {
        throw new AppError('too_large', `The gzip file unpacks to more than ${maxBytes} bytes. Split it.`, {
          code: 'body_too_large',
          max: maxBytes,
        })
      }
      yield chunk
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
      throw new AppError('invalid', 'The gzip file is damaged or incomplete.', { cause: error })
    }
    throw error
  }
}
