/**
 * What accounts derive from SOUK_SECRET: boxes for links that wait in the jobs table and for what
 * a page lets people take back, and keys of throttle rows.
 */
import { createSecretBox, hmacSha256Hex, type SecretBox } from '../lib/crypto.ts'

export type AccountSecrets = {
  mail: SecretBox
  /** What was just removed, carried by the page that offers to put it back. */
  undo: SecretBox
  /** Hides whose row it is: a plain hash of an address can be found by trying addresses. */
  throttleKey(text: string): string
}

export function createAccountSecrets(secret: string): AccountSecrets {
  const newest = secret.split(',')[0]?.trim() ?? ''
  return {
    mail: createSecretBox(secret, 'mail'),
    undo: createSecretBox(secret, 'undo'),
    throttleKey: (text) => hmacSha256Hex(`throttle ${newest}`, text),
  }
}
