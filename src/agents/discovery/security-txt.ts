/**
 * `security.txt` (RFC 9116): whom to tell of a hole. It must say until when it can be believed; written from the clock it is
 * never out of date, and it changes once a day only, so that who has it is answered 304.
 */

const DAY_MS = 86_400_000
/** The standard wants less than a year; half of one leaves room for those who keep a copy. */
const DAYS_AHEAD = 180

export function renderSecurityTxt(
  { baseUrl, securityContact }: { baseUrl: string; securityContact: string },
  now: Date,
): string {
  const expires = new Date(startOfDay(now).getTime() + DAYS_AHEAD * DAY_MS)
  const lines = [
    `Contact: ${securityContact}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    // RFC 9116 2.5.2: an address on the web must be https here, so a service without it has none to give.
    ...(baseUrl.startsWith('https:') ? [`Canonical: ${baseUrl}/.well-known/security.txt`] : []),
  ]
  return `${lines.join('\n')}\n`
}

export function startOfDay(time: Date): Date {
  return new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS)
}
