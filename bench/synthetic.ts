/** Catalogs of any size in the likeness of the demo catalog: its products again and again, each with names of its own. */
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './processes.ts'

type DemoFile = {
  slug: string
  label: string
  description: string
  products: Array<Record<string, unknown> & { slug: string; title: string; mpn: string }>
}

export function writeSyntheticCatalog(
  dir: string,
  count: number,
): { products: string; categories: string; bytes: number } {
  const folder = path.join(ROOT, 'catalog')
  const files = fs
    .readdirSync(folder)
    .map((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as DemoFile)
  const models = files.flatMap((file) => file.products.map((product) => ({ category: file.slug, product })))
  const categories = path.join(dir, 'categories.jsonl')
  fs.writeFileSync(
    categories,
    files.map(({ slug, label, description }) => `${JSON.stringify({ slug, label, description })}\n`).join(''),
  )
  const products = path.join(dir, 'products.jsonl')
  const out = fs.openSync(products, 'w')
  let lines: string[] = []
  for (let n = 0; n < count; n++) {
    const model = models[n % models.length]
    if (!model) break
    const edition = Math.floor(n / models.length)
    const { category, product } = model
    lines.push(
      JSON.stringify({
        category,
        ...product,
        slug: `${product.slug}-e${edition}`,
        title: `${product.title} Edition ${edition}`,
        mpn: `${product.mpn}-${edition}`,
      }),
    )
    if (lines.length === 1_000 || n === count - 1) {
      fs.writeSync(out, `${lines.join('\n')}\n`)
      lines = []
    }
  }
  fs.closeSync(out)
  return { products, categories, bytes: fs.statSync(products).size }
}
