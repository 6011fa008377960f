/**
 * The way to all import readers: a stream of bytes and the name of its format in, rows out. Gzip and zip are undone on
 * the way, whatever the format, up to a bound, since a small file can unpack to a very large one.
 */
import { pipeline, Readable } from 'node:stream'
import { constants, createGunzip, gunzipSync } from 'node:zlib'
import { parseJson } from '../../lib/bounded-json.ts'
import { AppError } from '../../lib/errors.ts'
import { isBigCommerceHeader, readBigCommerce } from './bigcommerce.ts'
import { type ByteStream, decodeStart, normalizeText, peek } from './bytes.ts'
import { readCsv } from './csv.ts'
import { isTitleColumn } from './csv-columns.ts'
import { type DelimitedRow, detectDelimiter, headerNames, readDelimited } from './delimited.ts'
import { googleAttribute, readGoogle } from './google.ts'
import { findList } from './json-elements.ts'
import { readJson, readJsonl, readPage } from './json-readers.ts'
import { isMagentoHeader, readMagento } from './magento.ts'
import { readPortalXml } from './portal-xml.ts'
import { IMPORT_FORMATS, type ImportFormat, type ReaderOptions, type SourceRow } from './rows.ts'
import { isShopifyHeader, readShopify } from './shopify.ts'
import { excerpt } from './values.ts'
import { isWooHeader, readWoo } from './woocommerce.ts'
import {
  checkUnpacked,
  firstEntry,
  isArchive,
  isZip,
  officeFile,
  officeWords,
  unzip,
  zipHeader,
} from './zip.ts'

const MAX_INFLATED_BYTES = 2 * 1024 ** 3

export type ReadRowsOptions = ReaderOptions & {
  format: ImportFormat
  /** How much a gzip file may unpack to, in bytes. */
  maxInflatedBytes?: number
}

export async function* readRows(input: ByteStream, options: ReadRowsOptions): AsyncGenerator<SourceRow> {
  const { format, mapping = {}, onNotice } = options
  const bytes = await unpacked(input, options.maxInflatedBytes ?? MAX_INFLATED_BYTES)
  if (!MAPPED.has(format) && Object.keys(mapping).length > 0) {
    onNotice?.(`The mapping was ignored: a ${format} file has fixed names.`)
  }
  yield* READERS[format](bytes, options)
}

type Reader = (input: ByteStream, options: ReaderOptions) => AsyncIterable<SourceRow>

const READERS: Record<ImportFormat, Reader> = {
  jsonl: readJsonl,
  json: readJson,
  jsonld: readLinkedData,
  csv: readCsv,
  google: readGoogle,
  xml: readPortalXml,
  shopify: readShopify,
  woocommerce: readWoo,
  magento: readMagento,
  bigcommerce: readBigCommerce,
}

/** Formats whose names anybody chooses. */
const MAPPED: ReadonlySet<ImportFormat> = new Set(['csv', 'json', 'jsonl', 'xml'])

/** A document of its own, or pages of a shop. */
async function* readLinkedData(input: ByteStream, options: ReaderOptions): AsyncGenerator<SourceRow> {
  const { head, stream } = await peek(normalizeText(input, options), 256)
  yield* head.toString('latin1').trimStart().startsWith('<')
    ? readPage(stream, options)
    : readJson(stream, options)
}

async function unpacked(input: ByteStream, maxBytes: number): Promise<ByteStream> {
  const { head, stream } = await peek(input, 4)
  if (isZip(head))
    return unzip(stream, { maxBytes, isWanted: (name, start) => detectFormat(name, start) !== null })
  return isGzip(head) ? inflate(stream, maxBytes) : stream
}

/** A sheet as it stands, the header first: what its columns mean is not asked. */
export async function* readCells(
  input: ByteStream,
  { maxInflatedBytes }: { maxInflatedBytes: number },
): AsyncGenerator<DelimitedRow> {
  yield* readDelimited(await unpacked(input, maxInflatedBytes), { keepCells: true })
}

