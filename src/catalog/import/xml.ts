/**
 * XML of strangers as a stream of tags, for readers that hold one item at a time. Entities that a document declares for
 * itself are never expanded; those of HTML, which many feeds use without declaring them, are the letters they are in
 * HTML. Signs that are not escaped stand for themselves. Nothing is ever fetched, and depth, attributes and the length of
 * a text are bounded. Past a syntax error XML has no meaning, so a reader keeps what came before, reports the line and ends.
 */
import { TextDecoder } from 'node:util'
import { Parser } from 'htmlparser2'
import { SaxesParser, type SaxesTagNS } from 'saxes'
import { type ByteStream, encodingNamed, normalizeText, peek } from './bytes.ts'
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
  if (encoding === undefined && stated !== undefined && encodingNamed(stated) === null) {
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
    const fix = 'put each value in its own element, such as <g:price>'
    end(tagLine, `gives the element "${tagName}" over ${MAX_ATTRIBUTES} attributes`, fix)
    // At once: a tag may go on for as long as the file does.
    throw new EnoughRead()
  })
  parser.on('opentag', (tag) => {
    passed()
    if (hasEnded) return
    depth += 1
    if (depth > MAX_DEPTH) {
      end(tagLine, `nests elements over ${MAX_DEPTH} deep`, 'send a feed with one element per product')
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

  const go = (step: () => void) => {
    if (hasEnded) return
    try {
      step()
    } catch (error) {
      if (!(error instanceof EnoughRead)) throw error
    }
    endIfRunaway(parser.position - lastEvent)
  }

  return {
    passLines(blank: string): string {
      linesBefore = blank.split('\n').length - 1
      return ''
    },
    write: (text: string) => go(() => parser.writeLoose(text)),
    close: () => go(() => parser.closeLoose()),
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
  const letters = createLetters()
  parser.ENTITIES = Object.setPrototypeOf(
    { amp: '&', gt: '>', lt: '<', quot: '"', apos: "'" },
    new Proxy(Object.create(null), {
      get: (_, name) => (typeof name === 'string' ? letters(name) : undefined),
    }),
  )
  const escaped = createEscaping(letters)
  return Object.assign(parser, {
    /** Text that may have signs in it which are not escaped. */
    writeLoose: (text: string) => parser.write(escaped(text)),
    closeLoose: () => parser.write(escaped('', true)).close(),
  })
}

/** The letters of an entity of HTML; undefined for a name that it does not know. */
function createLetters(): (name: string) => string | undefined {
  const known = new Map<string, string | undefined>()
  return (name) => {
    if (known.has(name) || known.size > MOST_NAMES) return known.get(name)
    let text = ''
    if (/^[a-z][a-z0-9]{1,31}$/i.test(name)) {
      const parser = new Parser({ ontext: (part) => (text += part) })
      parser.end(`&${name};`)
    }
    // A name that only starts like a known one keeps its end.
    const letters = text === '' || text.endsWith(';') ? undefined : text
    known.set(name, letters)
    return letters
  }
}

/** HTML has some two thousand. */
const MOST_NAMES = 5_000

const OPEN = '<![CDATA['
const CLOSE = ']]>'
/** Nothing that is looked for is longer. */
const MOST_HELD = 40
const SIGNS = /&(?:(#\d{1,7}|#x[\da-f]{1,6}|[a-z_]\w{0,31});)?|<(?![\w:/!?\u0080-\uffff])/gi
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML takes none of these.
const NO_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g

/**
 * Escapes what shops forget to: a sign that begins neither an entity nor a tag is the sign itself, and what XML has no
 * letter for is a space. Entities that the document declares are left to the parser, which refuses them.
 */
function createEscaping(letters: (name: string) => string | undefined) {
  let rest = ''
  let isRaw = false
  let declares = false
  const escaped = (text: string) =>
    text.replace(SIGNS, (sign, name: string | undefined) => {
      if (sign === '<') return '&lt;'
      if (name === undefined) return '&amp;'
      if (!name.startsWith('#')) {
        const isKnown = declares || /^(amp|gt|lt|quot|apos)$/.test(name) || letters(name) !== undefined
        return isKnown ? sign : `&amp;${name};`
      }
      const code = Number(/^#x/i.test(name) ? `0${name.slice(1)}` : name.slice(1))
      const isLetter = code === 9 || code === 10 || code === 13 || (code >= 32 && code <= 0x10ffff)
      return isLetter && !(code >= 0xd800 && code < 0xe000) && (code & 0xfffe) !== 0xfffe ? sign : ' '
    })
  return (piece: string, isLast = false): string => {
    let text = rest + piece.replace(NO_XML, ' ')
    declares ||= text.includes('<!ENTITY')
    rest = ''
    let out = ''
    for (;;) {
      const [mark, size] = isRaw ? [CLOSE, CLOSE.length] : [OPEN, OPEN.length]
      const at = text.indexOf(mark)
      if (at === -1) break
      const part = text.slice(0, at)
      out += (isRaw ? part : escaped(part)) + mark
      text = text.slice(at + size)
      isRaw = !isRaw
    }
    if (!isLast) {
      // What may be the beginning of a mark or an entity waits for its end.
      const from = Math.max(0, text.length - MOST_HELD)
      const begins = isRaw ? text.indexOf(']', from) : text.slice(from).search(/[&<]/) + from
      const cut = begins < from ? text.length : begins
      rest = text.slice(cut)
      text = text.slice(0, cut)
    }
    return out + (isRaw ? text : escaped(text))
  }
}
