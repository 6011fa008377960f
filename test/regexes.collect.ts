/**
 * Every regular expression written in the product, found by its syntax. Expressions put together from pieces are
 * resolved as far as the pieces are constants of their file; what is only known at run time counts as a word.
 */
import fs from 'node:fs'
import path from 'node:path'
import { parseAst } from 'vitest/node'

export type Written = { where: string; source: string; flags: string }

type Syntax = { type: string; start: number; end: number } & Record<string, unknown>

const RUN_TIME = 'word'

export function writtenRegexes(root: string, folders: string[]): Written[] {
  return folders
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((file) => path.join(folder, file)),
    )
    .filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|d)\.tsx?$|node_modules|dist\//.test(file))
    .sort()
    .flatMap((file) => regexesOf(file, fs.readFileSync(path.join(root, file), 'utf8')))
}

export function regexesOf(file: string, code: string): Written[] {
  const program = parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' })
  const constants = new Map<string, Syntax>()
  const found: Written[] = []
  const where = (node: Syntax) => `${file}:${code.slice(0, node.start).split('\n').length}`
  const text = (node: unknown): string => textOf(node, constants)

  visit(program, (node) => {
    if (node.type === 'VariableDeclarator' && isSyntax(node.id) && isSyntax(node.init))
      constants.set(String(node.id.name), node.init)
  })
  visit(program, (node) => {
    if (node.type === 'Literal' && node.regex) {
      const { pattern, flags } = node.regex as { pattern: string; flags: string }
      found.push({ where: where(node), source: pattern, flags })
    }
    if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return
    if (!isSyntax(node.callee) || node.callee.name !== 'RegExp') return
    const [source, flags] = node.arguments as unknown[]
    found.push({ where: where(node), source: text(source), flags: flags ? text(flags) : '' })
  })
  return found
}

function textOf(node: unknown, constants: Map<string, Syntax>): string {
  if (!isSyntax(node)) return RUN_TIME
  if (node.type === 'Literal') return String(node.value)
  if (node.type === 'Identifier') {
    const known = constants.get(String(node.name))
    return known && known.type !== 'Identifier' ? textOf(known, constants) : RUN_TIME
  }
  if (node.type === 'TaggedTemplateExpression') return template(node.quasi, 'raw', constants)
  if (node.type === 'TemplateLiteral') return template(node, 'cooked', constants)
  if (node.type === 'BinaryExpression') return textOf(node.left, constants) + textOf(node.right, constants)
  return RUN_TIME
}

function template(node: unknown, form: 'raw' | 'cooked', constants: Map<string, Syntax>): string {
  const { quasis, expressions } = node as {
    quasis: Array<{ value: { raw: string; cooked: string } }>
    expressions: unknown[]
  }
  return quasis
    .map(
      (piece, index) =>
        piece.value[form] + (index < expressions.length ? textOf(expressions[index], constants) : ''),
    )
    .join('')
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as Syntax).type === 'string'

function visit(value: unknown, see: (node: Syntax) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, see)
  if (!isSyntax(value)) return
  see(value)
  for (const part of Object.values(value)) if (typeof part === 'object') visit(part, see)
}
