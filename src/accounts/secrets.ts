/**
 * What accounts derive from SOUK_SECRET: boxes for links that wait in the jobs table and for what
 * a page lets people take back, keys of throttle rows, and signatures of links that never expire.
 */
import { createSecretBox, equalInConstantTime, hmacSha256Hex, type SecretBox } from '../lib/crypto.ts'

export type AccountSecrets = {
  mail: SecretBox
  /** What was just removed, carried by the page that offers to put it back. */
  undo: SecretBox
  /** Forms that were sent after their session had ended. Too short-lived to be sealed anew when the secret changes. */
  unsaved: SecretBox
  /** Hides whose row it is: a plain hash of an address can be found by trying addresses. */
  throttleKey(text: string): string
  /** Links in notices that turn them off. */
  notices: Signer
}

export type Signer = {
  /** With the newest secret. */
  sign(text: string): string
  /** With any of the secrets. */
  isSigned(text: string, signature: string): boolean
}

export function createAccountSecrets(secret: string): AccountSecrets {
  const secrets = secret.split(',').map((one) => one.trim())
  const newest = secrets[0] ?? ''
  const signed = (one: string, text: string) => hmacSha256Hex(`notices ${one}`, text)
  return {
    mail: createSecretBox(secret, 'mail'),
    undo: createSecretBox(secret, 'undo'),
    unsaved: createSecretBox(secret, 'unsaved'),
    throttleKey: (text) => hmacSha256Hex(`throttle ${newest}`, text),
    notices: {
      sign: (text) => signed(newest, text),
      isSigned: (text, signature) =>
        secrets.filter(Boolean).some((one) => equalInConstantTime(signed(one, text), signature)),
    },
  }
}
