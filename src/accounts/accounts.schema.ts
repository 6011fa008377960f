/** What people type into the account forms. Fields keep the names the forms use; messages are for the person typing. */
import { z } from 'zod'
import { cleanLine } from '../lib/text.ts'

const EMAIL_MAX = 254
export const NAME_MAX = 80

/** ASCII only, one address, nothing a mail header could misread. */
const EMAIL =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

export const Email = z
  .string({ error: 'Enter your email.' })
  .trim()
  .min(1, 'Enter your email.')
  .max(EMAIL_MAX, `Use at most ${EMAIL_MAX} characters.`)
  .regex(EMAIL, 'Enter an email like name@example.com.')
  .refine((email) => !/^\.|\.@|\.\./.test(email), 'Enter an email like name@example.com.')

export const Name = z
  .string()
  .default('')
  .transform(cleanLine)
  .pipe(z.string().max(NAME_MAX, `Use at most ${NAME_MAX} characters.`))

/** What was typed as an existing password: only its presence can be checked. */
export const GivenPassword = z.string({ error: 'Enter your password.' }).min(1, 'Enter your password.')

/** The address as it is compared. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase()
}
