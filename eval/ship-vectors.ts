/** Makes src/search/embed/demo-vectors.bin.gz anew: `npm run ship-vectors`, after the demo catalog's texts or the model have changed. */
import { createLocalEmbedder } from '../src/search/embed/local-embedder.ts'
import { makeVectors } from '../src/search/embed-products.ts'
import { writeShippedVectors } from '../src/search/shipped-vectors.ts'
import { readDemoSet } from './judged.ts'
import { withMemory } from './vector-cache.ts'

const embedder = withMemory(createLocalEmbedder())
writeShippedVectors(embedder, await makeVectors(readDemoSet().products, embedder))
await embedder.close()
