/** `souk export`: the catalog in the form that `import` reads. Written beside and renamed, so a file is whole or not there. */
import fs from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { exportCategories, exportProducts } from '../catalog/export.service.ts'
import type { Config } from '../config.ts'
import { createProgress } from '../lib/progress.ts'
import { withDatabase } from './with-database.ts'

export async function exportCommand(config: Config, args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { categories: { type: 'string' } },
  })
  const [file] = positionals
  if (!file || positionals.length > 1) {
    process.stderr.write('usage: npm run souk -- export FILE [--categories FILE]\n')
    return 2
  }
  return withDatabase(config, async (database) => {
    await writeLines(file, exportProducts(database), 'Exporting products')
    if (values.categories)
      await writeLines(values.categories, exportCategories(database), 'Exporting categories')
    return 0
  })
}

async function writeLines(file: string, lines: AsyncIterable<string>, title: string): Promise<void> {
  const progress = createProgress(title)
  let count = 0
  async function* counted() {
    for await (const line of lines) {
      progress.update(++count)
      yield line
    }
  }
  await pipeline(Readable.from(counted()), fs.createWriteStream(`${file}.part`))
  fs.renameSync(`${file}.part`, file)
  progress.finish(count)
}
