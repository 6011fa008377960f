/**
 * The inspector as a command, a process a call as people use it: its strict check of the schemas has nothing to say, and
 * it lists and calls every tool. A tool is called by one family of the protocol, the next by the other, so that both are
 * tried without starting twice as many processes.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TOOLS } from '../../src/agents/mcp/registry.ts'
import { createSampleWorld, serveTools } from './tools.live.ts'
import { argumentsOf, type Role, SAMPLES, type Sample } from './tools.samples.ts'

const COMMAND = fileURLToPath(
  new URL(
    '../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
    import.meta.url,
  ),
)
const TIME = 120_000

const world = await createSampleWorld()
const url = await serveTools(world)
/** It keeps a catalog of servers in the home folder, which is not ours to write to. */
const home = await mkdtemp(join(tmpdir(), 'inspector-'))
afterAll(() => rm(home, { recursive: true, force: true }))

type Run = { code: number; out: string; err: string }

function inspect(as: Role, ...words: string[]): Promise<Run> {
  const token = `Authorization: Bearer ${world.people[as].token}`
  const args = [COMMAND, '--cli', url, '--transport', 'http', '--header', token, ...words]
  // Compiled once, and not by each of thirty processes.
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    NO_COLOR: '1',
    NODE_COMPILE_CACHE: join(home, 'compiled'),
  }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env, timeout: TIME, maxBuffer: 16 << 20 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err }),
    )
  })
}

test.each(['legacy', 'modern'])(
  'the strict check of all schemas warns of nothing (%s)',
  async (era) => {
    const { code, out, err } = await inspect(
      'producer',
      ...['--method', 'tools/list', '--strict', '--protocol-era', era],
    )
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const { tools } = JSON.parse(out) as { tools: Array<{ name: string }> }
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name))
  },
  TIME,
)

describe('calls', () => {
  const firsts = SAMPLES.filter((one, at) => SAMPLES.findIndex(({ tool }) => tool === one.tool) === at)
  /** They tell what shoppers did. */
  const later = new Set(['list_rfqs', 'get_performance'])
  const runs = new Map<string, Run>()

  async function callInOrder(samples: Sample[]): Promise<void> {
    for (const sample of samples) {
      const args = Object.entries(argumentsOf(sample, world)).flatMap(([name, value]) => [
        '--tool-arg',
        `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ])
      const era = firsts.indexOf(sample) % 2 === 0 ? 'legacy' : 'modern'
      const how = ['--method', 'tools/call', '--tool-name', sample.tool, '--protocol-era', era]
      runs.set(sample.tool, await inspect(sample.as, ...how, ...args))
    }
  }

  beforeAll(async () => {
    const soon = firsts.filter(({ tool }) => !later.has(tool))
    await Promise.all([
      callInOrder(soon.filter(({ as }) => as === 'consumer')),
      callInOrder(soon.filter(({ as }) => as === 'producer')),
    ])
    await callInOrder(firsts.filter(({ tool }) => later.has(tool)))
  }, 3 * TIME)

  test.each(TOOLS.map(({ name }) => name))('%s', (name) => {
    const { code, out, err } = runs.get(name) ?? { code: -1, out: '', err: 'was not called' }
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const { content, structuredContent, isError = false } = JSON.parse(out) as Record<string, unknown>
    expect(isError).toBe(false)
    const says = firsts.find(({ tool }) => tool === name)?.says
    expect(content).toEqual([{ type: 'text', text: expect.stringMatching(says ?? '') }])
    expect(structuredContent).toBeTypeOf('object')
  })
})
