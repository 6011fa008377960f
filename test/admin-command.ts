/** `souk admin …` as an operator runs it: what it prints, kept from the test's own output, and how it ends. */
import { vi } from 'vitest'
import { adminCommand } from '../src/commands/admin.ts'
import { testConfig } from './harness.ts'

export async function runAdmin(
  { database }: { database: { url: string } },
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
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
    const code = await adminCommand(testConfig({ DATABASE_URL: database.url }), args)
    return { code, ...printed }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
