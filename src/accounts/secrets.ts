/** What accounts derive from SOUK_SECRET: boxes for links that wait in the jobs table, and keys of throttle rows. */
import { createSecretBox, hmacSha256Hex, type SecretBox } from '../lib/crypto.ts'

export type AccountSecrets = {
  mail: SecretBox
  /** Hides whose row it is: a plain hash of an address can be found by trying addresses. */
  throttleKey(text: string): string
}

export function createAccountSecrets(secret: string): AccountSecrets {
  const newest = secret.split(',')[0]?.trim() ?? ''
  return {
    mail: createSecretBox(secret, 'mail'),
    throttleKey: (text) => hmacSha256Hex(`throttle ${newest}`, text),
  }
}
