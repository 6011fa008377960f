/** What people paste into their clients: well-formed, at the right address, and the same as the documents say. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { projectFile } from '../../lib/paths.ts'
import { type ClientBlock, clientBlocks, toolAddresses } from './clients.ts'

const LOCAL = { baseUrl: 'http://localhost:3000', mcpUrl: 'http://localhost:3000' }
const APART = { baseUrl: 'https://souk.example', mcpUrl: 'https://tools.example/agents' }

function block(site: typeof LOCAL, id: string): ClientBlock {
  const found = clientBlocks(site).find((one) => one.id === id)
  if (!found) throw new Error(`there is no block ${id}`)
  return found
}

test('every client is given once', () => {
  const ids = clientBlocks(LOCAL).map(({ id }) => id)
  expect(ids).toEqual([
    'claude',
    'claude-desktop',
    'claude-code',
    'chatgpt',
    'chatgpt-connector',
    'cursor',
    'vscode',
    'codex',
    'gemini-cli',
    'curl',
  ])
})

test.each(clientBlocks(APART).map((one) => [one.id, one] as const))(
  '%s is led to the tool server where it really is',
  (id, { text }) => {
    const address = `https://tools.example/agents/mcp${id === 'chatgpt-connector' ? '/connector' : ''}`
    const addresses = new Set(text.match(/https?:\/\/[^\s"']+/g))
    expect([...addresses]).toEqual([address])
  },
)

describe('files to paste', () => {
  const { tools } = toolAddresses(APART)

  test.each([
    ['cursor', { mcpServers: { souk: { url: tools } } }],
    ['vscode', { servers: { souk: { type: 'http', url: tools } } }],
    ['gemini-cli', { mcpServers: { souk: { httpUrl: tools } } }],
  ])('%s reads it in its own form', (id, content) => {
    const { language, text } = block(APART, id)
    expect(language).toBe('json')
    expect(JSON.parse(text)).toEqual(content)
  })

  test('codex reads a table of TOML', () => {
    expect(block(APART, 'codex').text).toBe(`[mcp_servers.souk]\nurl = "${tools}"`)
  })
})

test('an address that a shell would take apart is quoted', () => {
  const odd = { baseUrl: 'http://[::1]:3000', mcpUrl: 'http://[::1]:3000' }
  expect(block(odd, 'claude-code').text).toBe(`claude mcp add --transport http souk 'http://[::1]:3000/mcp'`)
})

describe('docs/tools.md says the same', () => {
  const guide = readFileSync(projectFile('docs/tools.md'), 'utf8').replaceAll(/\s+/g, ' ')
  const commands = (id: string) => {
    const { language, text, notes } = block(LOCAL, id)
    return [...(language === 'sh' ? [text] : []), ...notes]
      .map((line) => /(?:^|: )((?:claude|codex|gemini|\/)\s?mcp .*)$/.exec(line)?.[1])
      .filter((command) => command !== undefined)
  }

  test.each([
    ['claude-code', 1],
    ['codex', 2],
    ['gemini-cli', 2],
  ])('the commands of %s', (id, count) => {
    expect(commands(id)).toHaveLength(count)
    for (const command of commands(id)) expect(guide).toContain(`\`${command}\``)
  })

  test.each(['cursor', 'vscode'])('the file of %s', (id) => {
    expect(guide).toContain(block(LOCAL, id).text.replaceAll(/\s+/g, ' '))
  })
})
