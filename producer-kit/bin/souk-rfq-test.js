#!/usr/bin/env node
/**
 * `souk-rfq-test URL`: the command line around src/rfq-test.js. Prints one line a finding, and ends with 0 when all
 * is well, 1 when something is wrong, 2 when it was called wrongly. Secrets may come from the environment, because
 * arguments can be read by everybody on the machine.
 */
import { parseArgs } from 'node:util'
import { fitsInHeader } from '../src/auth.js'
import { showRanked } from '../src/ranked.js'
import { testProducer } from '../src/rfq-test.js'

/** @import { Finding, TestOptions } from '../src/rfq-test.js' */

const USAGE = `souk-rfq-test URL [options]

Sends test requests for quote to your endpoint, genuine and forged, and says what is wrong with the answers.
URL is your agent card, or your domain (the card is then looked for in /.well-known/). On your own machine,
127.0.0.1:8787 is enough.

  --bearer TOKEN       test with this bearer token        (or the variable SOUK_RFQ_BEARER)
  --hmac SECRET        test with signatures by this secret (or the variable SOUK_RFQ_HMAC)
  --product SLUG       a product you sell, <category>/<slug>; without it only a decline is tested
  --quantity N         how many to ask for (1)
  --region REGION      STATE-COUNTRY (CA-US)
  --souk URL           ask a Souk on this machine for a ranked quote of your agent on this machine
  --insecure           accept any certificate, for tests on your own machine
  --help

Ends with 0 when all is well, 1 when something is wrong, 2 when it was called wrongly.
`

const MARKS = { good: '✓', warning: '!', problem: '✗', other: ' ' }

/**
 * @param {string[]} args
 * @returns {(TestOptions & { souk?: URL }) | 'help'}
 */
function readOptions(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      bearer: { type: 'string' },
      hmac: { type: 'string' },
      product: { type: 'string' },
      quantity: { type: 'string' },
      region: { type: 'string' },
      souk: { type: 'string' },
      insecure: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return 'help'
  const [given, ...more] = positionals
  if (given === undefined || more.length > 0) throw new Error('give one URL')
  const address = /^(?:localhost|127\.[\d.]+|\[::1\]):\d+$/.test(given) ? `http://${given}` : given
  if (values.souk !== undefined && !URL.canParse(values.souk)) throw new Error('--souk must be a URL')
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new Error(`${address} is no http or https URL`)
  const quantity = Number(values.quantity ?? 1)
  if (!Number.isSafeInteger(quantity) || quantity < 1)
    throw new Error('--quantity must be a whole number from 1')
  if (values.product !== undefined && !/^[^/\s]+\/[^/\s]+$/.test(values.product))
    throw new Error('--product must have the form <category>/<slug>')
  const bearer = values.bearer ?? process.env.SOUK_RFQ_BEARER
  const hmac = values.hmac ?? process.env.SOUK_RFQ_HMAC
  for (const [name, secret] of Object.entries({ bearer, hmac }))
    if (secret !== undefined && secret.length < 16)
      throw new Error(`--${name} must have at least 16 characters, as at registration`)
  if (bearer !== undefined && !fitsInHeader(bearer))
    throw new Error('--bearer must be printable ASCII without spaces')
  const { product, region, insecure } = values
  const souk = values.souk === undefined ? undefined : new URL(values.souk)
  return { url: new URL(address), bearer, hmac, product, quantity, region, insecure, souk }
}

/** @param {TestOptions & { souk?: URL }} options */
async function run(options) {
  const counts = { good: 0, warning: 0, problem: 0, other: 0 }
  /** @param {Finding} finding */
  const report = ({ level, text, advice }) => {
    if (level === 'title') return void process.stdout.write(`\n${text}\n`)
    counts[level] += 1
    process.stdout.write(`  ${MARKS[level]} ${text}\n${advice ? `      → ${advice}\n` : ''}`)
  }
  await testProducer(options, report)
  const { souk } = options
  if (souk) await showRanked({ ...options, souk }, report)
  process.stdout.write(`\n${counts.good} good, ${counts.warning} to look at, ${counts.problem} wrong\n`)
  return counts.problem === 0 ? 0 : 1
}

/** @returns {(TestOptions & { souk?: URL }) | 'help' | null} */
function optionsOrComplaint() {
  try {
    return readOptions(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`)
    return null
  }
}

const options = optionsOrComplaint()
if (options === 'help') process.stdout.write(USAGE)
else process.exitCode = options === null ? 2 : await run(options)
