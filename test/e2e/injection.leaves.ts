/**
 * What comes out, as a reader gets it: each outlet is read by the parser of its own form, down to the texts that
 * stand in it. A text that was only text comes back whole; one that became markup, a cell, a line or an element has lost
 * something on the way. That is the whole check, and it needs to know nothing about the outlet.
 */
import { parse as parseCsv } from 'csv-parse/sync'
import { Parser } from 'htmlparser2'
import MarkdownIt from 'markdown-it'
import { SaxesParser } from 'saxes'

/** `place` tells where it stood; `names` are what the form itself is made of and strangers may not choose. */
export type Leaves = { texts: Array<{ place: string; text: string }>; names: string[]; links: string[] }

type Reading = (body: string) => Leaves

const LINKING = new Set([
  'href',
  'src',
  'action',
  'formaction',
  'srcset',
  'poster',
  'data',
  'cite',
  'data-instead',
])
/** Where tools and the agent put what a model is to read. */
const FOR_MODELS = /\.(parts|content)\.text$/
/** Their content is not text, whatever it looks like. */
const RAW = new Set(['script', 'style'])
/** The address of a drawing: of a brand's name it keeps letters, digits and hyphens, which are no text. */
const DRAWN = /^\/pictures\/[a-z0-9/~-]+\.svg$/
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/

const none = (): Leaves => ({ texts: [], names: [], links: [] })

export function readHtml(html: string): Leaves {
  const found = none()
  let text = ''
  let open: { name: string; type: string } = { name: '', type: '' }
  const finish = () => {
    if (RAW.has(open.name) && open.type !== 'application/ld+json') found.names.push(text)
    else if (open.type === 'application/ld+json' && text !== '')
      found.texts.push(...readJson(text).texts.map((leaf) => ({ ...leaf, place: `json-ld ${leaf.place}` })))
    else if (text.trim() !== '') found.texts.push({ place: `in ${open.name}`, text })
    text = ''
  }
  const parser = new Parser({
    onopentag(name, attributes) {
      finish()
      open = { name, type: attributes.type ?? '' }
      found.names.push(name, ...Object.keys(attributes))
      for (const [attribute, value] of Object.entries(attributes)) {
        if (!DRAWN.test(value)) found.texts.push({ place: `${name} ${attribute}`, text: value })
        if (LINKING.has(attribute)) found.links.push(value)
        if (/^(on|style$|srcdoc$)/.test(attribute)) found.names.push(value)
      }
    },
    onclosetag() {
      finish()
      open = { name: '', type: '' }
    },
    ontext(piece) {
      text += piece
    },
    oncomment: (comment) => void found.names.push(comment),
  })
  parser.end(html)
  finish()
  return found
}

const markdown = new MarkdownIt({ html: true })
export const readMarkdown: Reading = (body) => readHtml(markdown.render(body))

export function readJson(body: string): Leaves {
  const found = none()
  const walk = (value: unknown, place: string): void => {
    if (typeof value === 'string' && FOR_MODELS.test(place)) {
      const read = readMarkdown(value)
      for (const part of ['texts', 'names', 'links'] as const) found[part].push(...(read[part] as never[]))
    } else if (typeof value === 'string') {
      found.texts.push({ place, text: value })
      if (/(^|_|\.)(url|href|uri|link|image)$/i.test(place)) found.links.push(value)
    } else if (value !== null && typeof value === 'object')
      for (const [key, one] of Object.entries(value))
        walk(one, Array.isArray(value) ? place : `${place}.${key}`)
  }
  walk(JSON.parse(body), '')
  return found
}

const readJsonLines: Reading = (body) => {
  const lines = body.split('\n').filter((line) => line !== '')
  return { ...none(), texts: lines.flatMap((line) => readJson(line).texts) }
}

function readTable(delimiter: string): Reading {
  return (body) => {
    const rows = parseCsv(body, { delimiter, bom: true }) as string[][]
    const cells = rows.flatMap((row) => row.map((text, at) => ({ place: `column ${at}`, text })))
    // What a spreadsheet would run is the form's, not text's.
    return {
      ...none(),
      texts: cells,
      names: cells.map(({ text }) => text).filter((text) => FORMULA.test(text)),
    }
  }
}

const readXml: Reading = (body) => {
  const found = none()
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    found.names.push(name, ...Object.keys(attributes))
    for (const [attribute, value] of Object.entries(attributes))
      found.texts.push({ place: `${name} ${attribute}`, text: String(value) })
  })
  parser.on('text', (text) => void found.texts.push({ place: 'text', text }))
  parser.write(body).close()
  return found
}

const READERS: Record<string, Reading> = {
  'text/html': readHtml,
  'text/markdown': readMarkdown,
  'text/csv': readTable(','),
  'text/tab-separated-values': readTable('\t'),
  'application/jsonl': readJsonLines,
  'application/xml': readXml,
  'image/svg+xml': readXml,
  // Nothing that a stranger wrote is served as plain text without a form, but for what says that it is Markdown.
  'text/plain': readMarkdown,
}

/** An answer that has no parser here has no text either: a picture. */
export function readBody(contentType: string, body: string): Leaves {
  const type = contentType.split(';')[0] ?? ''
  if (/[/+]json$/.test(type)) return readJson(body)
  if (type === 'image/png' || body === '') return none()
  const reader = READERS[type]
  if (!reader) throw new Error(`say here how ${contentType} is read`)
  return reader(body)
}
