/**
 * How a request that was sent proved that it was ours, told so that its receiver can find out why it was refused. Of a
 * signature only the beginning is kept, which nobody can replay and everybody can compare: made again with the secret
 * of today over the bytes of then, it begins the same, or the secret is not the same any more.
 */
import type { RfqIntegration } from '../orgs/integration-health.service.ts'
import { beginningOf, SIGNATURE_HEADER, signHeaders, TIMESTAMP_HEADER } from './request.ts'

export type SignatureCheck =
  | { kind: 'none' }
  | { kind: 'bearer' }
  | {
      kind: 'hmac'
      timestamp: string
      /** Null where nothing of it was kept. */
      begins: string | null
      /** How many were signed: the timestamp, a dot, and the body. */
      bytes: number
      /** The secret it was made with is that of today; null where that cannot be told. */
      current: boolean | null
    }

type Sent = { headers: Record<string, string> | null; body: string | null }
type Secret = Pick<RfqIntegration, 'authType' | 'secret' | 'secretLost'>

/** Null where nothing was sent. `now` is null when nothing is registered any more. */
export function checkSignature({ headers, body }: Sent, now: Secret | null): SignatureCheck | null {
  if (headers === null || body === null) return null
  if (headerOf(headers, 'Authorization') !== null) return { kind: 'bearer' }
  const [signature, timestamp] = [headerOf(headers, SIGNATURE_HEADER), headerOf(headers, TIMESTAMP_HEADER)]
  if (signature === null || timestamp === null) return { kind: 'none' }
  const begins = /^[0-9a-f]+/.exec(signature)?.[0] ?? null
  const bytes = Buffer.byteLength(`${timestamp}.${body}`)
  const current = begins === null ? null : isCurrent({ begins, timestamp, body }, now)
  return { kind: 'hmac', timestamp, begins, bytes, current }
}

function isCurrent(
  { begins, timestamp, body }: { begins: string; timestamp: string; body: string },
  now: Secret | null,
): boolean | null {
  if (now?.secretLost) return null
  if (!now?.secret || now.authType !== 'hmac') return false
  const { authType, secret } = now
  const again = signHeaders({ authType, secret, rawBody: body, now: new Date(Number(timestamp) * 1000) })
  return beginningOf(again[SIGNATURE_HEADER] ?? '') === beginningOf(begins)
}

function headerOf(headers: Record<string, string>, name: string): string | null {
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name.toLowerCase())
  return found?.[1] ?? null
}
