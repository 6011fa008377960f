/**
 * An organization as buyers see it. Its name is whatever its owner typed and may imitate another's or give orders, so
 * it is one short line, and what is proved stands beside it in our words: "Acme · acme.example, verified". The dot
 * belongs to us: names lose theirs. Data fields keep the whole name.
 */
import { shorten } from '../lib/text.ts'

/** `domain`: only when it is proved. */
export type ShownOrg = { name: string; verified: boolean; domain?: string | null }

const NAME_MAX = 60
/** What hides or reorders text; names lose it when they are written, and again here. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu
const DOTS = /[\u00b7\u2022\u2024\u2027\u2219\u22c5\u30fb\uff65]/g

/** The name alone, where what is proved stands elsewhere on the same page. */
export function shownName(name: string): string {
  const line = name.toWellFormed().replace(/\s/g, ' ').replace(UNSEEN, '').replace(DOTS, ' ')
  return shorten(line.replace(/ +/g, ' ').trim(), NAME_MAX) || 'Unnamed'
}

/** "Acme · acme.example, verified"; "Acme · not verified". */
export function shownOrg(org: ShownOrg): string {
  return `${shownName(org.name)} · ${org.verified ? provedWords(org) : 'not verified'}`
}

/** What is ours to say of it, without a word of its own: "acme.example, verified". */
export function standingOf(org: Omit<ShownOrg, 'name'>): string {
  return org.verified ? provedWords(org) : 'an unverified seller'
}

function provedWords({ verified, domain }: Omit<ShownOrg, 'name'>): string {
  return verified && domain ? `${domain}, verified` : 'verified'
}
