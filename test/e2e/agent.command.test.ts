/** The client at the terminal, as a person runs it: against the real service, and against servers that mean no good. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { tokenFile } from '../../src/commands/agent.oauth.ts'
import { agentCommand } from '../../src/commands/agent.ts'
import { serve } from '../loopback.ts'
import { startLive } from './oauth.live.ts'
import { createSampleWorld, serveTools } from './tools.live.ts'

const live = await startLive()
const person = live.browser('ada@people.example')
await person.signUp()
const market = await createSampleWorld()
const tools = `${await serveTools(market)}/`
const { token } = market.people.consumer

const closed = await serve(() => {})
const nobody = `http://127.0.0.1:${closed.port}`
await closed.close()

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-agent-'))
afterAll(() => fs.rmSync(home, { recursive: true }))
const env = { HOME: home }
beforeEach(() => fs.rmSync(tokenFile(env), { force: true }))

/** What the browser does with the address; by default the person signs in and allows. */
type Visit = (address: string) => Promise<unknown>
const allow: Visit = async (address) => fetch(await person.follow(address))

async function run(args: string[], visit: Visit = allow) {
  const said: string[] = []
  let printed = ''
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      printed += String(text)
      return true
    }),
  )
  let visited: Promise<unknown> = Promise.resolve()
  const open = (address: string) => {
    visited = visit(address)
    return true
  }
  try {
    const code = await agentCommand(args, { env, say: (line) => said.push(line), open })
    await visited
    return { code, out: printed, said: said.join('\n') }
  } catch (error) {
    return { code: (error as { code?: string }).code ? 2 : 1, out: printed, said: (error as Error).message }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

describe('signing in', () => {
  test('by the browser keeps a token that only its owner reads, and calls work with it', async () => {
    expect(await run([live.baseUrl, 'tools'])).toMatchObject({
      code: 1,
      said: expect.stringContaining(`agent ${live.baseUrl}/mcp/ login`),
    })
    const { code, said } = await run([live.baseUrl, 'login'])
    expect([code, said]).toEqual([0, expect.stringContaining('Signed in.')])
    expect(fs.statSync(tokenFile(env)).mode & 0o777).toBe(0o600)
    expect(fs.statSync(path.dirname(tokenFile(env))).mode & 0o777).toBe(0o700)
    const listed = await run([live.baseUrl, 'tools'])
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining('search_products\n')])
    expect(said).not.toContain('souk_at_')
  })

  test('a token that has ended is renewed without the person, and signing out forgets it', async () => {
    await run([live.baseUrl, 'login'])
    const before = fs.readFileSync(tokenFile(env), 'utf8')
    live.clock.advance(2 * 3_600_000)
    const { code, said } = await run([live.baseUrl, 'tools'])
    expect([code, said]).toEqual([0, ''])
    expect(fs.readFileSync(tokenFile(env), 'utf8')).not.toBe(before)
    expect((await run([live.baseUrl, 'logout'])).said).toContain('Forgotten')
    expect(fs.readFileSync(tokenFile(env), 'utf8')).toBe('{}\n')
    expect((await run([live.baseUrl, 'logout'])).said).toContain('not signed in')
  })

  test('an answer to another question signs nobody in, and a refusal says so', async () => {
    const refuse: Visit = async (address) => {
      const back = new URL(new URL(address).searchParams.get('redirect_uri') ?? '')
      const guess = new URL(back)
      guess.search = '?code=stolen&state=guessed'
      expect(await (await fetch(guess)).text()).toContain('not the sign-in')
      back.search = `?error=access_denied&state=${new URL(address).searchParams.get('state')}`
      return fetch(back)
    }
    expect(await run([live.baseUrl, 'login'], refuse)).toMatchObject({
      code: 1,
      said: expect.stringContaining('not allowed'),
    })
    expect(fs.existsSync(tokenFile(env))).toBe(false)
  })

  test('a server that names another’s resource or host gets no token', async () => {
    let metadata: Record<string, unknown> = {}
    let challenge = ''
    const server = await serve((request, response) => {
      const known = request.url?.startsWith('/.well-known/')
      response.writeHead(known ? 200 : 401, {
        'Content-Type': 'application/json',
        'WWW-Authenticate': challenge,
      })
      response.end(JSON.stringify(metadata))
    })
    const origin = `http://127.0.0.1:${server.port}`
    metadata = { resource: `${live.baseUrl}/mcp`, authorization_servers: [live.baseUrl] }
    expect((await run([`${origin}/mcp`, 'login'])).said).toContain('names another resource')
    challenge = `Bearer resource_metadata="${live.baseUrl}/.well-known/oauth-protected-resource/mcp"`
    expect((await run([`${origin}/mcp`, 'login'])).said).toContain('on another host')
    challenge = ''
    metadata = { resource: `${origin}/mcp`, authorization_servers: [origin], issuer: live.baseUrl }
    expect((await run([`${origin}/mcp`, 'login'])).said).toContain('not the authorization server')
    await server.close()
  })
})

