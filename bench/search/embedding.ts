/** The embedder in a process of its own: takes texts, keeps so many in flight, tells how long it took. */
import { createLocalEmbedder } from '../../src/search/embed/local-embedder.ts'
import { timeAll } from './ask.ts'

const embedder = createLocalEmbedder()

process.on('message', async ({ texts, inFlight }: { texts: string[]; inFlight: number }) => {
  process.send?.(
    await timeAll(texts, inFlight, () => async (text) => {
      await embedder.embedQuery(text)
    }),
  )
})
process.on('disconnect', () => void embedder.close().then(() => process.exit(0)))