/** What stands between the cells of a sheet. */
export function delimiterOf(firstBytes: Uint8Array): string {
  return detectDelimiter(startOfContent('', firstBytes)?.text ?? '')
}

/** By what the file starts with, then by its name. Null for a kind that we do not read. */
export function detectFormat(fileName: string, firstBytes: Uint8Array): ImportFormat | null {
  const start = startOfContent(fileName, firstBytes)
  return start === null ? null : formatOf(start.name, start.text)
}

function formatOf(fileName: string, text: string): ImportFormat | null {
  const extension = /\.([a-z]+)(?:\.gz)?$/i.exec(fileName)?.[1]?.toLowerCase() ?? ''
  const first = text.trimStart()
  if (first.startsWith('<')) return markupFormat(first)
  if (/^[{[]/.test(first)) return jsonFormat(first, extension)
  if (first === '') return extension === 'jsonl' || extension === 'ndjson' ? 'jsonl' : null
  // Spreadsheets in their own format, pictures and the like hold zero bytes; text does not.
  if (first.includes('\0')) return null
  const names = headerNames(text)
  if (isShopifyHeader(names)) return 'shopify'
  if (isWooHeader(names)) return 'woocommerce'
  if (isMagentoHeader(names)) return 'magento'
  if (isBigCommerceHeader(names)) return 'bigcommerce'
  if (isGoogleHeader(names, detectDelimiter(text))) return 'google'
  const isCsv = ['csv', 'tsv', 'txt', 'tab'].includes(extension) || names.some(isTitleColumn)
  if (isCsv && names.length > 1) return 'csv'
  return extension === 'jsonl' || extension === 'ndjson' ? 'jsonl' : null
}

function markupFormat(text: string): ImportFormat | null {
  if (/^\s*(?:<!--[^>]*>\s*)*<(?:!doctype\s+html|html|head|body|script)\b/i.test(text.slice(0, 2_000)))
    return /application\/ld\+json/i.test(text) ? 'jsonld' : null
  // Behind the declaration, comments and the like.
  const root = /<([a-z_][\w.:-]*)/i.exec(text)?.[1]?.toLowerCase()
  if (root === undefined) return 'google'
  if (/^(rss|rdf:rdf)$/.test(root)) return 'google'
  if (root === 'feed')
    return /<entry[\s>]/i.test(text) || !/<(product|item|offer)[\s>]/i.test(text) ? 'google' : 'xml'
  return /^(urlset|sitemapindex|svg|plist|opml|xsl:stylesheet)$/.test(root) ? null : 'xml'
}

/** An object on a line of its own is JSONL; over several lines, in a list or with the list in it, JSON. */
function jsonFormat(text: string, extension: string): ImportFormat {
  const [firstLine = ''] = text.split('\n', 1)
  const others = text.slice(firstLine.length).trimStart()
  if (isWholeObject(firstLine) && others.startsWith('{')) return 'jsonl'
  const isLinked = /"@(?:type|graph)"\s*:/.test(text) && /schema\.org|"(?:schema:)?Product/.test(text)
  if (isLinked) return 'jsonld'
  if (text.startsWith('[') || findList(Buffer.from(text)) !== null) return 'json'
  const isNamedLines = ['jsonl', 'ndjson'].includes(extension) && firstLine.trim().length > 1
  return isWholeObject(firstLine) || isNamedLines ? 'jsonl' : 'json'
}

function isWholeObject(line: string): boolean {
  return line.startsWith('{') && parseJson(line) !== undefined
}

function isGoogleHeader(names: readonly string[], delimiter: string): boolean {
  const attributes = new Set(names.map(googleAttribute))
  const hasBasics = ['id', 'title', 'link', 'price'].every((attribute) => attributes.has(attribute))
  return hasBasics && (delimiter === '\t' || attributes.has('image_link'))
}

/** What a file is that we do not read, and what its owner can do. */
export function describeUnknown(fileName: string, firstBytes: Uint8Array): string {
  const bytes = Buffer.from(firstBytes)
  const choose = `If it does have products, choose how to read it with --format (${IMPORT_FORMATS.join(', ')}).`
  if (bytes.length === 0) return 'The file is empty.'
  if (isZip(bytes)) return describeZip(bytes)
  const kind = KINDS.find(({ start }) => bytes.indexOf(start, 0, 'latin1') === 0)
  if (kind) return kind.words
  const text = startOfContent(fileName, firstBytes)?.text.trimStart() ?? ''
  if (text === '') return 'The file has no text, or is damaged.'
  if (/^<(?:!doctype\s+html|html)/i.test(text))
    return 'This is a web page without product JSON-LD. Import an export from the shop instead.'
  if (text.startsWith('<'))
    return `This is XML, but <${excerpt(/<([a-z_][\w.:-]*)/i.exec(text)?.[1] ?? '')}> is not a product feed. ${choose}`
  if (text.includes('\0')) return 'This is not text. Export the products as CSV, and import that.'
  const [line = ''] = text.split('\n', 1)
  return `This is text, but its first line has no known columns: "${excerpt(line)}". ${choose}`
}

const SAVE_AS_CSV = officeWords('an Excel workbook')
const KINDS: readonly { start: string; words: string }[] = [
  { start: '\xd0\xcf\x11\xe0', words: SAVE_AS_CSV },
  { start: '%PDF', words: 'This is a PDF. Import the table or feed it was made from.' },
  { start: '\x89PNG', words: 'This is an image, not a product file.' },
  { start: '\xff\xd8\xff', words: 'This is an image, not a product file.' },
  { start: 'Rar!', words: 'This is a RAR archive. Unpack it and import the file inside.' },
  { start: '7z\xbc\xaf', words: 'This is a 7-Zip archive. Unpack it and import the file inside.' },
  {
    start: 'SQLite format',
    words: 'This is a database. Export its products as CSV or JSON, and import that.',
  },
]

function describeZip(bytes: Buffer): string {
  const header = zipHeader(bytes)
  const office = header && officeFile(header.name)
  if (office) return officeWords(office)
  if (header?.isEncrypted) return 'The zip file is encrypted. Unpack it and import the file itself.'
  const name = firstEntry(bytes)?.name
  return `This is a zip file${name === undefined ? '' : ` whose first file, "${excerpt(name)}", has no known product format`}. Unpack it and import the file itself.`
}

/** With the name of the file in a zip file. Null for what holds no such file. */
function startOfContent(fileName: string, firstBytes: Uint8Array): { name: string; text: string } | null {
  if (!isZip(firstBytes)) return { name: fileName, text: startOfText(firstBytes) }
  const entry = firstEntry(Buffer.from(firstBytes))
  if (!entry || officeFile(entry.name) || isArchive(entry.start)) return null
  return { name: entry.name, text: startOfText(entry.start) }
}

function startOfText(firstBytes: Uint8Array): string {
  let bytes = firstBytes
  if (isGzip(bytes)) {
    try {
      // Unpacks at most a thousandfold, so what is taken of it bounds what comes out.
      bytes = gunzipSync(bytes.subarray(0, 16 * 1024), { finishFlush: constants.Z_SYNC_FLUSH })
    } catch {
      return ''
    }
  }
  return decodeStart(bytes).replace(/\r\n?/g, '\n')
}

export function isPacked(head: Uint8Array): boolean {
  return isGzip(head) || isZip(head)
}

function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b
}

async function* inflate(input: ByteStream, maxBytes: number): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip()
  let packed = 0
  const counted = async function* () {
    for await (const chunk of input) {
      packed += chunk.length
      yield chunk
    }
  }
  // What goes wrong upstream is thrown by the loop below.
  pipeline(Readable.from(counted()), gunzip, () => {})
  let size = 0
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      size += chunk.length
      checkUnpacked('gzip', { size, packed, maxBytes })
      yield chunk
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
      throw new AppError('invalid', 'The gzip file is damaged or incomplete.', { cause: error })
    }
    throw error
  }
}
