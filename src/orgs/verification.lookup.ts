/**
 * Looks for an organization's token where only the owner of its domain can put it: a TXT record of the domain, or a file
 * at its root. Says in words what was found, so that people see why it did not work yet; of what others put there it
 * repeats nothing.
 */

import { OutboundError } from '../lib/outbound.errors.ts'
import type { Outbound, OutboundResponse } from '../lib/outbound.ts'
import type { ResolveTxt } from '../lib/outbound.txt.ts'

const RECORD = 'souk-verification='
const FILE_PATH = '/.well-known/souk-verification.txt'
const FILE_BYTES = 4 * 1024
const FILE_MS = 5_000

export type Proof = { domain: string; token: string }
export type Found = { via: 'dns' | 'file' | null; checked: { dns: string; file: string } }

export function proofPlaces({ domain, token }: Proof) {
  return { dnsRecord: `${RECORD}${token}`, fileUrl: `https://${domain}${FILE_PATH}`, fileBody: token }
}

export async function lookForProof(
  ctx: { outbound: Outbound; resolveTxt: ResolveTxt },
  proof: Proof,
): Promise<Found> {
  const dns = await lookAtDns(ctx.resolveTxt, proof)
  if (dns.proved)
    return { via: 'dns', checked: { dns: dns.words, file: 'not checked: the TXT record is enough' } }
  const file = await lookAtFile(ctx.outbound, proof)
  return { via: file.proved ? 'file' : null, checked: { dns: dns.words, file: file.words } }
}

type Look = { proved: boolean; words: string }

async function lookAtDns(resolveTxt: ResolveTxt, proof: Proof): Promise<Look> {
  const { domain } = proof
  const { dnsRecord } = proofPlaces(proof)
  let texts: string[]
  try {
    texts = (await resolveTxt(domain)).map((text) => text.trim())
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { proved: false, words: error.message }
  }
  if (texts.includes(dnsRecord)) return { proved: true, words: `${domain} has the TXT record` }
  if (texts.length === 0) return { proved: false, words: `${domain} has no TXT records` }
  const stale = texts.some((text) => text.startsWith(RECORD))
  return {
    proved: false,
    words: stale
      ? `${domain} has a ${RECORD}… TXT record, but with a different token`
      : `${domain} has TXT records, but none that starts with ${RECORD}`,
  }
}

async function lookAtFile(outbound: Outbound, proof: Proof): Promise<Look> {
  const { fileUrl: url, fileBody, dnsRecord } = proofPlaces(proof)
  let answer: OutboundResponse
  try {
    answer = await outbound.request({ url, timeoutMs: FILE_MS, maxBytes: FILE_BYTES })
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { proved: false, words: error.message }
  }
  if (answer.status !== 200) return { proved: false, words: `${url} answered ${answer.status}` }
  const lines = answer.body
    .toString('utf8')
    .split(/\r?\n/)
    .map((line) => line.replace(/^\ufeff/, '').trim())
  if (lines.includes(fileBody) || lines.includes(dnsRecord))
    return { proved: true, words: `${url} has the token` }
  return { proved: false, words: `${url} answered, but does not have the token on a line of its own` }
}
