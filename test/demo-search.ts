/** The demo catalog to search, made once a worker: its index takes a second of a core. Read it, put nothing in. */
import { createDemoSearch } from '../eval/demo.ts'
import { demoIndex } from './e2e/search.world.ts'
import { EMBEDDER } from './harness.ts'

let made: ReturnType<typeof createDemoSearch> | undefined

export function demoSearch(): ReturnType<typeof createDemoSearch> {
  made ??= createDemoSearch(EMBEDDER, demoIndex())
  return made
}
