/**
 * Bounds on what strangers state, looked at before anything is made of it: reading an entry or cleaning a text costs
 * far more than counting, so a hundred thousand entries must be refused unread. Of arrays zod's own "max" does so; an
 * object it reads first.
 */
import { z } from 'zod'
import { isPublicHost, NOT_PUBLIC } from '../lib/public-link.ts'

/** A text may come with markup and white space that cleaning takes away: this much more than is kept is looked at. */
const RAW_FACTOR = 4
/** Descriptions come as whole web pages. */
const RAW_FACTOR_OF_MARKUP = 10

/** `schema` reads an object only if it has at most `max` entries. A JSON schema does not show this step. */
export function atMost<Schema extends z.ZodType>(max: number, schema: Schema) {
  return z.preprocess((value, issue) => {
    if (sizeOf(value) <= max) return value
    issue.addIssue({
      code: 'too_big',
      // Told as entries, not as a number.
      origin: 'array',
      maximum: max,
      inclusive: true,
      input: value,
      message: `must have at most ${max} entries`,
    })
    return z.NEVER
  }, schema)
}

function sizeOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

/** As much of a text as can matter when `kept` characters of it are kept; never half a tag or half a character. */
export function startOf(text: string, kept: number, { markup = false } = {}): string {
  const max = rawMax(kept, markup)
  if (text.length <= max) return text
  const start = text.slice(0, max).replace(/[\ud800-\udbff]$/, '')
  // "5 < 6" opens no tag.
  const tag = start.lastIndexOf('<')
  return tag > start.lastIndexOf('>') && /^<[a-z/!?]/i.test(start.slice(tag)) ? start.slice(0, tag) : start
}

/** Whether `startOf` leaves something out. */
export function isBeyond(text: string, kept: number, { markup = false } = {}): boolean {
  return text.length > rawMax(kept, markup)
}

function rawMax(kept: number, markup: boolean): number {
  return kept * (markup ? RAW_FACTOR_OF_MARKUP : RAW_FACTOR)
}

const MAX_URL = 2_000

/**
 * An address of the web that somebody gives us to keep. Normalised: what is stored holds no control character, quote or
 * bracket that a form, a terminal or the database would have to fear, and nobody's password; and it is a public host's.
 */
export const webLink = (schemes: readonly string[] = ['https:', 'http:']) =>
  z.string().transform((text, issue) => {
    const url = isBeyond(text, MAX_URL) ? null : URL.parse(text.trim())
    const isWeb =
      url &&
      schemes.includes(url.protocol) &&
      url.username + url.password === '' &&
      url.href.length <= MAX_URL
    if (isWeb && isPublicHost(url)) return url.href
    const kinds = schemes.map((scheme) => scheme.slice(0, -1)).join(' or ')
    issue.addIssue({
      code: 'custom',
      message: isWeb ? NOT_PUBLIC : `must be a full ${kinds} URL of at most ${MAX_URL} characters`,
    })
    return z.NEVER
  })
