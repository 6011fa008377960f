/**
 * The inspector as a command: as a process of its own, as people use it, its strict check of the schemas has nothing to say
 * and it lists every tool. Then its command line, loaded once, calls them all, one by one family of the protocol, the next
 * by the other.
 */
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TOOLS } from '../../src/agents/mcp/registry.ts'
import { createSampleWorld, serveTools } from './tools.live.ts'
import { argumentsOf, type Role, SAMPLES } from './tools.samples.ts'

const CLIENTS = '../../node_modules/@modelcontextprotocol/inspector/clients'
const [LAUNCHER, COMMAND] = [`${CLIENTS}/launcher/build/index.js`, `${CLIENTS}/cli/build/index.js`].map(
  (file) => fileURLToPath(new URL(file, import.meta.url)),
) as [string, string]
const TIME = 120_000

const world = await createSampleWorld()
const url = await serveTools(world)
/** It keeps a catalog of servers in the home folder, which is not ours to write to. */
const home = await mkdtemp(join(tmpdir(), 'inspector-'))
afterAll(() => rm(home, { recursive: true, force: true }))

type Run = { code: number; out: string; err: string }

// Compiled once, and not by each of three processes.
const env = {
  PATH: process.env.PATH,
  HOME: home,
  NO_COLOR: '1',
  NODE_COMPILE_CACHE: join(home, 'compiled'),
}

function wordsOf(as: Role, ...words: string[]): string[] {
  const token = `Authorization: Bearer ${world.people[as].token}`
  return [url, '--transport', 'http', '--header', token, ...words]
}

function inspect(as: Role, ...words: string[]): Promise<Run> {
  const args = [LAUNCHER, '--cli', ...wordsOf(as, ...words)]
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

  beforeAll(async () => {
    const file = fileURLToPath(new URL('./tools.inspector.calls.ts', import.meta.url))
    const inspector = fork(file, [COMMAND], { env, execArgv: [], timeout: 3 * TIME })
    const answers: Array<(run: Run) => void> = []
    inspector.on('message', (run: Run) => answers.shift()?.(run))
    inspector.once('exit', () => {
      for (const tell of answers) tell({ code: -1, out: '', err: 'the inspector ended' })
    })
    const answer = () => new Promise<Run>((resolve) => answers.push(resolve))
    await answer()
    for (const sample of [
      ...firsts.filter(({ tool }) => !later.has(tool)),
      ...firsts.filter(({ tool }) => later.has(tool)),
    ]) {
      const args = Object.entries(argumentsOf(sample, world)).flatMap(([name, value]) => [
        '--tool-arg',
        `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ])
      const era = firsts.indexOf(sample) % 2 === 0 ? 'legacy' : 'modern'
      const how = ['--method', 'tools/call', '--tool-name', sample.tool, '--protocol-era', era]
      const answered = answer()
      inspector.send(wordsOf(sample.as, ...how, ...args))
      runs.set(sample.tool, await answered)
    }
    inspector.kill()
    await once(inspector, 'exit')
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
