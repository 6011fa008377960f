/**
 * Stacks of the built service speak of the files of the build; a person wants the line of the source. Node can do that for
 * every stack, but then reads all maps at each start (0.1 s). Here a map is read when the first fault is logged.
 */
import fs from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

const FRAME = /(file:\/\/\/[^():\s]+\.js):(\d+):(\d+)/g

const maps = new Map<string, SourceMap | null>()

export function sourceStack(stack: string): string {
  return stack.replace(FRAME, (frame, file: string, line: string, column: string) => {
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1)
    if (!entry || !('originalSource' in entry)) return frame
    const source = new URL(entry.originalSource, file)
    return `${fileURLToPath(source)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  })
}

function mapOf(file: string): SourceMap | null {
  let map = maps.get(file)
  if (map === undefined) {
    map = readMap(file)
    maps.set(file, map)
  }
  return map
}

/** An image without the maps, a package without any: the stack stays as it is. */
function readMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(fs.readFileSync(new URL(`${file}.map`), 'utf8')))
  } catch {
    return null
  }
}
