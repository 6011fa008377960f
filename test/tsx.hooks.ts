/** Comes first in each worker. Node reads TypeScript by itself, but no TSX: it is given what `tsx.global.ts` wrote down. */
import fs from 'node:fs'
import { enableCompileCache, registerHooks } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { projectFile } from '../src/lib/paths.ts'

// Threads come and go, and each begins with the same modules.
enableCompileCache()

const folder = process.env.SOUK_TEST_TSX

registerHooks({
  load(url, context, nextLoad) {
    // A test file's address ends with a query.
    const [address = url] = url.split('?')
    if (folder === undefined || !address.endsWith('.tsx')) return nextLoad(url, context)
    const name = path.relative(projectFile('src'), fileURLToPath(address))
    return { format: 'module', source: fs.readFileSync(path.join(folder, name), 'utf8'), shortCircuit: true }
  },
})
