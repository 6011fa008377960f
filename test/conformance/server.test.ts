/**
 * The official conformance suite against the tool server, as its own program, once for each family of the protocol. The
 * server has the suite's fixtures beside the shop's tools and is reached the short way, as in service.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { toolRoutes } from '../../src/agents/mcp/mcp.routes.ts'
import { TOOLS } from '../../src/agents/mcp/registry.ts'
import { createFastLane } from '../../src/http/fast-lane.ts'
import { projectFile } from '../../src/lib/paths.ts'
import { testConfig } from '../harness.ts'
import { serve } from '../loopback.ts'
import { createToolsWorld } from '../tools.world.ts'
import { startTokenProxy } from './token-proxy.ts'

const NODE = projectFile('node_modules', '.bin', 'node')
const CONFORMANCE = projectFile('node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js')
const TIME_LIMIT_MS = 240_000
/** The suite runs them and does not count them; we do. */
const NOT_YET_SCORED = [
  'json-schema-2020-12',
  'http-header-validation',
  'http-custom-header-server-validation',
]

type Message = {
  id?: number
  method?: string
  params?: { progressToken?: string; progress?: number }
  result?: { tools?: Array<{ name: string }>; capabilities?: unknown; content?: unknown }
  error?: { code: number }
}

const world = await createToolsWorld({ config: testConfig({ SOUK_TEST_FIXTURES: '1' }) })
const stopping = new AbortController()
const lane = createFastLane({
  served: toolRoutes(world.tools.faces, { https: false }),
  trustProxy: false,
  log: world.logged.log,
  stopping: stopping.signal,
})
const souk = await serve((request, response) => {
  lane(request, response, () => void response.writeHead(404).end())
})
afterAll(async () => {
  stopping.abort()
  await souk.close()
})

/** Of somebody who has not used any of the day's requests. */
async function addressFor(): Promise<string> {
  const { token } = await world.person()
  const proxy = await startTokenProxy({ port: souk.port, token })
  onTestFinished(() => proxy.close())
  return `http://127.0.0.1:${proxy.port}/mcp`
}

/** Compiled once, and not by each of four processes. */
const compiled = await mkdtemp(join(tmpdir(), 'conformance-'))
afterAll(() => rm(compiled, { recursive: true, force: true }))
const env = { ...process.env, NO_COLOR: '1', NODE_COMPILE_CACHE: compiled }

async function conformance(...args: string[]): Promise<{ code: unknown; output: string }> {
  const suite = spawn(NODE, [CONFORMANCE, ...args], { env })
  onTestFinished(() => void suite.kill())
  let output = ''
  for (const stream of [suite.stdout, suite.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk
    })
  const code = await new Promise((resolve) => suite.once('close', resolve))
  return { code, output }
}

/** The scenarios that a server must pass, by the suite's own list. */
async function requiredBy(revision: string): Promise<string[]> {
  const { output } = await conformance('list', '--server', '--requirements', revision)
  const [, section = ''] = /^Server scenarios[^\n]*\n((?: {2}- .+\n)+)/m.exec(output) ?? []
  return [...section.matchAll(/^ {2}- (\S+)$/gm)].map(([, scenario = '']) => scenario)
}

function expectedFailures(revision: string): string {
  return projectFile('test', 'conformance', `expected-failures.${revision}.yaml`)
}

async function judge(revision: string) {
  const required = await requiredBy(revision)
  const file = expectedFailures(revision)
  const listed = [...(await readFile(file, 'utf8')).matchAll(/^ +- ([^\s:]+)/gm)].map(([, name = '']) => name)
  const url = await addressFor()
  const { code, output } = await conformance(
    'server',
    ...['--url', url, '--requirements', revision, '--expected-failures', file],
  )
  const summary = output.slice(output.indexOf('=== SUMMARY ==='))
  const passed = [...summary.matchAll(/^✓ (\S+): (\d+) passed, 0 failed$/gm)]
    .filter(([, , checks]) => Number(checks) > 0)
    .map(([, scenario = '']) => scenario)
  return { required, listed, code, summary, passed }
}

test('every scored scenario of 2025-11-25 passes but for those that are listed with a reason', {
  timeout: TIME_LIMIT_MS,
}, async () => {
  const { required, listed, code, summary, passed } = await judge('2025-11-25')
  expect(required.length).toBeGreaterThan(25)
  expect(required.filter((scenario) => !passed.includes(scenario)).sort(), summary).toEqual(
    [...listed].sort(),
  )
  expect(code, summary).toBe(0)
})

test('every scored scenario of 2026-07-28 passes', { timeout: TIME_LIMIT_MS }, async () => {
  const { required, listed, code, summary, passed } = await judge('2026-07-28')
  expect(required.length).toBeGreaterThan(30)
  expect(listed).toEqual([])
  expect(passed).toEqual(expect.arrayContaining(NOT_YET_SCORED))
  expect(
    required.filter((scenario) => !passed.includes(scenario)),
    summary,
  ).toEqual([])
  expect(code, summary).toBe(0)
})

test('streams that run at once each carry their own news and their own result, without a session', async () => {
  const url = await addressFor()
  const answers = await Promise.all(
    [1, 2, 3].map(async (id) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream, application/json',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name: 'test_tool_with_progress', _meta: { progressToken: `of ${id}` } },
        }),
      })
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      expect(response.headers.get('mcp-session-id')).toBeNull()
      const events = (await response.text()).matchAll(/^data: (.+)$/gm)
      return [...events].map(([, data = '']) => JSON.parse(data) as Message)
    }),
  )
  for (const [at, messages] of answers.entries()) {
    const told = messages.filter(({ method }) => method === 'notifications/progress')
    expect(told.map(({ params }) => params?.progress)).toEqual([0, 50, 100])
    expect(new Set(told.map(({ params }) => params?.progressToken))).toEqual(new Set([`of ${at + 1}`]))
    expect(messages.at(-1)).toMatchObject({ id: at + 1, result: { content: [{ type: 'text' }] } })
  }
})

test('a server without the switch for tests has nothing of the suite', async () => {
  const plain = await createToolsWorld()
  const { token } = await plain.person({ producer: true })
  const ask = async (method: string, params: Record<string, unknown> = {}) => {
    const response = await plain.rpc(token, { jsonrpc: '2.0', id: 1, method, params })
    return (await response.json()) as Message
  }
  const listed = await ask('tools/list')
  expect(listed.result?.tools?.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name))
  const opened = await ask('initialize', { protocolVersion: '2025-11-25' })
  expect(opened.result?.capabilities).toEqual({ tools: {}, resources: {}, prompts: {}, completions: {} })
  for (const name of ['test_simple_text', 'test_image_content'])
    expect((await ask('tools/call', { name })).error?.code).toBe(-32602)
  for (const method of ['logging/setLevel', 'resources/subscribe', 'subscriptions/listen'])
    expect((await ask(method)).error?.code).toBe(-32601)
})
