/**
 * The words of UCP that every answer is made of: the release we speak, the two capabilities of its catalog, the `ucp`
 * member of a response, and messages. One release only: an older one would need a profile and answers of its own.
 */
export const UCP_VERSION = '2026-08-25'

export const SEARCH = 'dev.ucp.shopping.catalog.search'
export const LOOKUP = 'dev.ucp.shopping.catalog.lookup'
export type Capability = typeof SEARCH | typeof LOOKUP

export type Message =
  | { type: 'info'; code: string; content: string }
  | { type: 'error'; code: string; content: string; severity: 'recoverable' | 'unrecoverable' }

export type Envelope = {
  version: string
  status?: 'error'
  capabilities: Partial<Record<Capability, Array<{ version: string }>>>
}

/** What takes the place of a product that cannot be shown; the request itself was understood (HTTP 200). */
export type ErrorAnswer = { ucp: Envelope; messages: Message[]; continue_url?: string }

export function envelope(capability: Capability): Envelope {
  return { version: UCP_VERSION, capabilities: { [capability]: [{ version: UCP_VERSION }] } }
}

/** Without a capability: none was agreed on. */
export function errorAnswer(
  capability: Capability | null,
  error: Omit<Extract<Message, { type: 'error' }>, 'type'>,
  continueUrl: string,
): ErrorAnswer {
  const capabilities = capability === null ? {} : envelope(capability).capabilities
  return {
    ucp: { version: UCP_VERSION, status: 'error', capabilities },
    messages: [{ type: 'error', ...error }],
    continue_url: continueUrl,
  }
}

export function info(code: string, content: string): Message {
  return { type: 'info', code, content }
}
