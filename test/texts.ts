/**
 * Lists the texts in src/ that people and agents read: `node test/texts.ts` prints them as `file:line: text`. A text is JSX
 * text, a shown attribute, or a literal with a space and a lower-case word. Code that only looks like a text (SQL, class
 * lists, regular expressions, addresses, types, imports) is left out by where it stands or by its form.
 */
import fs from 'node:fs'
import path from 'node:path'
import { parseAst } from 'vitest/node'

export type Text = { where: string; text: string }

type Syntax = { type: string; start: number; end: number } & Record<string, unknown>

const SHOWN_ATTRIBUTES = new Set([
  ...[
    'title',
    'label',
    'placeholder',
    'aria-label',
    'alt',
    'caption',
    'hint',
    'lead',
    'heading',
    'description',
  ],
  ...['note', 'text', 'message', 'summary', 'empty', 'action', 'what', 'content', 'value', 'confirm'],
])

const CODE =
  /^\s*(?:select|insert into|update \w+ set|delete from|with \w+ as|create|alter|drop|set local|begin|commit|lock table|listen|notify|on conflict|and [\w.]+ |where |order by |from )\b|^(?:https?:|\/|\.|--?[a-z])\S*$|^[\w-]+\/[\w.+-]+(?:;.*)?$|\w\|\w/i

/** With `words`, only of files that have them: to read all of the source takes three seconds of a core. */
export function textsBelow(root: string, folder: string, words = /(?:)/): Text[] {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.join(folder, file))
    .filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|d)\.tsx?$/.test(file))
    .sort()
    .flatMap((file) => {
      const code = fs.readFileSync(path.join(root, file), 'utf8')
      return words.test(code) ? textsOf(file, code) : []
    })
}

export function textsOf(file: string, code: string): Text[] {
  const found: Text[] = []
  let line = 1
  let counted = 0
  const add = (node: Syntax, text: string) => {
    const start = node.start + (node.type === 'JSXText' ? (/^\s*/.exec(text)?.[0].length ?? 0) : 0)
    if (start < counted) [line, counted] = [1, 0]
    line += code.slice(counted, start).split('\n').length - 1
    counted = start
    found.push({ where: `${file}:${line}`, text: text.replace(/\s+/g, ' ').trim() })
  }
  walk(parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' }), add)
  return found
}

function walk(value: unknown, add: (node: Syntax, text: string) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, add)
  if (!isSyntax(value) || isCode(value)) return
  if (value.type === 'JSXText' && /\p{L}{2}/u.test(String(value.value))) add(value, String(value.value))
  const text = literalText(value)
  if (value.type === 'JSXAttribute') {
    walkAttribute(value, add)
    return
  }
  if (text !== undefined) {
    if (/\s/.test(text) && /(?<![\w$-])[a-z]{2,}/.test(text) && !CODE.test(text)) add(value, text)
    for (const part of insertions(value)) walk(part, add)
    return
  }
  for (const [key, part] of Object.entries(value)) {
    // A key names a field; what is computed is code that may hold a text.
    if (key === 'key' && !value.computed) continue
    if (typeof part === 'object') walk(part, add)
  }
}

function walkAttribute(attribute: Syntax, add: (node: Syntax, text: string) => void): void {
  const name = String((attribute.name as { name?: unknown }).name)
  if (!isSyntax(attribute.value)) return
  if (attribute.value.type === 'Literal') {
    const text = String(attribute.value.value)
    if (SHOWN_ATTRIBUTES.has(name) && /\p{L}{2}/u.test(text)) add(attribute.value, text)
  } else if (!/^(?:class|id|href|src|d|for|style|rel|name|points|viewBox|srcset|sizes)$/.test(name)) {
    walk(attribute.value, add)
  }
}

/** Imports, types, regular expressions, tagged templates such as sql`…`, lists of words as `'a b'.split(' ')`, class lists. */
function isCode(node: Syntax): boolean {
  if (/^(?:Import|ExportAll|TSLiteralType|TSType|TSInterface|TSTemplateLiteral|TSImport)/.test(node.type))
    return true
  if (node.type === 'TaggedTemplateExpression') return true
  if (node.type === 'Literal') return typeof node.value !== 'string'
  if (node.type === 'MemberExpression') return (node.property as { name?: unknown }).name === 'split'
  return /^(?:RegExp|cx|classes)$/.test(String((node.callee as { name?: unknown } | undefined)?.name))
}

/** What a literal or a sum of literals says, with `…` for what is only known at run time. */
function literalText(node: unknown): string | undefined {
  if (!isSyntax(node)) return undefined
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type === 'TemplateLiteral') {
    const quasis = node.quasis as Array<{ value: { cooked: string } }>
    return quasis.map((piece) => piece.value.cooked).join('…')
  }
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined
  const [left, right] = [literalText(node.left), literalText(node.right)]
  return left === undefined && right === undefined ? undefined : `${left ?? '…'}${right ?? '…'}`
}

/** The code inside of a template or a sum. */
function insertions(node: unknown): unknown[] {
  if (!isSyntax(node)) return []
  if (node.type === 'TemplateLiteral') return node.expressions as unknown[]
  if (node.type !== 'BinaryExpression') return []
  return [node.left, node.right].flatMap((side) =>
    literalText(side) === undefined ? [side] : insertions(side),
  )
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as Syntax).type === 'string'

if (process.argv[1] === import.meta.filename) {
  const root = path.dirname(import.meta.dirname)
  for (const { where, text } of textsBelow(root, 'src')) console.log(`${where}: ${text}`)
}
