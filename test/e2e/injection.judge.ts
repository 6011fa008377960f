/** Whether what was answered is only what it is meant to be: bodies, headers, and what a model is given to read. */
import MarkdownIt from 'markdown-it'
import { BASE_URL } from '../harness.ts'
import { readBody, readJson, readMarkdown } from './injection.leaves.ts'
import { type Findings, findFaults, isProse, MARK, MARKED, type SourceName } from './injection.sources.ts'

/** What was found wrong, and which fields that should be seen were not: without them nothing would be proved. */
export type Verdict = { faults: string[]; missing: SourceName[] }
export const NOTHING: Verdict = { faults: [], missing: [] }

export function verdictOf(findings: Findings[], shows: readonly SourceName[] = []): Verdict {
  const seen = new Set(findings.flatMap((found) => [...found.seen]))
  const faults = new Set(findings.flatMap((found) => found.faults))
  return { faults: [...faults], missing: shows.filter((source) => !seen.has(source)) }
}

export async function judge(
  answers: Iterable<Response | Promise<Response>>,
  shows: readonly SourceName[] = [],
): Promise<Verdict> {
  const findings: Findings[] = []
  for (const one of answers) {
    const answer = await one
    const { seen, faults } = findFaults(
      readBody(answer.headers.get('content-type') ?? '', await answer.text()),
    )
    findings.push({ seen, faults: [...faults, ...headerFaults(answer)] })
  }
  return verdictOf(findings, shows)
}

const PLAIN_NAME = /^(?:attachment|inline)(?:; filename="[\w.-]+")?$/

/** A header says nothing of strangers' but where to go, which is here or back to a client. */
function headerFaults({ status, headers }: Response): string[] {
  const faults = status >= 500 ? [`answered ${status}`] : []
  for (const [name, value] of headers) {
    const isOurs =
      name === 'location' &&
      /^http:\/\/souk\.test\/|^https:\/\/client\.example\//.test(new URL(value, BASE_URL).href)
    if (name === 'content-disposition' && !PLAIN_NAME.test(value)) faults.push(`${name}: ${value}`)
    if (MARKED.test(value) && !isOurs) faults.push(`${name}: ${value}`)
  }
  return faults
}

const markdown = new MarkdownIt({ html: true })

/** What a model is given to read: text that stays text, and words of others in a fence that says whose they are. */
export function faultsForModel(text: string): ReturnType<typeof findFaults> {
  const found = findFaults(readMarkdown(text))
  for (const { type, info, content } of markdown.parse(text, {})) {
    if (type === 'fence' && info === 'untrusted') continue
    for (const [mark, code = ''] of content.matchAll(MARK))
      if (isProse(code)) found.faults.push(`${mark} stands outside of a fence: ${content.slice(0, 200)}`)
  }
  return found
}

export const faultsInData = (data: unknown) => findFaults(readJson(JSON.stringify(data)))
