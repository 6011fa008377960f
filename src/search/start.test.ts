import { expect, test } from 'vitest'
import { createTestApp, EMBEDDER } from '../../test/harness.ts'
import { addProduct } from '../../test/products.ts'

test('the model is loaded by the first product, not by a start without any', async () => {
  const asked: string[] = []
  const embedder = {
    id: EMBEDDER.id,
    dims: EMBEDDER.dims,
    embedQuery: async (text: string) => {
      asked.push(text)
      return new Float32Array(EMBEDDER.dims)
    },
    embedDocuments: async () => [],
    close: async () => {},
  }
  const world = await createTestApp({ embedder })
  await world.searchRuntime.fill()
  expect(asked).toEqual([])
  for (const slug of ['one', 'two']) {
    await addProduct(world, { slug, category: 'kettles', title: `Kettle ${slug}` })
    await world.catchUp()
  }
  expect(asked).toHaveLength(1)
})
