/**
 * Writing Markdown from text that is not ours. Escaped text renders as itself under CommonMark and GFM: it cannot
 * open emphasis, links, code, tables, headings, lists, quotes or HTML, whatever it contains.
 */

/** Characters that mean something anywhere in a line; a backslash before ASCII punctuation is always literal. */
const INLINE = /[\\`*_[\]<>|~&]/g
/** What starts a block when a line begins with it. */
const LINE_START = /^(\s*)(#{1,6}(?=\s|$)|[-+=](?=\s|$|[-=])|\d{1,9}[.)](?=\s|$)|:(?=\s|-|$))/

/** One line of text; line breaks become spaces. */
export function mdText(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim().replace(INLINE, '\\$&')
  return line.replace(LINE_START, (_, space: string, mark: string) => `${space}${escapeMark(mark)}`)
}

/** Text of several paragraphs, each escaped on its own. */
export function mdParagraphs(text: string): string {
  return text
    .split(/\n\s*\n/)
    .map(mdText)
    .filter(Boolean)
    .join('\n\n')
}

/** A link destination in angle brackets' safe form: everything that could end it is percent-encoded. */
export function mdUrl(url: string): string {
  return url.replace(/[\s\p{Cc}<>()\\"'`*_[\]|]/gu, (character) =>
    character > '\x7f'
      ? encodeURIComponent(character)
      : `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

export function mdLink(text: string, url: string): string {
  return `[${mdText(text)}](${mdUrl(url)})`
}

export function mdTable(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function escapeMark(mark: string): string {
  // "1." and "1)" are escaped before their last character, the others before their first.
  return /^\d/.test(mark) ? `${mark.slice(0, -1)}\\${mark.slice(-1)}` : `\\${mark}`
}
