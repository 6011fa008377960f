/**
 * Google Merchant feeds, the format every shop already has: XML (see google-xml) or delimited text with a
 * header row. Both come to the same attributes, and one mapping (see google-product) turns those into products.
 */
import type { ByteStream } from './bytes.ts'
import { readDelimited } from './delimited.ts'
import { GOOGLE_FIELDS, type GoogleDetail, type GoogleItem, googleRow } from './google-product.ts'
import { readGoogleXml } from './google-xml.ts'
import { withDifferences } from './groups.ts'
import type { ReaderOptions, RowNote, SourceRow } from './rows.ts'
import { splitUrls } from './values.ts'
import { openXml } from './xml.ts'

export async function* readGoogle(input: ByteStream, options: ReaderOptions = {}): AsyncGenerator<SourceRow> {
  const now = options.now ?? new Date()
  const opened = await openXml(input, 256, options)
  if ('problem' in opened) {
    yield opened.problem
    return
  }
  const { head, stream } = opened
  const isXml = head.toString('latin1').trimStart().startsWith('<')
  yield* withDifferences(isXml ? readGoogleXml(stream, now) : readText(stream, now))
}

/** "Product detail(section_name:attribute_name:attribute_value)", "g:image link" and "image_link" are all in use. */
export function googleAttribute(column: string): string {
  const [name = ''] = column.toLowerCase().split(/[([]/)
  return name.trim().replace(/^g:/, '').replace(/\s+/g, '_')
}

async function* readText(input: ByteStream, now: Date): AsyncGenerator<SourceRow> {
  let attributes: string[] | null = null
  for await (const row of readDelimited(input)) {
    if ('problem' in row) yield row
    else if (attributes)
      yield { ...googleRow(readItem(row.line, row.cells, attributes), now), ...notesOf(row) }
    else attributes = row.cells.map(googleAttribute)
  }
}

function notesOf({ notes }: { notes?: RowNote[] }): { notes?: RowNote[] } {
  return notes ? { notes } : {}
}

function readItem(line: number, cells: readonly string[], attributes: readonly string[]): GoogleItem {
  const fields = new Map<string, string[]>()
  const details: GoogleDetail[] = []
  attributes.forEach((attribute, column) => {
    const text = cells[column]?.trim() ?? ''
    if (text === '') return
    if (attribute === 'product_detail') details.push(...splitQuoted(text).flatMap(readDetail))
    else if (GOOGLE_FIELDS.has(attribute)) {
      const values = fields.get(attribute) ?? []
      values.push(...splitValues(attribute, text))
      fields.set(attribute, values)
    }
  })
  return { line, fields, details }
}

function splitValues(attribute: string, text: string): string[] {
  if (attribute === 'additional_image_link') return splitUrls(text)
  if (attribute === 'product_highlight' && text.startsWith('"')) return splitQuoted(text)
  return [text]
}

/** A repeated value within one cell: `"one","two, with a comma"` or `one,two`. */
function splitQuoted(text: string): string[] {
  return [...text.matchAll(/"((?:[^"]|"")*)"|[^",]+/g)]
    .map(([whole, quoted]) => (quoted ?? whole).replaceAll('""', '"').trim())
    .filter((entry) => entry !== '')
}

function readDetail(text: string): GoogleDetail[] {
  const [section = '', name = '', ...value] = text.split(':').map((part) => part.trim())
  return name !== '' && value.length > 0 ? [{ section, name, value: value.join(':') }] : []
}
