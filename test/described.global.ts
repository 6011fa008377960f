/** Before a run: the published description is written to a file, once, for the check of every answer in every worker. */
import fs from 'node:fs'
import { flushCompileCache } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { OPERATIONS, writeOpenApi } from '../src/agents/discovery/openapi/document.ts'
import { describedBy } from './described.coverage.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The file with the document and the operations that it was written from. */
    described: string
  }
}

export function setup(project: TestProject): () => void {
  const document = writeOpenApi({ baseUrl: 'http://souk.test' })
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-described-'))
  const file = path.join(dir, 'described.json')
  fs.writeFileSync(file, JSON.stringify({ document, operations: describedBy(OPERATIONS) }))
  project.provide('described', file)
  // Most of the source is loaded by now, and the workers begin with it: in a first run, too, they need not compile it.
  flushCompileCache()
  return () => fs.rmSync(dir, { recursive: true, force: true })
}
