/**
 * The demo catalog's vectors, which come with the project: made here they would take the first start most of a minute.
 * Found by the hash of the texts they were made from, so a product whose text was changed is simply not among them;
 * and only for the model they were made by.
 */
import fs from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { projectFile } from '../lib/paths.ts'
import type { ReadyVectors } from './embed-products.ts'
import type { ProductVectors } from './vectors/meaning-index.ts'
import { packPassages, unpackPassages } from './vectors/passages.ts'

const FILE = projectFile('src', 'search', 'embed', 'demo-vectors.bin.gz')
const HASH_BYTES = 16

/** Null when they are of another model. */
export function readShippedVectors(model: string, file = FILE): ReadyVectors | null {
  if (!fs.existsSync(file)) return null
  const bytes = gunzipSync(fs.readFileSync(file))
  const headEnd = bytes.indexOf('\n')
  const head = JSON.parse(bytes.toString('utf8', 0, headEnd)) as { model: string; dims: number }
  if (head.model !== model) return null
  const records = new Map<string, Buffer>()
  for (let at = headEnd + 1; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at)
    const record = bytes.subarray(at + 4, at + 4 + length)
    records.set(record.toString('hex', 0, HASH_BYTES), record)
    at += 4 + length
  }
  return {
    find(textHash) {
      const record = records.get(textHash.toString('hex'))
      if (!record) return null
      const halves = (from: number): Float32Array => {
        const start = record.byteOffset + HASH_BYTES + from * head.dims * 2
        return new Float32Array(new Float16Array(record.buffer.slice(start, start + head.dims * 2)))
      }
      return {
        full: halves(0),
        short: halves(1),
        passages: unpackPassages(record.subarray(HASH_BYTES + head.dims * 4)),
      }
    },
  }
}

export function writeShippedVectors(
  model: { id: string; dims: number },
  products: Array<{ hash: Buffer; vectors: ProductVectors }>,
  file = FILE,
): void {
  const parts: Uint8Array[] = [Buffer.from(`${JSON.stringify({ model: model.id, dims: model.dims })}\n`)]
  for (const { hash, vectors } of products) {
    const record = Buffer.concat([
      hash,
      new Uint8Array(new Float16Array(vectors.full).buffer),
      new Uint8Array(new Float16Array(vectors.short).buffer),
      packPassages(vectors.passages),
    ])
    const length = Buffer.alloc(4)
    length.writeUInt32LE(record.length)
    parts.push(length, record)
  }
  fs.writeFileSync(file, gzipSync(Buffer.concat(parts), { level: 9 }))
}
