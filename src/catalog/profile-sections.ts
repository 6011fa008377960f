/**
 * The parts of a profile that can be asked for one by one, as text for a model. Whoever names parts wants those and no
 * others, so they share the whole text: each gets an equal part of the room that is left, and what one does not need
 * goes to those after it. A part that is empty says so, because silence would read as "not asked".
 */

import { fitBlocks, fitItems, TEXT_ROOM } from '../lib/fit-text.ts'
import { inlineText, type UntrustedLine, untrusted } from '../lib/untrusted.ts'
import { counted } from '../lib/words.ts'
import { standingOf } from '../orgs/shown-org.ts'
import {
  factsLine,
  fenced,
  linksLine,
  offersSection,
  PRODUCERS,
  REVIEWERS,
  shopsSection,
  specLines,
  statusLine,
  summaryLines,
  themeLines,
  titleLine,
  verdictLine,
} from './profile.text.ts'
import { contributorWords, type ProductProfile, provenanceBySource, sourceWords } from './profile.ts'

export const PROFILE_SECTIONS = [
  'summary',
  'verdict',
  'specs',
  'themes',
  'images',
  'where_to_buy',
  'offers',
  'provenance',
] as const
export type ProfileSection = (typeof PROFILE_SECTIONS)[number]

type Section = (profile: ProductProfile, room: number, baseUrl: string) => string

const SECTIONS: Record<ProfileSection, Section> = {
  summary: (profile, room) =>
    stated('summary', summaryLines(profile, { words: room - 500, list: 800 }), room, PRODUCERS),
  verdict: (profile) => verdictLine(profile) || 'Verdict: none yet.',
  specs: (profile, room) => stated('specs', specLines(profile), room, PRODUCERS),
  themes: (profile, room) => stated('review themes', themeLines(profile), room, REVIEWERS),
  images: (profile, room) => stated('images', imageLines(profile), room, PRODUCERS),
  where_to_buy: (profile, room) => shopsSection(profile, room) || 'Where to buy: no shop known.',
  offers: (profile, room, baseUrl) =>
    offersSection(profile, baseUrl, room) || 'Promoted offers: none at this moment.',
  provenance: provenanceSection,
}

/** In the order of the page, whatever the order they were named in. */
export function sectionsText(
  profile: ProductProfile,
  sections: ReadonlySet<ProfileSection>,
  { baseUrl, next }: { baseUrl: string; next: string },
): string {
  const asked = PROFILE_SECTIONS.filter((section) => sections.has(section))
  const tail = `\n\n${linksLine(profile, baseUrl)}\n\n${next}`
  const body = fitBlocks(TEXT_ROOM - tail.length, [
    () => titleLine(profile),
    () => factsLine(profile),
    ...asked.map(
      (section, at) => (room: number) =>
        SECTIONS[section](profile, Math.floor(room / (asked.length - at)), baseUrl),
    ),
  ])
  return `${body}${tail}`
}

function stated(what: string, lines: UntrustedLine[], room: number, writer: string): string {
  const name = `${what.charAt(0).toUpperCase()}${what.slice(1)}`
  if (lines.length === 0) return `${name}: none known.`
  return fenced(writer, lines, room) || `${name}: ${counted(lines.length, 'line')}, all in the data.`
}

/** Those of the feed, then those that a producer added. */
export function imagesOf({ images, additionalImages = [] }: ProductProfile): ProductProfile['images'] {
  return [...images, ...additionalImages]
}

const LONGEST_IMAGE = 2_400

function imageLines(profile: ProductProfile): UntrustedLine[] {
  return imagesOf(profile).map(({ url, alt }) => ({
    label: 'Image',
    text: alt === null ? url : `${url} (${alt})`,
    max: LONGEST_IMAGE,
  }))
}

function provenanceSection(profile: ProductProfile, room: number): string {
  const sources = provenanceBySource(profile)
  const lines = sources.map(({ source, verifiedAt, fields }, at) => {
    const checked = verifiedAt === null ? 'not verified' : `verified ${inlineText(verifiedAt, 40)}`
    const said = fields.map((field) => inlineText(field, 40)).join(', ')
    return {
      fact: `- Source ${at + 1} (${checked}): ${said}`,
      name: { label: `Source ${at + 1}`, text: sourceWords(profile, source, verifiedAt !== null) },
    }
  })
  const helped = (profile.enrichedBy ?? []).map((contributor, at) => ({
    fact: `- Enriched by organization ${at + 1} (${contributor.orgType}): ${inlineText(standingOf({ verified: contributor.verifiedAt !== null, domain: contributor.domain }))}`,
    name: { label: `Organization ${at + 1}`, text: contributorWords(contributor) },
  }))
  const all = [...lines, ...helped]
  return fitItems(all.length, room, (shown) => {
    const left = all.length - shown
    const more = left > 0 ? [`${counted(left, 'more line')} in the data.`] : []
    const facts = all.slice(0, shown)
    return [
      `${statusLine(profile)}. Who said what:`,
      ...facts.map(({ fact }) => fact),
      ...more,
      ...(facts.length === 0
        ? []
        : [
            '',
            untrusted(
              'the sources',
              facts.map(({ name }) => name),
            ),
          ]),
    ].join('\n')
  })
}
