/** The page for connecting an agent, held against what machines are told of the same. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestApp } from '../../../test/harness.ts'
import { asText } from '../../../test/html.ts'
import type { ClientBlock } from '../../agents/discovery/clients.ts'

type McpJson = {
  endpoint: string
  clients: ClientBlock[]
  tools: Array<{ name: string; title: string }>
  audiences: { everyone: string[]; producers: string[] }
}

let souk: Awaited<ReturnType<typeof createTestApp>>
let response: Response
let html: string
let published: McpJson

beforeAll(async () => {
  souk = await createTestApp()
  response = await souk.app.request('/connect')
  html = await response.text()
  published = (await (await souk.app.request('/.well-known/mcp.json')).json()) as McpJson
})

describe('/connect', () => {
  test('has exactly the blocks of mcp.json: name, place, text and notes, in their order', () => {
    const shown = [...html.matchAll(/<article class="connect-client".*?<\/article>/gs)].map(([article]) => ({
      id: /<h3 id="([^"]+)"/.exec(article)?.[1],
      name: asText(/<h3[^>]*>(.*?)<\/h3>/s.exec(article)?.[1] ?? ''),
      where: asText(/Add to:<\/span> (.*?)<\/p>/s.exec(article)?.[1] ?? ''),
      text: asText(/<code[^>]*>(.*?)<\/code>/s.exec(article)?.[1] ?? ''),
      notes: [...article.matchAll(/<li>(.*?)<\/li>/gs)].map(([, note = '']) => asText(note)),
    }))
    expect(published.clients.length).toBeGreaterThan(5)
    expect(shown).toEqual(published.clients.map(({ language: _, ...block }) => block))
  })

  test('shows the address of the tool server first', () => {
    expect(asText(/<code id="address">(.*?)<\/code>/.exec(html)?.[1] ?? '')).toBe(published.endpoint)
    expect(html.indexOf('id="address"')).toBeLessThan(html.indexOf('<article'))
  })

  test('names every tool that the server lists, under who sees it', () => {
    const from = html.indexOf('<h3>For everyone</h3>')
    const between = html.indexOf('<h3>For sellers and manufacturers</h3>')
    const end = html.indexOf('id="other-ways"')
    const named = (part: string) =>
      [...part.matchAll(/<li>(.*?) <code>(\w+)<\/code>/g)].map(([, title, name]) => ({ name, title }))
    const { everyone, producers } = published.audiences
    const titled = (names: string[]) =>
      published.tools.flatMap(({ name, title }) => (names.includes(name) ? [{ name, title }] : []))
    expect(named(html.slice(from, between))).toEqual(titled(everyone))
    expect(named(html.slice(between, end))).toEqual(titled(producers))
    expect(everyone.length + producers.length).toBe(published.tools.length)
  })

  test('every link within it, and every button that copies, finds its place; no id is twice', () => {
    const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const targets = [...html.matchAll(/(?:href="#|data-copy="|aria-describedby=")([^"]+)"/g)]
    expect(targets.length).toBeGreaterThan(3 * published.clients.length)
    expect(targets.map(([, id]) => id).filter((id) => !ids.includes(id))).toEqual([])
    // Whoever sees the button must see what came of it.
    for (const told of html.match(/<output[^>]*>/g) ?? []) expect(told).not.toContain('hidden')
    const buttons = html.match(/<button[^>]*data-copy[^>]*>/g) ?? []
    expect(buttons).toHaveLength(published.clients.length + 1)
    for (const button of buttons) expect(button).toContain('hidden')
  })

  test('every other way in that it names is there', async () => {
    const main = html.slice(html.indexOf('<main'), html.indexOf('</main>'))
    const paths = [...main.matchAll(/href="(\/[^"#]*)/g)].map(([, path = '']) => path)
    expect(paths).toContain('/.well-known/agent-card.json')
    for (const path of paths) {
      const answer = await souk.app.request(path)
      await answer.body?.cancel()
      expect([200, 303], path).toContain(answer.status)
    }
  })

  test('who has the page already is told so', async () => {
    const etag = response.headers.get('etag') ?? ''
    expect(etag).not.toBe('')
    const again = await souk.app.request('/connect', { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect(response.headers.get('content-security-policy')).toContain(`script-src 'self'`)
  })
})
