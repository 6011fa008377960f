/**
 * Puts right the quotes of delimited text before it is parsed. A cell in quotes may go on over many lines, so a quote that
 * is never closed would take all rows behind it along. It shows where the next cell opens, since a quote inside of a cell
 * is doubled: then its row is closed where the header says that the cell ends, or left out, and the lines behind it are
 * read anew. Lines keep their numbers. What is well formed passes as it is.
 */
import type { ByteStream } from './bytes.ts'

const LF = 0x0a
const SPACE = 0x20
const QUOTE = 0x22

type QuoteRules = {
  delimiter: string
  /** How many cells the header has. */
  columns: number
  /** A longer line, or cell, is one that does not end. */
  maxSize: number
  /** A row whose quote is not closed. */
  onUnclosed(line: number, isKept: boolean): void
  /** A line that is too long: it and what is behind it is not given. */
  onEndless(line: number): void
}

export async function* withClosedQuotes(input: ByteStream, rules: QuoteRules): AsyncGenerator<Buffer> {
  const reader = createLineReader(rules)
  /** The line that has not ended yet. */
  let parts: Uint8Array[] = []
  let size = 0
  for await (const piece of input) {
    const end = piece.lastIndexOf(LF) + 1
    if (end > 0) {
      yield reader.take(Buffer.concat([...parts, piece.subarray(0, end)]))
      parts = []
      size = 0
    }
    parts.push(piece.subarray(end))
    size += piece.length - end
    if (size <= rules.maxSize) continue
    yield reader.end()
    rules.onEndless(reader.line())
    return
  }
  yield reader.take(Buffer.concat(parts))
  yield reader.end()
}

function createLineReader({ delimiter, columns, maxSize, onUnclosed }: QuoteRules) {
  const mark = delimiter.charCodeAt(0)
  let line = 1
  /** The lines of a record whose quote is open, as they came and as they will be given. */
  let held: Buffer[] = []
  let given: Buffer[] = []
  let size = 0
  let isSkipping = false
  let done: Buffer[] = []

  function put(text: Buffer): void {
    const waiting = [text]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next.length === 0) continue
      const isOpen = held.length > 0
      const plain = isSkipping ? 0 : endOfPlain(next)
      const some = next.subarray(0, plain || endOfLine(next))
      waiting.push(next.subarray(some.length))
      const scanned = plain > 0 ? { ...PLAIN, text: some, isOpen } : scan(some, mark, isOpen)
      if (isOpen && (scanned.isBroken || size > maxSize)) {
        waiting.push(Buffer.concat([...held.slice(1), some]))
        closeFirst()
      } else if (isSkipping && (scanned.isOpen || scanned.cells !== columns)) {
        done.push(blank(some))
        line++
      } else if (scanned.isOpen) {
        held.push(some)
        given.push(scanned.text)
        size += some.length
      } else {
        isSkipping = false
        for (const part of given) done.push(part)
        done.push(scanned.text)
        for (const part of held) line += countLines(part)
        line += plain > 0 ? countLines(some) : 1
        if (isOpen) release()
      }
    }
  }

  function release(): void {
    held = []
    given = []
    size = 0
  }

  function closeFirst(): void {
    const [first = Buffer.alloc(0)] = held
    const closed = closeOn(first, mark, columns)
    onUnclosed(line, closed !== null)
    done.push(closed ?? blank(first))
    isSkipping = closed === null
    line++
    release()
  }

  function taken(): Buffer {
    const all = Buffer.concat(done)
    done = []
    return all
  }

  return {
    take(text: Buffer): Buffer {
      put(text)
      return taken()
    },
    line: () => line,
    /** Nothing more comes. */
    end(): Buffer {
      while (held.length > 0) {
        const behind = Buffer.concat(held.slice(1))
        closeFirst()
        put(behind)
      }
      return taken()
    },
  }
}

function endOfLine(text: Buffer): number {
  return text.indexOf(LF) + 1 || text.length
}

/** Where the lines without a quote end, which are mostly all of them. */
function endOfPlain(text: Buffer): number {
  const quote = text.indexOf(QUOTE)
  return quote === -1 ? text.length : text.lastIndexOf(LF, quote) + 1
}

function countLines(text: Buffer): number {
  let lines = 0
  for (let at = text.indexOf(LF); at !== -1; at = text.indexOf(LF, at + 1)) lines++
  return lines
}

function blank(line: Buffer): Buffer {
  return line.at(-1) === LF ? line.subarray(-1) : line.subarray(line.length)
}

type Scanned = {
  /** The line with its stray quotes doubled. */
  text: Buffer
  /** How many cells begin in it. */
  cells: number
  isOpen: boolean
  /** Where the quote stands that is open. */
  openAt: number
  /** A cell opens inside of one: the one around it was never closed. */
  isBroken: boolean
}

/** Lines without a quote change nothing. */
const PLAIN = { cells: 1, openAt: -1, isBroken: false }

function scan(line: Buffer, mark: number, startsOpen: boolean): Scanned {
  const end = line.at(-1) === LF ? line.length - 1 : line.length
  const parts: Buffer[] = []
  let copied = 0
  let isOpen = startsOpen
  let openAt = -1
  let cells = 1
  let isStart = !startsOpen
  for (let at = 0; at < end; at++) {
    const byte = line[at]
    if (!isOpen) {
      if (byte === QUOTE && isStart) {
        isOpen = true
        openAt = at
      } else if (byte === mark) cells++
      isStart = byte === mark
      continue
    }
    if (byte !== QUOTE) continue
    if (line[at + 1] === QUOTE) {
      at++
      continue
    }
    let next = at + 1
    while (line[next] === SPACE) next++
    if (next >= end || line[next] === mark) {
      isOpen = false
      if (next === at + 1) continue
      parts.push(line.subarray(copied, at + 1))
      copied = next
      at = next - 1
    } else if (openAt !== -1) {
      // The cell began in this line, and its quotes are part of it: "Best" tent.
      isOpen = false
    } else if (at === 0 || line[at - 1] === mark) {
      return { text: line, cells, isOpen, openAt, isBroken: true }
    } else {
      parts.push(line.subarray(copied, at), Buffer.from('""'))
      copied = at + 1
    }
  }
  const text = copied === 0 ? line : Buffer.concat([...parts, line.subarray(copied)])
  return { text, cells, isOpen, openAt, isBroken: false }
}

/** The line with its open quote closed so that it has as many cells as the header; null where it has too few. */
function closeOn(line: Buffer, mark: number, columns: number): Buffer | null {
  const { isOpen, openAt, cells } = scan(line, mark, false)
  const end = line.at(-1) === LF ? line.length - 1 : line.length
  let missing = columns - cells
  if (!isOpen || missing < 0) return null
  let closeAt = end
  // Cells behind it are counted from the end, since its own text may hold the delimiter.
  for (; missing > 0; missing--) {
    closeAt = line.lastIndexOf(mark, closeAt - 1)
    if (closeAt <= openAt) return null
  }
  return Buffer.concat([line.subarray(0, closeAt), Buffer.from('"'), line.subarray(closeAt)])
}
