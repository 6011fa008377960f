/** robots.txt, read as RFC 9309 says: of the rules that fit, the longest decides, and none is a yes. */
import { describe, expect, test } from 'vitest'
import { renderRobots } from './discovery.routes.ts'

const SITE = { baseUrl: 'https://souk.test', mcpUrl: 'https://mcp.souk.test' }

function mayFetch(robots: string, path: string): boolean {
  const rules = [...robots.matchAll(/^(Allow|Disallow): (\S+)$/gm)].map(([, verdict, start = '']) => ({
    allows: verdict === 'Allow',
    start,
  }))
  const fitting = rules.filter(({ start }) => path.startsWith(start))
  fitting.sort((a, b) => b.start.length - a.start.length || Number(b.allows) - Number(a.allows))
  return fitting[0]?.allows ?? true
}

describe('robots.txt', () => {
  const robots = renderRobots(SITE)

  test.each([
    '/',
    '/p/kettles/x',
    '/p/kettles/x.md',
    '/c/kettles',
    '/offers/x.json',
    '/sets',
    '/docs',
    '/llms.txt',
    '/feeds/products.jsonl',
    '/.well-known/ard.json',
    '/openapi.json',
    '/a2a/',
    '/mcp/',
    '/catalog/search',
    '/assets/site.css',
    '/pictures/kettles/plain.svg',
    '/api/search/',
    '/api/oauth/register/',
  ])('%s is open', (path) => {
    expect(mayFetch(robots, path)).toBe(true)
  })

  test.each([
    '/account',
    '/account/history',
    '/admin/oauth',
    '/auth/signin',
    '/dashboard/agent',
    '/dev/outbox',
    '/go/01920000-0000-7000-8000-000000000001',
    '/oauth/authorize',
    '/notices/unsubscribe?token=x',
    '/org/join?token=x',
    '/api/offers/list/',
    '/api/org/',
    '/api/admin/enrichments',
  ])('%s is closed', (path) => {
    expect(mayFetch(robots, path)).toBe(false)
  })

  test('it says where the sitemap, the resources for agents and llms.txt are', () => {
    expect(robots).toContain('\nSitemap: https://souk.test/sitemap.xml\n')
    expect(robots).toContain('\nAgentmap: https://souk.test/.well-known/ard.json\n')
    expect(robots).toMatch(/^# .*https:\/\/souk\.test\/llms\.txt.*https:\/\/mcp\.souk\.test\/mcp\//)
  })

  test('one group is for everybody', () => {
    expect(robots.match(/^User-agent: .*$/gm)).toEqual(['User-agent: *'])
  })
})
