/**
 * The specs of a product that are short enough to be quoted, in one string: a line each, "Name: value". A product's texts
 * may give orders to the model that reads them, so nothing that could be a sentence is kept.
 */
import { cleanLine } from '../lib/text.ts'

type Spec = { name: string; value: string }

const MAX_NAME = 30
const MAX_VALUE = 40
const MAX_WORDS = 7
/** Of all lines together, so that a product with a hundred specs takes no more room than others. */
const MAX_LENGTH = 600
/** What ends a sentence, what is markup, and what reasons are joined with. Times and ratios keep their colon. */
const UNFIT = /[.!?](?:\s|$)|[<>{}[\]`*_\\|;]|:(?!\d)/

export function shortSpecsOf(specs: readonly Spec[]): string {
  let lines = ''
  for (const { name, value } of specs) {
    const line = shortSpec(name, value)
    if (line !== null && lines.length + line.length < MAX_LENGTH) lines += `${line}\n`
  }
  return lines
}

export function readShortSpecs(lines: string): Spec[] {
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const at = line.indexOf(': ')
      return { name: line.slice(0, at), value: line.slice(at + 2) }
    })
}

function shortSpec(name: string, value: string): string | null {
  const label = cleanLine(name)
  const said = firstPart(cleanLine(value))
  if (!label || !said || label.length > MAX_NAME) return null
  if (UNFIT.test(said) || UNFIT.test(label) || said.split(' ').length > MAX_WORDS) return null
  return `${label}: ${said}`
}

/** As much as fits, cut where a part ends. */
function firstPart(value: string): string {
  if (value.length <= MAX_VALUE) return value
  const end = Math.max(value.lastIndexOf(',', MAX_VALUE), value.lastIndexOf(' (', MAX_VALUE))
  return end > 0 ? value.slice(0, end) : ''
}
