/**
 * `souk verify-quote`: whether a quote was really promised by this service, and what it says. Takes the signature of a
 * quote, or a file that holds one or JSON with quotes in it; `-` reads standard input. Of several quotes each is checked,
 * and one that is not proved is enough to fail.
 */
import fs from 'node:fs'
import { text as readText } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import type { Config } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import type { Jwks } from '../lib/jws.ts'
import { loadSecret } from '../lib/secret.ts'
import { type QuoteProof, signaturesIn, verifyQuote } from '../rfq/quote-signature.ts'
import { createSigningKeys } from '../rfq/signing-keys.service.ts'
import { withDatabase } from './with-database.ts'

const USAGE = `usage: npm run souk -- verify-quote QUOTE [--jwks FILE]
  QUOTE   a quote's signature, a file with it or with quotes as JSON, or - for standard input
  --jwks  a saved copy of the service's /.well-known/jwks.json; default: the keys in the database
`

export async function verifyQuoteCommand(config: Config, args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: { jwks: { type: 'string' } },
    allowPositionals: true,
  })
  const [given] = positionals
  if (given === undefined || positionals.length > 1) {
    process.stderr.write(USAGE)
    return 2
  }
  const signatures = signaturesIn(await contentOf(given))
  if (signatures.length === 0) throw new Error('this quote has no signature')
  const jwks = values.jwks === undefined ? await ownKeys(config) : readJwks(values.jwks)
  const proved = signatures.map((signature) => report(verifyQuote(signature, jwks, systemClock.now())))
  return proved.every(Boolean) ? 0 : 1
}

function report(proof: QuoteProof): boolean {
  if (!proof.ok) {
    process.stderr.write(`Not valid: ${proof.message}\n`)
    return false
  }
  process.stdout.write(`${JSON.stringify(proof.promise, null, 2)}\n`)
  process.stderr.write(
    `Valid: signed with key ${proof.kid}${proof.expired ? '; the offer has ended' : ''}.\n`,
  )
  return true
}

async function contentOf(given: string): Promise<string> {
  if (given === '-') return readText(process.stdin)
  return fs.existsSync(given) ? fs.readFileSync(given, 'utf8') : given
}

function readJwks(file: string): Jwks {
  const jwks = JSON.parse(fs.readFileSync(file, 'utf8')) as Partial<Jwks>
  if (!Array.isArray(jwks.keys)) throw new Error(`${file} has no keys`)
  return { keys: jwks.keys }
}

function ownKeys(config: Config): Promise<Jwks> {
  return withDatabase(config, ({ db }) =>
    createSigningKeys({ db, clock: systemClock }, loadSecret(config)).published(),
  )
}
