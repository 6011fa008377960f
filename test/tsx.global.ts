/** Before all tests: writes down each TSX of the source as JavaScript, where the workers find it (`tsx.hooks.ts`). */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { transform } from 'esbuild'
import { projectFile } from '../src/lib/paths.ts'

export async function setup(): Promise<() => void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-tsx-'))
  process.env.SOUK_TEST_TSX = folder
  const names = fs.readdirSync(projectFile('src'), { recursive: true, encoding: 'utf8' })
  await Promise.all(names.filter((name) => name.endsWith('.tsx')).map((name) => write(folder, name)))
  return () => fs.rmSync(folder, { recursive: true, force: true })
}

async function write(folder: string, name: string): Promise<void> {
  const sourcefile = projectFile('src', name)
  const { code } = await transform(fs.readFileSync(sourcefile, 'utf8'), {
    loader: 'tsx',
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx',
    target: 'node24',
    sourcefile,
    // So that an error names the line of the source.
    sourcemap: 'inline',
    sourcesContent: false,
  })
  const file = path.join(folder, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, code)
}
