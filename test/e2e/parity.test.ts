/**
 * What people do on pages, agents by tools and machines by REST or command is the same, or docs/dashboard.md says why not.
 * Its tables are held against what the app mounts, the tools it offers and the commands it has, both ways: a form that
 * is added without a word there fails, and so does a word about something that is gone.
 */
import fs from 'node:fs'
import { expect, test } from 'vitest'
import { TOOLS } from '../../src/agents/mcp/registry.ts'
import { projectFile } from '../../src/lib/paths.ts'
import { runAdmin } from '../admin-command.ts'
import { createTestApp } from '../harness.ts'

const { app, database } = await createTestApp()

const PARITY = '## By hand, by API, by tool'
const [pages = '', parity = ''] = fs.readFileSync(projectFile('docs', 'dashboard.md'), 'utf8').split(PARITY)

const routes = new Set(app.routes.map(({ method, path }) => asWritten(`${method} ${path}`)))
const tools = new Set(TOOLS.map(({ name }) => name))
const producerTools = TOOLS.filter(({ audience }) => audience === 'producers').map(({ name }) => name)
const commands = await listCommands()

/** Arguments that the tables name beside the tool or route that takes them. */
const ARGUMENTS = new Set(['dry_run', 'run_test', 'managed_rules'])
const COMMAND_LINE = /^npm run souk -- [a-z]/
const REASON = /^none: \S.{5,}/

/** `:id` and `/api/org` of a route are `{id}` and `/api/org/` in documents. */
function asWritten(address: string): string {
  return address.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}').replace(/(?<=.)\/$/, '')
}

/** What stands in code marks. */
function named(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => asWritten(code))
}

/** The rows of all tables, without their headings. */
function rowsOf(text: string): string[][] {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    const isHead = /^\|-/.test(line) || /^\|-/.test(lines[at + 1] ?? '')
    if (!line.startsWith('|') || isHead) return []
    return [
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ]
  })
}

/** As anyone who types `admin` alone is told them. */
async function listCommands(): Promise<Set<string>> {
  const { err } = await runAdmin({ database })
  return new Set([...err.matchAll(/-- (admin [a-z-]+)/g)].map(([, name = '']) => name))
}

const isThere = (name: string) =>
  routes.has(name) || tools.has(name) || commands.has(name) || COMMAND_LINE.test(name)

const among = (address: RegExp) => [...routes].filter((route) => address.test(route)).sort()

const rows = rowsOf(parity)

test('every form of the dashboard and of the operator has what does the same, or a reason why nothing does', () => {
  const forms = among(/^POST \/(dashboard|admin)\//)
  expect(forms.length).toBeGreaterThan(40)
  const unanswered = forms.flatMap((form) => {
    const about = rows.filter(([, page = '']) => named(page).includes(form))
    if (about.length === 0) return [`${form} is in no table`]
    return about.flatMap(([act, , ...elsewhere]) =>
      elsewhere
        .filter((cell) => !named(cell).some(isThere) && !REASON.test(cell))
        .map((cell) => `${form} (${act}): "${cell}" is neither a counterpart nor a reason`),
    )
  })
  expect(unanswered).toEqual([])
})

test('every route, tool and command of producers and the operator is told', () => {
  const told = new Set(named(parity))
  const rest = among(/^(?!ALL)\S+ \/api\/(org|offers|admin)(\/|$)/)
  expect([rest.length, producerTools.length, commands.size].every((count) => count >= 19)).toBe(true)
  expect([...rest, ...producerTools, ...commands].filter((name) => !told.has(name))).toEqual([])
})

test('the tables name nothing that is not there', () => {
  const claimed = named(parity).filter((name) => /^([A-Z]+ \/|admin [a-z]|[a-z]+_[a-z_]+$)/.test(name))
  expect(claimed.length).toBeGreaterThan(100)
  expect(claimed.filter((name) => !isThere(name) && !ARGUMENTS.has(name))).toEqual([])
})

test('every page of the dashboard and of the operator is listed with what it is for', () => {
  const listed = new Set(rowsOf(pages).flatMap((cells) => cells.flatMap(named)))
  const addresses = among(/^GET \/(dashboard|admin)(\/|$|\.)/).map((route) => route.slice('GET '.length))
  expect(addresses.length).toBeGreaterThan(35)
  expect(addresses.filter((address) => !listed.has(address))).toEqual([])
})
