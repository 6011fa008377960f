/** Commands as an operator runs them: what they print, kept from the test's own output, and how they end. */
import { vi } from 'vitest'
import { adminCommand } from '../src/commands/admin.ts'
import { catalogCommand } from '../src/commands/catalog.ts'
import type { Config } from '../src/config.ts'
import { testConfig } from './harness.ts'

type World = { database: { url: string } }
type Ended = { code: number; out: string; err: string }

export function runAdmin(world: World, ...args: string[]): Promise<Ended> {
  return run(adminCommand, world, args)
}

export function runCatalog(world: World, ...args: string[]): Promise<Ended> {
  return run(catalogCommand, world, args)
}

async function run(
  command: (config: Config, args: string[]) => Promise<number>,
  { database }: World,
  args: string[],
): Promise<Ended> {
  const printed = { out: '', err: '' }
  const keep = (stream: keyof typeof printed) => (text: string | Uint8Array) => {
    printed[stream] += String(text)
    return true
  }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(keep('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(keep('err')),
  ]
  try {
    const code = await command(testConfig({ DATABASE_URL: database.url }), args)
    return { code, ...printed }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
