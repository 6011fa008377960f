/**
 * The official conformance suite against the authorization server, as its own program. It prints an address for a person
 * to open; the browser of the tests opens it.
 */
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { projectFile } from '../../src/lib/paths.ts'
import { startLive } from '../e2e/oauth.live.ts'

const NODE = projectFile('node_modules', '.bin', 'node')
const CONFORMANCE = projectFile('node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js')

/** A port that was free a moment ago: the suite wants to be told one. */
async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

test('every authorization scenario of the suite passes', { timeout: 60_000 }, async () => {
  const live = await startLive()
  const person = live.browser('ada@people.example')
  await person.signUp()
  const port = await freePort()
  const registration = await fetch(`${live.baseUrl}/api/oauth/register/`, {
    method: 'POST',
    body: JSON.stringify({
      redirect_uris: [`http://127.0.0.1:${port}/callback`],
      client_name: 'Conformance',
    }),
  })
  const { client_id: clientId } = (await registration.json()) as { client_id: string }

  const args = ['authorization', '--url', live.baseUrl, '--client-id', clientId, '--port', String(port)]
  const suite = spawn(NODE, [CONFORMANCE, ...args, '--resource', `${live.baseUrl}/mcp`])
  onTestFinished(() => void suite.kill())
  let output = ''
  let opened: Promise<unknown> | null = null
  suite.stderr.on('data', (chunk) => {
    output += chunk
  })
  suite.stdout.on('data', (chunk) => {
    output += chunk
    const address = /^http:\/\/\S+\/oauth\/authorize\/\?\S+$/m.exec(output)?.[0]
    if (address && output.includes('Waiting up to'))
      opened ??= person.follow(address).then((back) => fetch(back))
  })
  const code = await new Promise((resolve) => suite.once('close', resolve))
  await opened
  expect(code, output).toBe(0)
  expect(output).toContain('authorization-server-metadata-endpoint: 2 passed, 0 failed')
  expect(output).toContain('authorization-code-grant: 1 passed, 0 failed')
  expect(output).toContain('Total: 3 passed, 0 failed')
})
