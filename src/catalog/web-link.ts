/**
 * An address of the web that somebody gives us to keep. Normalised: what is stored holds no control character, quote or
 * bracket that a form, a terminal or the database would have to fear, and nobody's password; and it is a public host's.
 */
import { z } from 'zod'
import { isPublicHost, NOT_PUBLIC } from '../lib/public-link.ts'
import { isBeyond } from './bounded-input.ts'

const MAX_URL = 2_000

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
