/** Vectors of judged products and queries, made once and kept between runs: embedding thousands of texts takes minutes. */
import fs from 'node:fs'
import path from 'node:path'
import type { ProductProfile } from '../src/catalog/profile.ts'
import { sha256 } from '../src/lib/crypto.ts'
import { projectFile } from '../src/lib/paths.ts'
import { createProgress } from '../src/lib/progress.ts'
import type { Embedder } from '../src/search/embed/embedder.ts'
import { makeVectors } from '../src/search/embed-products.ts'
import type { ProductVectors } from '../src/search/vectors/meaning-index.ts'

const PIECE = 64

/** The same embedder, which remembers what it has embedded even after the program has ended. */
export function withMemory(embedder: Embedder): Embedder {
  const file = projectFile(
    'node_modules',
    '.cache',
    'souk',
    `vectors-${sha256(embedder.id).toString('hex').slice(0, 12)}.bin`,
  )
  const known = readCache(file, embedder.dims)

  async function embedDocuments(texts: string[]): Promise<Float32Array[]> {
    const missing = [...new Set(texts)].filter((text) => !known.has(keyOf(text)))
    fs.mkdirSync(path.dirname(file), { recursive: true })
    const progress = createProgress('Embedding')
    for (let at = 0; at < missing.length; at += PIECE) {
      const piece = missing.slice(at, at + PIECE)
      const vectors = await embedder.embedDocuments(piece)
      const records = piece.map((text, index) => {
        const vector = vectors[index] as Float32Array
        known.set(keyOf(text), vector)
        return Buffer.concat([Buffer.from(keyOf(text), 'hex'), Buffer.from(vector.buffer)])
      })
      fs.appendFileSync(file, Buffer.concat(records))
      progress.update(at + piece.length, (at + piece.length) / missing.length)
    }
    if (missing.length > 0) progress.finish(missing.length)
    return texts.map((text) => known.get(keyOf(text)) as Float32Array)
  }

  return {
    ...embedder,
    embedDocuments,
    embedQuery: async (text) => (await embedDocuments([text]))[0] as Float32Array,
  }
}

export async function embedProfiles(
  embedder: Embedder,
  profiles: ProductProfile[],
): Promise<ProductVectors[]> {
  return (await makeVectors(profiles, embedder)).map(({ vectors }) => vectors)
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
