/**
 * The first section of docs/producers.md as a new developer meets it: the very commands of the page, with other ports so
 * that it does not hang on what else this machine runs, from nothing to a ranked quote, in Node and in Python.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectFile } from '../../src/lib/paths.ts'
import { tempDataDir } from '../server-process.ts'

const page = fs.readFileSync(projectFile('docs', 'producers.md'), 'utf8')
const section = /## Try it on your own machine\n([\s\S]*?)\n## /.exec(page)?.[1] ?? ''
const commands = [...section.matchAll(/```sh\n([\s\S]*?)\n```/g)].map(([, command]) => command ?? '')
const [start = '', inNode = '', inPython = '', ask = ''] = commands

const dataDir = tempDataDir()
const running: Array<{ child: ChildProcess; said: () => string }> = []
let ports: { souk: number; shop: number }

/** In a process group of its own, because `npm start` starts others. `until` is what it says once it can be used. */
async function run(command: string, env: Record<string, string>, until: string) {
  const child = spawn('sh', ['-c', command], {
    cwd: projectFile('.'),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let said = ''
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (piece) => {
        said += piece
        if (said.includes(until)) resolve()
      })
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}:\n${said}`)))
  })
  running.push({ child, said: () => said })
  await ready
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = once(child, 'exit')
  process.kill(-child.pid, 'SIGTERM')
  await ended
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

beforeAll(async () => {
  ports = { souk: await freePort(), shop: await freePort() }
  await run(
    start,
    { PORT: String(ports.souk), SOUK_DATA_DIR: dataDir, NODE_ENV: 'production' },
    `http://localhost:${ports.souk}`,
  )
}, 180_000)

afterAll(async () => {
  await Promise.all(running.map(({ child }) => stop(child)))
  fs.rmSync(dataDir, { recursive: true, force: true })
}, 60_000)

test('the page begins with three commands, the second in two languages', () => {
  expect(commands).toHaveLength(4)
  expect(page.indexOf('## Try it on your own machine')).toBeLessThan(page.indexOf('## In Node, with the kit'))
})

test.each([
  ['Node', () => inNode],
  ['Python', () => inPython],
])(
  'an agent in %s gets from nothing to a ranked quote by the commands of the page',
  async (_, command) => {
    const shop = await run(command(), { PORT: String(ports.shop) }, 'Fernhill Supply answers on')
    const asked = ask.replace(':8787', `:${ports.shop}`).replace(':3000', `:${ports.souk}`)
    expect(asked).not.toBe(ask)
    const child = spawn('sh', ['-c', asked], { cwd: projectFile('.'), stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => (said += piece))
    const [code] = await once(child, 'close')
    await stop(shop)
    expect(said).toMatch(/✓ a quote for espresso-machines\/grindel-unison-54: \$649 each/)
    expect(said).toMatch(/✓ \d\. your agent: \$649 in total/)
    // Beside others: a place alone is no rank.
    expect(said.match(/^ {4}\d\. .+ in total/gm)?.length).toBeGreaterThanOrEqual(2)
    expect(said).toContain(', 0 wrong')
    expect(code).toBe(0)
  },
  60_000,
)
