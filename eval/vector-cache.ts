/** Vectors of judged products, made once and kept between runs: embedding thousands of texts takes minutes. */
import fs from 'node:fs'
import path from 'node:path'
import type { ProductProfile } from '../src/catalog/profile.ts'
import { sha256 } from '../src/lib/crypto.ts'
import { projectFile } from '../src/lib/paths.ts'
import { createProgress } from '../src/lib/progress.ts'
import type { Embedder } from '../src/search/embed/embedder.ts'
import { fullText, shortText } from '../src/search/product-text.ts'

const PIECE = 64

export async function embedCached(embedder: Embedder, texts: string[]): Promise<Float32Array[]> {
  const file = projectFile(
    'node_modules',
    '.cache',
    'souk',
    `vectors-${sha256(embedder.id).toString('hex').slice(0, 12)}.bin`,
  )
  const known = readCache(file, embedder.dims)
  const missing = [...new Set(texts)].filter((text) => !known.has(keyOf(text)))
  if (missing.length > 0) {
    fs.mkdirSync(path.dirname(file), { recursive: true })
    const progress = createProgress('Embedding')
    for (let at = 0; at < missing.length; at += PIECE) {
      const piece = missing.slice(at, at + PIECE)
      const vectors = await embedder.embedDocuments(piece)
      for (const [index, text] of piece.entries())
        known.set(keyOf(text), vectors[index] ?? new Float32Array(embedder.dims))
      const records = piece.map((text, index) =>
        Buffer.concat([
          Buffer.from(keyOf(text), 'hex'),
          Buffer.from(vectors[index]?.buffer ?? new ArrayBuffer(0)),
        ]),
      )
      fs.appendFileSync(file, Buffer.concat(records))
      progress.update(at + piece.length, (at + piece.length) / missing.length)
    }
    progress.finish(missing.length)
  }
  return texts.map((text) => known.get(keyOf(text)) ?? new Float32Array(embedder.dims))
}

export async function embedProfiles(
  embedder: Embedder,
  profiles: ProductProfile[],
): Promise<Array<{ full: Float32Array; short: Float32Array }>> {
  const vectors = await embedCached(embedder, [...profiles.map(fullText), ...profiles.map(shortText)])
  return profiles.map((_, index) => ({
    full: vectors[index] ?? new Float32Array(embedder.dims),
    short: vectors[profiles.length + index] ?? new Float32Array(embedder.dims),
  }))
}

function keyOf(text: string): string {
  return sha256(text).toString('hex').slice(0, 32)
}

function readCache(file: string, dims: number): Map<string, Float32Array> {
  const known = new Map<string, Float32Array>()
  if (!fs.existsSync(file)) return known
  const bytes = fs.readFileSync(file)
  const size = 16 + dims * 4
  for (let at = 0; at + size <= bytes.length; at += size) {
    known.set(
      bytes.toString('hex', at, at + 16),
      new Float32Array(bytes.buffer.slice(bytes.byteOffset + at + 16, bytes.byteOffset + at + size)),
    )
  }
  return known
}
