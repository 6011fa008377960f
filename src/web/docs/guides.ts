/**
 * The guides of the project's docs folder: their groups, and where their links lead. The folder is read once, when first
 * asked for. A guide in no group is listed in the last one; without the folder there are no guides.
 */
import fs from 'node:fs'
import path from 'node:path'
import { projectFile } from '../../lib/paths.ts'
import { readOpening, type Target } from './markdown.ts'

/** `summary` is one sentence. */
export type Guide = { name: string; title: string; summary: string; source: string }
type GuideGroup = { id: string; title: string; guides: Guide[] }

export const DOCS_FOLDER = 'docs'
const FILE = /^([a-z0-9]+(?:-[a-z0-9]+)*)\.md$/

const GROUPS = {
  'Shoppers and agents': 'pages tools a2a agents ucp search bundles rfq discovery feeds',
  Sellers: 'dashboard producers producer-protocol organizations offers enrichment agent-integration',
  Operators:
    'operating limits sizing observability import accounts oauth architecture dependencies benchmarks',
  Specification: 'interface',
}

let ownGuides: Map<string, Guide> | null = null

export function ownDocuments(): Map<string, Guide> {
  ownGuides ??= readGuides(projectFile(DOCS_FOLDER))
  return ownGuides
}

export function readGuides(folder: string): Map<string, Guide> {
  const files = fs.existsSync(folder) ? fs.readdirSync(folder).sort() : []
  const guides = files.flatMap((file): Guide[] => {
    const name = FILE.exec(file)?.[1]
    if (name === undefined) return []
    const source = fs.readFileSync(path.join(folder, file), 'utf8')
    const { title, opening } = readOpening(source)
    return [{ name, title: title ?? name, summary: firstSentence(opening), source }]
  })
  return new Map(guides.map((guide) => [guide.name, guide]))
}

function firstSentence(text: string): string {
  return /^.*?[.:!?](?=\s+[A-Z]|$)/.exec(text)?.[0] ?? text
}

export function groupGuides(guides: Map<string, Guide>): GuideGroup[] {
  const grouped = Object.entries(GROUPS).map(([title, names]) => ({ title, names: names.split(' ') }))
  const others = [...guides.keys()].filter((name) => !grouped.some(({ names }) => names.includes(name)))
  return [...grouped, { title: 'More', names: others }]
    .map(({ title, names }, index) => ({
      id: `guides-${index + 1}`,
      title,
      guides: names.flatMap((name) => guides.get(name) ?? []),
    }))
    .filter((group) => group.guides.length > 0)
}

export function guidePath(name: string): string {
  return `/docs/${name}`
}

/** Resolves a link as a guide writes it: to a heading, a guide or any file of the project. */
export function resolveLink(link: string, guides: Map<string, Guide>): Target {
  if (link.startsWith('#') || link.startsWith('/')) return { href: link }
  const [address = '', fragment] = link.split('#', 2)
  const file = path.posix.normalize(path.posix.join(DOCS_FOLDER, address))
  const [folder, name = ''] = [path.posix.dirname(file), FILE.exec(path.posix.basename(file))?.[1]]
  if (folder !== DOCS_FOLDER || !guides.has(name)) return { file }
  return { href: `${guidePath(name)}${fragment === undefined ? '' : `#${fragment}`}` }
}