describe('calling', () => {
  const call = (...args: string[]) => run([tools, ...args, '--token', token])

  test('lists tools, and shows one with its parameters', async () => {
    const { out } = await call('tools')
    expect(out).toMatch(/^search_products\n {2}\S.*\.$/m)
    expect(out).toContain('find_retailers (changes things)')
    expect((await call('tool', 'search_products')).out).toContain('query (required): string')
    const all = JSON.parse((await call('tools', '--json')).out) as Array<{ name: string }>
    expect(all.map(({ name }) => name)).toContain('get_product')
  })

  test('reads each value as the parameter wants it, and prints the text of the answer', async () => {
    const { code, out } = await call(
      'call',
      'search_products',
      'query=kettle for pour-over',
      'max_price=100',
      'limit=2',
    )
    expect([code, out]).toEqual([0, expect.stringContaining('Gooseneck')])
    const slugs = 'sections:=["specs"]'
    const one = await call('call', 'get_product', 'category=kettles', 'slug=gooseneck', slugs)
    expect(one.out).toContain('1200 W')
    const list = await call(
      'call',
      'get_product',
      'category=kettles',
      'slug=gooseneck',
      'sections=specs,offers',
      '--json',
    )
    expect(JSON.parse(list.out)).toMatchObject({ content: [{ type: 'text' }], structuredContent: {} })
  })

  test('tells of progress while sellers are asked', async () => {
    const { code, said } = await call(
      'call',
      'find_retailers',
      'query=a quote',
      'product_slug=kettles/gooseneck',
    )
    expect(code, said).toBe(0)
    expect(said).toMatch(/^… /m)
  })

  test('what a tool refuses ends with 1 and its words', async () => {
    const { code, out } = await call('call', 'get_product', 'category=kettles', 'slug=no-such-kettle')
    expect(code).toBe(1)
    expect(out).not.toBe('')
  })

  test.each<[string[], string]>([
    [['call', 'search_produts'], 'there is no tool "search_produts"'],
    [['call', 'search_products'], 'search_products needs query='],
    [['call', 'search_products', 'query'], 'write it as key=value'],
    [['call', 'search_products', 'query=x', 'colour=red'], 'has no parameter "colour"; it has query'],
    [['call', 'search_products', 'query=x', 'max_price=cheap'], 'max_price must be a number'],
    [['call', 'search_products', 'query=x', 'on_sale=yes'], 'on_sale must be true or false'],
    [['call', 'get_product', 'sections:=specs'], 'sections must be JSON'],
    [['call'], 'needs the name of a tool'],
    [['dance'], 'unknown command "dance"'],
  ])('%j is refused before anything is called, and says how', async (args, words) => {
    expect(await call(...args)).toMatchObject({ code: 2, said: expect.stringContaining(words) })
  })
})

describe('errors say what to do', () => {
  test.each<[string, number, string]>([
    ['ftp://shop.example', 2, 'is not an address'],
    ['http://shop.example/mcp/', 2, 'use https'],
    [new URL(nobody).host, 1, 'nothing listens at'],
    [nobody, 1, `nothing listens at ${new URL(nobody).host}`],
    [`${live.baseUrl}/nothing`, 1, 'there is no tool server'],
  ])('%s', async (url, code, words) => {
    expect(await run([url, 'tools', '--token', 'x'])).toMatchObject({
      code,
      said: expect.stringContaining(words),
    })
  })

  test('a token that is not valid, a redirect, a page and a full quota', async () => {
    expect((await run([live.baseUrl, 'tools', '--token', 'x'])).said).toContain('the token is not valid')
    const answers: Array<[number, Record<string, string>, string, string]> = [
      [307, { Location: 'https://elsewhere.example/mcp' }, '', 'redirects to https://elsewhere.example/mcp'],
      [200, { 'Content-Type': 'text/html' }, '<h1>Hello</h1>', 'this is no tool server'],
      [429, { 'Retry-After': '30' }, '', 'try again in 30 seconds'],
      [503, {}, '', 'busy or restarting'],
      [500, {}, '\u001b[31mbroken', 'status 500: [31mbroken'],
    ]
    for (const [status, headers, body, words] of answers) {
      const server = await serve((_request, response) => response.writeHead(status, headers).end(body))
      const { said } = await run([`http://127.0.0.1:${server.port}`, 'tools', '--token', 'x'])
      expect(said).toContain(words)
      expect(server.accepted()).toBe(1)
      await server.close()
    }
  })

  test('text of a server cannot steer the terminal', async () => {
    const server = await serve(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      const { id, method } = JSON.parse(text) as { id?: number; method: string }
      const results: Record<string, unknown> = {
        initialize: { protocolVersion: '2025-11-25' },
        'tools/list': { tools: [{ name: 'paint', inputSchema: { type: 'object' } }] },
        'tools/call': {
          content: [{ type: 'text', text: '\u001b]0;owned\u0007hello\u202e' }, { type: 'image' }],
        },
      }
      const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1, total: 2 } }
      const result = { jsonrpc: '2.0', id, result: results[method] ?? {} }
      if (method !== 'tools/call') {
        response.writeHead(id === undefined ? 202 : 200, { 'Content-Type': 'application/json' })
        return void response.end(id === undefined ? '' : JSON.stringify(result))
      }
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.end([progress, result].map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''))
    })
    const { out, said } = await run([`http://127.0.0.1:${server.port}`, 'call', 'paint', '--token', 'x'])
    expect(out).toBe(']0;ownedhello\n\n(image: use --json to see it)\n')
    expect(said).toBe('… 50 %')
    await server.close()
  })
})
