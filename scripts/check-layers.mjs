/**
 * Holds the direction of imports: lower layers never import higher ones, features never reach into each other's
 * queries, SQL lives in *.queries.ts, and only lib/outbound opens connections to the outside. Nothing is imported from
 * outside src/ but the test kits, when they are asked for.
 * Reads the source as text; prints every breach with its line and fails.
 */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Lowest first; a file may import from its own row's folder and from every row before it. */
const LAYERS = [
  ['lib'],
  ['config.limits'],
  ['config'],
  ['db'],
  ['backup'],
  ['jobs'],
  ['http'],
  ['accounts'],
  ['notices'],
  ['tools'],
  ['operations'],
  ['orgs', 'oauth'],
  ['pictures'],
  ['catalog'],
  ['sources'],
  ['search', 'offers', 'pricing'],
  ['bundles', 'rfq', 'saved'],
  ['plans'],
  ['curator'],
  ['producers'],
  ['demo'],
  ['agents'],
  ['web'],
  ['org-hooks', 'sealed'],
  ['app'],
  ['parts'],
  ['server'],
  ['commands'],
  ['main'],
]
const RANK = new Map(LAYERS.flatMap((row, rank) => row.map((name) => [name, rank])))
const FEATURES = new Set([
  'backup',
  'accounts',
  'notices',
  'orgs',
  'oauth',
  'pictures',
  'catalog',
  'sources',
  'search',
  'offers',
  'pricing',
  'bundles',
  'rfq',
  'saved',
  'plans',
  'curator',
  'producers',
  'demo',
])
/** A feature's own faces; the rest of it knows no HTTP. */
const FACE = /\.(routes|http|operations|tools|pages)\.tsx?$/
const PURE = new Set(['pricing/quote.ts', 'rfq/rank.ts'])

/** Bundled as files of their own, and loaded by `import()` behind SOUK_TEST_FIXTURES. */
const KITS = '../test/kits/'

const IMPORT = /(?:^|\s)(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]|import\(['"]([^'"]+)['"]\)/gm
const SQL =
  /\bsql(?:<[^`]*>)?`|\b(?:all|one|column|set|map|value|count|exists|changed|hasChanged|run)(?:<[^`]*>)?\(\w+\)`|\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(|\b(?:pool|client)\.query\(/
const OUTSIDE_MODULES = new Set(['undici', 'axios', 'node:dgram', 'node:http2', 'node:tls'])
/** They run for a person and go where that person points them: a browser's script, and the client at the terminal. */
const MAY_CONNECT = /^(?:web\/client\/|commands\/agent\.client\.ts$)/
const OUTSIDE_CALL = /\bfetch\(|\bhttps?\.(?:request|get)\(|\bnet\.(?:connect|createConnection)\(/

export function checkLayers(src) {
  const breaches = []
  for (const entry of fs.readdirSync(src, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name) || /\.test\.tsx?$/.test(entry.name)) continue
    const file = path.join(entry.parentPath, entry.name)
    const name = path.relative(src, file).split(path.sep).join('/')
    checkFile(src, name, fs.readFileSync(file, 'utf8'), breaches)
  }
  return breaches.sort()
}

function checkFile(src, name, text, breaches) {
  const breach = (index, what) => breaches.push(`${name}:${text.slice(0, index).split('\n').length} ${what}`)
  const layer = layerOf(name)
  if (!RANK.has(layer))
    breach(0, `is in no known layer: add "${layer}" to LAYERS in scripts/check-layers.mjs`)
  for (const match of text.matchAll(IMPORT)) {
    const target = match[1] ?? match[2]
    const later = match[1] === undefined
    if (target.startsWith('.'))
      checkOwnImport(src, name, { target, later }, (what) => breach(match.index + 1, what))
    else checkPackageImport(name, target, (what) => breach(match.index + 1, what))
  }
  const withoutComments = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, (comment) =>
    comment.replace(/[^\n]/g, ' '),
  )
  if (layer !== 'db' && !/\.queries\.ts$/.test(name)) {
    const found = SQL.exec(withoutComments)
    if (found) breach(found.index, 'writes SQL outside a *.queries.ts file')
  }
  if (!isOutbound(name)) {
    const found = OUTSIDE_CALL.exec(withoutComments)
    if (found && !MAY_CONNECT.test(name)) breach(found.index, 'opens a connection: only lib/outbound may')
  }
}

function checkOwnImport(src, name, { target, later }, breach) {
  const to = path
    .relative(src, path.resolve(src, path.dirname(name), target))
    .split(path.sep)
    .join('/')
  if (to.startsWith('../')) {
    if (!later || !to.startsWith(KITS)) breach(`must not import ${to}: it is outside src`)
    return
  }
  const [from, into] = [layerOf(name), layerOf(to)]
  if (PURE.has(name) && !/\.schema\.ts$|^lib\/(?:money|domains|regions)\.ts$/.test(to))
    breach(`is pure and must not import ${to}`)
  if (from === into) return
  const same = RANK.get(from) === RANK.get(into)
  if (same || (RANK.get(into) ?? 0) > (RANK.get(from) ?? 0))
    breach(`(${from}) must not import ${to} (${into})`)
  if (FEATURES.has(into) && /\.queries\.ts$/.test(to))
    breach(`must not import another feature's queries: ${to}`)
  if (FEATURES.has(from) && into === 'http' && !FACE.test(name))
    breach(`knows no HTTP and must not import ${to}`)
}

function checkPackageImport(name, target, breach) {
  const layer = layerOf(name)
  if (OUTSIDE_MODULES.has(target) && !isOutbound(name))
    breach(`must not import ${target}: only lib/outbound opens connections`)
  const face = !FEATURES.has(layer) || FACE.test(name)
  if (!face && /^(hono|@hono\/|@modelcontextprotocol\/|@a2a-js\/)/.test(target))
    breach(`knows no HTTP and must not import ${target}`)
}

function layerOf(name) {
  return name.includes('/') ? name.slice(0, name.indexOf('/')) : name.replace(/\.tsx?$/, '')
}

function isOutbound(name) {
  return /^lib\/outbound\b/.test(name)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const breaches = checkLayers(
    process.argv[2] ?? path.join(path.dirname(path.dirname(process.argv[1])), 'src'),
  )
  for (const line of breaches) process.stderr.write(`${line}\n`)
  process.stderr.write(
    breaches.length === 0 ? 'Layers: no breach\n' : `Layers: ${breaches.length} breaches\n`,
  )
  process.exitCode = breaches.length === 0 ? 0 : 1
}
