/** What was measured, kept in one JSON file, and the document that is written from it. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Figure, type Figures, MEANINGS, type Meaning } from './figures.ts'
import type { Table } from './measure.ts'
import { ROOT } from './processes.ts'

const JSON_FILE = path.join(ROOT, 'docs', 'benchmarks.json')
const DOCUMENT = path.join(ROOT, 'docs', 'benchmarks.md')

type Machine = { date: string; node: string; cpu: string; memoryGb: number; versions: Record<string, string> }
export type KeptSection = Machine & { seconds: number; tables: Table[]; figures: Figures }
/** By section. One that was not run keeps what it had. */
export type Kept = Record<string, KeptSection>

const CONTENDERS = [
  '@modelcontextprotocol/sdk',
  '@modelcontextprotocol/server',
  '@orama/orama',
  'express',
  'fastify',
  'minisearch',
  'onnxruntime-node',
]

export function machine(): Machine {
  const [first] = os.cpus()
  // Some processors do not tell their name.
  const model = first?.model.trim().replace(/^unknown$/, '') || os.arch()
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    cpu: `${os.availableParallelism()} × ${model}`,
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    versions: Object.fromEntries(CONTENDERS.map((name) => [name, versionOf(name)])),
  }
}

function versionOf(name: string): string {
  const manifest = path.join(ROOT, 'node_modules', name, 'package.json')
  return (JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string }).version
}

export function readKept(): Kept {
  return fs.existsSync(JSON_FILE) ? (JSON.parse(fs.readFileSync(JSON_FILE, 'utf8')) as Kept) : {}
}

export function keep(measured: Kept): void {
  const all = { ...readKept(), ...measured }
  fs.writeFileSync(JSON_FILE, `${JSON.stringify(all, roundNumbers, 2)}\n`)
  fs.writeFileSync(DOCUMENT, writeDocument(readKept()))
  console.log('\nWritten to docs/benchmarks.json and docs/benchmarks.md')
}

const roundNumbers = (_: string, value: unknown) =>
  typeof value === 'number' ? Number(value.toPrecision(4)) : value

type Standing = { name: string; meaning: Meaning; figure: Figure }

function standings(kept: Kept): Standing[] {
  const found = Object.assign({}, ...Object.values(kept).map(({ figures }) => figures)) as Figures
  return Object.entries(MEANINGS).flatMap(([name, meaning]) => {
    const figure = found[name]
    // A ratio needs both measurements.
    return figure && Number.isFinite(figure.value) ? [{ name, meaning, figure }] : []
  })
}

const isMet = ({ meaning: { better, target = 0 }, figure: { value } }: Standing) =>
  better === 'more' ? value >= target : value <= target
const targetText = ({ better, target }: Meaning) => `${better === 'more' ? 'at least' : 'at most'} ${target}`
/** Level within what a run scatters by is level. */
const isAhead = ({ figure: { value, spread } }: Standing) => value + spread >= 1
const valueText = ({ value, spread }: Figure) =>
  spread > 0 ? `${value.toFixed(2)} ± ${spread.toFixed(2)}` : value.toFixed(2)

export function printStanding(kept: Kept): void {
  const all = standings(kept)
  console.log('\nTargets')
  for (const one of all.filter(({ meaning }) => meaning.target !== undefined))
    console.log(
      `  ${isMet(one) ? 'met   ' : 'MISSED'} ${one.name} = ${valueText(one.figure)} (${targetText(one.meaning)})`,
    )
  const behind = all.filter((one) => one.meaning.contender && !isAhead(one))
  if (behind.length > 0) console.log('\nOthers are ahead')
  for (const { name, meaning, figure } of behind)
    console.log(
      `  ${name} = ${valueText(figure)}: ${meaning.contender}, ${meaning.why ?? 'for no good reason'}`,
    )
}

export function writeDocument(kept: Kept): string {
  const all = standings(kept)
  const sections = Object.entries(kept)
  const latest = sections.map(([, section]) => section).sort((a, b) => b.date.localeCompare(a.date))[0]
  return [
    '# Benchmarks',
    '',
    'Written by `npm run bench`; the figures are in [benchmarks.json](benchmarks.json). What Souk costs beside the floor and beside others, in one run on one machine. Contenders take turns, round by round, so that what slows the machine slows all of them; a ratio is the median of those within the rounds, with half of what the middle half of them spans. Times are those of this machine; ratios are what to compare.',
    '',
    '```sh',
    'npm run bench                  # all sections, a quarter of an hour; writes this page',
    'npm run bench -- search reads  # some of them',
    'npm run bench -- --check       # compares with the figures kept here, and says what got worse',
    'npm run bench -- scale --sizes 1000,10000,100000,1000000   # the growth; the last size takes half an hour and 20 GB',
    '```',
    '',
    ...(latest ? [machineText(latest), ''] : []),
    '## Targets',
    '',
    ...markdownTable(
      ['', 'measured', 'target', ''],
      all
        .filter(({ meaning }) => meaning.target !== undefined)
        .map((one) => [
          one.meaning.says,
          valueText(one.figure),
          targetText(one.meaning),
          isMet(one) ? 'met' : `**missed**${one.meaning.why ? `: ${one.meaning.why}` : ''}`,
        ]),
    ),
    '',
    '## Beside others',
    '',
    'Above 1 we are ahead.',
    '',
    ...markdownTable(
      ['Beside', '', 'ratio', ''],
      all
        .filter(({ meaning }) => meaning.contender)
        .map((one) => [
          one.meaning.contender ?? '',
          one.meaning.says,
          valueText(one.figure),
          isAhead(one) ? 'ahead' : `behind: ${one.meaning.why ?? 'for no good reason'}`,
        ]),
    ),
    '',
    ...sections.flatMap(([name, section]) => sectionText(name, section)),
  ].join('\n')
}

function machineText({ cpu, memoryGb, node, versions }: KeptSection): string {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `Machine: ${cpu}, ${memoryGb} GB. Node ${node}, ${list.join(', ')}.`
}

function sectionText(name: string, { date, cpu, seconds, tables }: KeptSection): string[] {
  return [
    `## ${name}`,
    '',
    `${date}, ${cpu}, ${seconds} s.`,
    '',
    ...(name === 'growth'
      ? ['![Growth: start, memory, search, import and freshness by number of products](growth.svg)', '']
      : []),
    ...tables.flatMap(({ title, head, rows }) => [`**${title}**`, '', ...markdownTable(head, rows), '']),
  ]
}

function markdownTable(head: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)]
}
