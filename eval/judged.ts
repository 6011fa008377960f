/**
 * Judged sets: products, queries, and how relevant which product is to which query. Two kinds are read into one form:
 * the queries that came with the demo catalog (their relevant products, best first), and any folder that holds
 * `products.jsonl[.gz]`, `queries.jsonl` and `judgments.tsv` (query, product, grade 0 to 3).
 */
import fs from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { EMPTY_FACTS } from '../src/catalog/catalog.schema.ts'
import { UNCATEGORIZED } from '../src/catalog/category-index.ts'
import { createJsonReader } from '../src/catalog/import/json-readers.ts'
import { checkProductInput, forgiveProductInput } from '../src/catalog/product-input.ts'
import type { ProductProfile } from '../src/catalog/profile.ts'
import { projectFile } from '../src/lib/paths.ts'
import { slugify } from '../src/lib/text.ts'

export type JudgedQuery = { id: string; text: string; slice: string; grades: Map<string, number> }
export type JudgedSet = { name: string; products: ProductProfile[]; queries: JudgedQuery[] }

const EPOCH = new Date('2026-01-01T00:00:00Z')

export function readDemoSet(): JudgedSet {
  const folder = projectFile('catalog')
  const products = readdirJson(folder).flatMap((name) => {
    const file = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'))
    return file.products.map((row: Record<string, unknown>) => demoProfile(row, file))
  })
  const queries = readLines(projectFile('eval', 'queries.jsonl')).map((line, index): JudgedQuery => {
    const { kind, query, relevant } = JSON.parse(line) as { kind: string; query: string; relevant: string[] }
    // Best first: the first is what a shopper wants, the others are accepted too.
    return { id: String(index), text: query, slice: kind, grades: new Map(relevant.map((slug) => [slug, 3])) }
  })
  return { name: 'demo', products, queries }
}

function readdirJson(folder: string): string[] {
  return fs.readdirSync(folder).filter((name) => name.endsWith('.json'))
}

function demoProfile(
  row: Record<string, unknown>,
  category: { slug: string; label: string },
): ProductProfile {
  const checked = checkProductInput({ category: category.slug, ...row })
  if ('problem' in checked)
    throw new Error(`${row.slug}: ${checked.problem.field} ${checked.problem.problem}`)
  const { input } = checked
  return profile(input.slug ?? '', category, input.brand ?? null, { ...EMPTY_FACTS, ...input.facts })
}

/** One line of a shop's file. Other fields are read as an import reads them. */
export type JudgedRow = {
  id: string
  title: string
  bullet_points?: string
  description?: string
  [field: string]: unknown
}

export function readJudgedSet(folder: string): JudgedSet {
  const products = readLines(findFile(folder, 'products.jsonl')).map((line) =>
    judgedProfile(JSON.parse(line)),
  )
  const grades = new Map<string, Map<string, number>>()
  for (const line of readLines(path.join(folder, 'judgments.tsv')).slice(1)) {
    const [query = '', product = '', grade = '0'] = line.split('\t')
    const known = grades.get(query) ?? new Map<string, number>()
    grades.set(query, known.set(product, Number(grade)))
  }
  const queries = readLines(path.join(folder, 'queries.jsonl')).map((line): JudgedQuery => {
    const { id, query, source } = JSON.parse(line) as { id: string; query: string; source: string }
    return { id, text: query, slice: source, grades: grades.get(id) ?? new Map() }
  })
  // A query that nothing answers says nothing about an order.
  const answered = queries.filter((query) => [...query.grades.values()].some((grade) => grade > 0))
  return { name: path.basename(path.resolve(folder)), products, queries: answered }
}

const importReader = createJsonReader({})

/** What an import makes of the row: its own names for a field, numbers and yes or no in specs, no category at all. */
export function judgedProfile({ bullet_points, description, ...row }: JudgedRow): ProductProfile {
  const text = [bullet_points, description].filter(Boolean).join('\n')
  const [read] = importReader.read(1, text ? { ...row, description: text } : row)
  const checked =
    read && 'product' in read ? forgiveProductInput({ category: UNCATEGORIZED, ...read.product }) : null
  if (!checked || 'problem' in checked) throw new Error(`${row.id} is not a product`)
  const { input } = checked
  const category = { slug: slugify(input.category) || 'other', label: input.category }
  return profile(row.id, category, input.brand ?? null, { ...EMPTY_FACTS, ...input.facts })
}

function profile(
  slug: string,
  category: { slug: string; label: string },
  brand: string | null,
  facts: typeof EMPTY_FACTS,
): ProductProfile {
  return {
    ...facts,
    id: slug,
    slug,
    categoryId: category.slug,
    brandId: brand,
    category: { slug: category.slug, label: category.label },
    brand: brand ? { name: brand, domain: null } : null,
    verificationStatus: 'base',
    provenance: {},
    createdAt: EPOCH,
    updatedAt: EPOCH,
  }
}

function findFile(folder: string, name: string): string {
  const file = [path.join(folder, name), path.join(folder, `${name}.gz`)].find((candidate) =>
    fs.existsSync(candidate),
  )
  if (!file) throw new Error(`${folder} holds no ${name} and no ${name}.gz`)
  return file
}

function readLines(file: string): string[] {
  const bytes = fs.readFileSync(file)
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return text.split('\n').filter((line) => line.trim() !== '')
}
