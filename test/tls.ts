/**
 * A certificate authority for tests, made with node:crypto alone, so that tests of TLS need neither the openssl
 * program nor a package. It writes the few DER structures of X.509 (RFC 5280) by hand: P-256 keys, a CA, and
 * leaves with subject alternative names. Not for anything but tests: serials are random, nothing is revoked.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'

export type TestCa = {
  /** PEM, for `ca` options and NODE_EXTRA_CA_CERTS. */
  ca: string
  /** PEM key and certificate for a server with these names or addresses. */
  certFor(names: readonly string[], validity?: Validity): { cert: string; key: string }
}

export type Validity = { notBefore?: Date; notAfter?: Date }

const DAY_MS = 86_400_000

export function createTestCa(commonName = 'Test CA'): TestCa {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const constraints = extension('2.5.29.19', true, sequence(der(0x01, Buffer.from([0xff]))))
  const keyUsage = extension('2.5.29.15', true, der(0x03, Buffer.from([1, 0b0000_0110])))
  const issue = (subject: string, key: KeyObject, extensions: Buffer[], validity: Validity = {}) =>
    certificate({ issuer: commonName, subject, key, signer: authority.privateKey, extensions, validity })
  return {
    ca: issue(commonName, authority.publicKey, [constraints, keyUsage]),
    certFor(names, validity) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const subjectNames = extension('2.5.29.17', false, sequence(...names.map(generalName)))
      return {
        cert: issue('Test leaf', publicKey, [subjectNames], validity),
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      }
    },
  }
}

function certificate(parts: {
  issuer: string
  subject: string
  key: KeyObject
  signer: KeyObject
  extensions: Buffer[]
  validity: Validity
}): string {
  const { notBefore = new Date(Date.now() - DAY_MS), notAfter = new Date(Date.now() + 30 * DAY_MS) } =
    parts.validity
  const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'))
  const serial = randomBytes(16)
  serial[0] = 0x01 // positive, and no superfluous leading zero
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, serial),
    ecdsaWithSha256,
    name(parts.issuer),
    sequence(time(notBefore), time(notAfter)),
    name(parts.subject),
    parts.key.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...parts.extensions)),
  )
  const signature = sign('sha256', body, parts.signer)
  const whole = sequence(body, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = whole.toString('base64').replace(/.{1,64}/g, '$&\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...items: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(items))
}

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(value: number): number[] {
  const groups = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80)
  return groups
}

function name(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(commonName)))))
}

function time(date: Date): Buffer {
  return der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`)) // UTCTime, until 2049
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return sequence(oid(id), ...(critical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value))
}

function generalName(host: string): Buffer {
  return isIP(host) === 0 ? der(0x82, Buffer.from(host)) : der(0x87, addressBytes(host))
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const groups = (text = '') =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const start = groups(head)
  const end = groups(tail)
  const middle = Array<number>(8 - start.length - end.length).fill(0)
  return Buffer.from([...start, ...middle, ...end].flatMap((group) => [group >> 8, group & 0xff]))
}
