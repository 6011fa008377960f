/** How a request proved that it was ours, whether it would with the secret of today, and how to check it oneself. */
import type { SignatureCheck } from '../../../rfq/inspector.signature.ts'
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from '../../../rfq/request.ts'
import { formatCount } from '../../format.ts'
import { State } from '../../kit/parts.tsx'
import { AGENT_PATH } from '../paths.ts'
import { Code } from './code.tsx'

const SNIPPET = `import { createHmac, timingSafeEqual } from 'node:crypto'

// rawBody: the bytes as they came, before anything parses them
const timestamp = request.headers['${TIMESTAMP_HEADER.toLowerCase()}']
const expected = createHmac('sha256', secret)
  .update(timestamp + '.')
  .update(rawBody)
  .digest()
const given = Buffer.from(request.headers['${SIGNATURE_HEADER.toLowerCase()}'], 'hex')
const fromSouk = given.length === expected.length && timingSafeEqual(given, expected)
const fresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300`

type ProofProps = {
  check: SignatureCheck
  /** Of the try, to tell its parts from those of another on the page. */
  title: string
}

export function Proof({ check, title }: ProofProps) {
  return (
    <div class="proof">
      <h4>Proof that it is us</h4>
      <Words check={check} title={title} />
    </div>
  )
}

function Words({ check, title }: ProofProps) {
  if (check.kind === 'none')
    return (
      <p>
        None: anybody could have sent this. <a href={AGENT_PATH}>Register a secret for your agent</a>
      </p>
    )
  if (check.kind === 'bearer')
    return (
      <p>
        Your bearer token, in the header <code>Authorization</code>. It is not kept with the request, so it
        cannot be compared with the one that is registered now.
      </p>
    )
  return (
    <>
      <p>{standing(check)}</p>
      <p>
        <code>{SIGNATURE_HEADER}</code> holds the HMAC-SHA256, in hex, of {formatCount(check.bytes)} bytes:
        the value of <code>{TIMESTAMP_HEADER}</code> (<code>{check.timestamp}</code>), a dot, and the body as
        it was sent.
        {check.begins !== null && (
          <>
            {' '}
            It began with <code>{check.begins}</code>; the rest is not kept.
          </>
        )}
      </p>
      <details>
        <summary>Check it in your own code</summary>
        <Code label={`How to check a signature in Node: ${title}`} text={SNIPPET} />
        <p>
          <a href="/docs/producers#know-who-is-asking">More on checking that it is us</a>
        </p>
      </details>
    </>
  )
}

function standing({ current }: Extract<SignatureCheck, { kind: 'hmac' }>) {
  if (current === null) return <State tone="quiet">Cannot be compared with the secret registered now</State>
  if (current) return <State tone="good">Right for the secret that is registered now</State>
  return <State tone="mixed">Made with a secret that has been replaced since</State>
}
