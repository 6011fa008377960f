/**
 * XML of strangers as a stream of tags, for readers that hold one item at a time. Entities that a document declares for
 * itself are never expanded; those of HTML, which many feeds use without declaring them, are the letters they are in
 * HTML. Nothing is ever fetched, and depth, attributes and the length of a text are bounded. Past a syntax error XML has
 * no meaning, so a reader keeps what came before, reports the line and ends.
 */
import { TextDecoder } from 'node:util'
import { Parser } from 'htmlparser2'
import { SaxesParser, type SaxesTagNS } from 'saxes'
import { type ByteStream, normalizeText, peek } from './bytes.ts'
import {
  MAX_ATTRIBUTES,
  MAX_DEPTH,
  MAX_RECORD_SIZE,
  problemRow,
  type ReaderOptions,
  RUNAWAY_SIZE,
  type SourceRow,
} from './rows.ts'
import { excerpt } from './values.ts'

export const GOOGLE_NAMESPACE = 'http://base.google.com/ns/1.0'

const MALFORMED_FIX = 'escape & and < in texts, write entities as numbers (&#160;), and close every tag'

/** What a reader makes of the tags. The root is at depth 1. */
export type XmlReader = {
  /** Words for what ends the file here. */
  open(tag: SaxesTagNS, depth: number, line: number): { problem: string; fix: string } | null
  text(text: string): void
  close(depth: number): SourceRow | null
}

/** Leaves the parser in the middle of a tag: what follows is not looked at. */
class EnoughRead extends Error {}

/** The text of a document that may be XML, in the encoding that it declares, and how it starts. */
export async function openXml(
  input: ByteStream,
  size: number,
  { encoding, onNotice }: ReaderOptions = {},
): Promise<{ head: Buffer; stream: ByteStream } | { problem: SourceRow }> {
  const raw = await peek(input, 256)
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']+)/.exec(raw.head.toString('latin1'))?.[1]
  // What is declared as Unicode is looked at like any other text: many declare it and write something else.
  const stated = encoding ?? (declared === undefined || /^utf-?(8|16)/i.test(declared) ? undefined : declared)
  if (encoding === undefined && stated !== undefined && !isEncoding(stated)) {
    const problem = problemRow(
      1,
      null,
      `is in the unknown encoding "${excerpt(stated)}"`,
      'save the feed as UTF-8',
    )
    await raw.stream[Symbol.asyncIterator]().return?.()
    return { problem }
  }
  return peek(normalizeText(raw.stream, { encoding: stated, onNotice }), size)
}

function isEncoding(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== ''
  } catch {
    return false
  }
}

/** Of text in UTF-8, as `openXml` gives it. */
export async function* readXml(
  input: ByteStream,
  reader: XmlReader,
  runawaySize = RUNAWAY_SIZE,
): AsyncGenerator<SourceRow> {
  const { stream } = await peek(input, 256)
  const decoder = new TextDecoder()
  const document = openDocument(reader, runawaySize)
  let isFirst = true
  for await (const piece of stream) {
    const text = decoder.decode(piece, { stream: true })
    // Nothing may stand before the declaration, but blank lines often do.
    document.write(isFirst ? text.replace(/^\s+(?=<\?xml)/, (blank) => document.passLines(blank)) : text)
    isFirst = false
    yield* document.takeRows()
    if (document.hasEnded()) return
  }
  document.write(decoder.decode())
  document.close()
  yield* document.takeRows()
}

function openDocument(reader: XmlReader, runawaySize: number) {
  let rows: SourceRow[] = []
  let hasEnded = false
  let depth = 0
  let linesBefore = 0
  let tagLine = 1
  let tagName = ''
  let attributes = 0
  let lastEvent = 0

  const parser = createParser()
  const lineNow = () => parser.line + linesBefore
  const end = (line: number, problem: string, fix: string) => {
    if (!hasEnded) rows.push(problemRow(line, null, `${problem}, so nothing after it was read`, fix))
    hasEnded = true
  }
  const endIfRunaway = (length: number) => {
    if (length <= runawaySize) return
    end(
      lineNow(),
      `is within a text or tag of over ${runawaySize / MAX_RECORD_SIZE} MB`,
      'look for a tag, comment or CDATA that is not closed',
    )
  }
  const passed = () => {
    endIfRunaway(parser.position - lastEvent)
    lastEvent = parser.position
  }
  const onText = (text: string) => {
    passed()
    if (!hasEnded) reader.text(text)
  }

  parser.on('opentagstart', ({ name }) => {
    // A name ended by a line break has been read past it.
    tagLine = parser.column === 0 ? lineNow() - 1 : lineNow()
    tagName = excerpt(name)
    attributes = 0
  })
  parser.on('attribute', () => {
    attributes += 1
    if (attributes <= MAX_ATTRIBUTES) return
    const fix = 'write each fact as an element of its own, as in <g:price>'
    end(tagLine, `gives the element "${tagName}" over ${MAX_ATTRIBUTES} attributes`, fix)
    // At once: a tag may go on for as long as the file does.
    throw new EnoughRead()
  })
  parser.on('opentag', (tag) => {
    passed()
    if (hasEnded) return
    depth += 1
    if (depth > MAX_DEPTH) {
      end(tagLine, `nests elements over ${MAX_DEPTH} deep`, 'send a feed with one element a product')
      return
    }
    const refused = reader.open(tag, depth, tagLine)
    if (refused) end(tagLine, refused.problem, refused.fix)
  })
  parser.on('closetag', () => {
    passed()
    if (hasEnded) return
    const row = reader.close(depth)
    if (row) rows.push(row)
    depth -= 1
  })
  parser.on('text', onText)
  parser.on('cdata', onText)
  parser.on('comment', passed)
  parser.on('doctype', passed)
  parser.on('processinginstruction', passed)
  parser.on('error', (error) => {
    // Without what it quotes: the reader of a message may have no right to the file.
    const reason = error.message.replace(/^\d+:\d+: /, '').replace(/:.*$|\.$/s, '')
    end(lineNow(), `is malformed XML (${reason})`, MALFORMED_FIX)
  })

  return {
    passLines(blank: string): string {
      linesBefore = blank.split('\n').length - 1
      return ''
    },
    write(text: string) {
      if (hasEnded) return
      try {
        parser.write(text)
      } catch (error) {
        if (!(error instanceof EnoughRead)) throw error
      }
      endIfRunaway(parser.position - lastEvent)
    },
    close() {
      if (!hasEnded) parser.close()
    },
    takeRows(): SourceRow[] {
      const taken = rows
      rows = []
      return taken
    },
    hasEnded: () => hasEnded,
  }
}

/** For the start of a document as well, which may be cut off anywhere. */
export function createParser() {
  const parser = new SaxesParser({
    xmlns: true,
    // Many feeds use g: without declaring it.
    resolvePrefix: (prefix: string) => (prefix === 'g' ? GOOGLE_NAMESPACE : `undeclared:${prefix}`),
  })
  parser.ENTITIES = Object.setPrototypeOf(
    { amp: '&', gt: '>', lt: '<', quot: '"', apos: "'" },
    new Proxy(Object.create(null), { get: (_, name) => htmlLetters(name) }),
  )
  return parser
}

/** Undefined for a name that HTML does not know. */
function htmlLetters(name: string | symbol): string | undefined {
  if (typeof name !== 'string' || !/^[a-z][a-z0-9]{1,31}$/i.test(name)) return undefined
  let text = ''
  const parser = new Parser({ ontext: (part) => (text += part) })
  parser.end(`&${name};`)
  // A name that only starts like a known one keeps its end.
  return text.endsWith(';') ? undefined : text
}
