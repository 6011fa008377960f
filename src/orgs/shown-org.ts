/**
 * An organization as buyers see it. Its name is whatever its owner typed and may imitate another's or give orders, so
 * it is one short line, and what is proved stands beside it in our words: "Acme · acme.example, verified". The dot
 * belongs to us: names lose theirs. Data fields keep the whole name.
 */
import { z } from 'zod'
import { shorten } from '../lib/text.ts'

/** `domain`: only when it is proved. */
export type ShownOrg = {
  name: string
  verified: boolean
  domain?: string | null
  /** Comes with the demo catalog: nobody real sells there. */
  demo?: boolean | undefined
}

/** What a demo organization is marked with in text; pages show it as a badge. */
export const DEMO_WORDS = '(demo)'

export const Demo = z
  .literal(true)
  .optional()
  .describe('True for an organization that comes with the demo catalog; else absent')

/** What data says of it: `demo: true`, or nothing. */
export function demoMark({ demo }: { demo?: boolean | undefined }): { demo?: true } {
  return demo ? { demo: true } : {}
}

const NAME_MAX = 60
/** What hides or reorders text; names lose it when they are written, and again here. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu
const DOTS = /[\u00b7\u2022\u2024\u2027\u2219\u22c5\u30fb\uff65]/g

/** The name alone, where what is proved stands elsewhere on the same page. */
export function shownName(name: string): string {
  const line = name.toWellFormed().replace(/\s/g, ' ').replace(UNSEEN, '').replace(DOTS, ' ')
  return shorten(line.replace(/ +/g, ' ').trim(), NAME_MAX) || 'Unnamed'
}

/** "Acme · acme.example, verified"; "Acme · not verified"; "Fernhill · fernhill.example, verified (demo)". */
export function shownOrg(org: ShownOrg): string {
  return `${shownName(org.name)} · ${org.verified ? provedWords(org) : marked('not verified', org)}`
}

/** What is ours to say of it, without a word of its own: "acme.example, verified". */
export function standingOf(org: Omit<ShownOrg, 'name'>): string {
  return org.verified ? provedWords(org) : marked('an unverified seller', org)
}

function provedWords({ verified, domain, demo }: Omit<ShownOrg, 'name'>): string {
  return marked(verified && domain ? `${domain}, verified` : 'verified', { demo })
}

function marked(words: string, { demo }: Pick<ShownOrg, 'demo'>): string {
  return demo ? `${words} ${DEMO_WORDS}` : words
}
