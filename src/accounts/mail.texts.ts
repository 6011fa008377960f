/**
 * The mails we send, as plain text and HTML. ASCII only, the link on a line of its own. Nothing a stranger typed is in
 * them, not even the name given at sign-up or an organization's: else anybody could have us send their words to anybody.
 * The one exception is a domain that was proved to be the sender's own.
 */
export const MAIL_KINDS = [
  'verify',
  'magic',
  'reset',
  'already',
  'no_account',
  'password_changed',
  'invitation',
  'deactivated',
] as const
export type MailKind = (typeof MAIL_KINDS)[number]

export type RenderedMail = { subject: string; text: string; html: string }

type MailText = {
  subject: string
  /** `sender` stands for whoever is behind the mail. */
  before: string | ((sender: string) => string)
  /** What following the link does. */
  action: string
  after: string
}

const NOT_YOU = 'If it was not you, do nothing: without the link nothing happens.'

const TEXTS: Record<MailKind, MailText> = {
  verify: {
    subject: 'Confirm your address',
    before:
      'An account was made with this address. If it was you, confirm it with this link, which also signs you in:',
    action: 'Confirm and sign in',
    after: `The link works for a day. Open it in the browser you signed up with: in any other you choose a new password. ${NOT_YOU}`,
  },
  magic: {
    subject: 'Your sign-in link',
    before: 'Somebody, probably you, asked to sign in with this address. This link signs you in:',
    action: 'Sign in',
    after: `The link works for 15 minutes; do not pass it on. ${NOT_YOU}`,
  },
  reset: {
    subject: 'Choose a new password',
    before:
      'Somebody, probably you, asked for a new password for the account with this address. Choose one here:',
    action: 'Choose a new password',
    after: `The link works once, within an hour. ${NOT_YOU}`,
  },
  already: {
    subject: 'You already have an account',
    before:
      'Somebody, probably you, tried to sign up with this address, which has an account already. This link signs you in:',
    action: 'Sign in',
    after: `The link works for 15 minutes; do not pass it on. ${NOT_YOU}`,
  },
  no_account: {
    subject: 'There is no account with this address',
    before:
      'Somebody, probably you, asked for a new password, but no account has this address. Perhaps you signed up with another one. To make an account:',
    action: 'Sign up',
    after: 'If it was not you, do nothing.',
  },
  password_changed: {
    subject: 'Your password was changed',
    before:
      'The password of the account with this address was changed, and all other devices were signed out. If it was not you, choose a new one at once:',
    action: 'Choose a new password',
    after: 'If it was you, there is nothing to do.',
  },
  invitation: {
    subject: 'An invitation to join an organization',
    before: (sender) =>
      `${sender} invites you to join its team on Souk. The page behind this link shows its name, who invited you and as what:`,
    action: 'See the invitation',
    after:
      'The link works for a week, and only for an account with this address. If you do not know who invites you, do nothing: without the link nothing happens.',
  },
  deactivated: {
    subject: 'This account is deactivated',
    before:
      'Somebody, probably you, asked to sign in with this address. Its account was deactivated by the operator of this service, so nobody can sign in with it. To ask why, write to them. The service is here:',
    action: 'Open Souk',
    after: 'If it was not you, do nothing.',
  },
}

export type MailDetails = {
  link: string
  baseUrl: string
  /** Of the organization behind the mail; only if it is verified. */
  provedDomain?: string | null
}

export function renderMail(kind: MailKind, { link, baseUrl, provedDomain }: MailDetails): RenderedMail {
  const { subject, before: opening, action, after } = TEXTS[kind]
  const sender = provedDomain ? `The organization that owns ${provedDomain}` : 'An organization'
  const before = typeof opening === 'string' ? opening : opening(sender)
  const site = new URL(baseUrl).host
  const text = [before, link, after, `Souk at ${site}`].join('\n\n')
  const href = escapeHtml(link)
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="color-scheme" content="light dark"></head>',
    '<body style="font:16px/1.6 sans-serif;max-width:34em;margin:2em auto;padding:0 1em">',
    `<p>${escapeHtml(before)}</p>`,
    `<p><a href="${href}" style="display:inline-block;padding:.6em 1.2em;border-radius:.6em;`,
    `background:#2347c5;color:#fff;text-decoration:none;font-weight:600">${escapeHtml(action)}</a></p>`,
    `<p style="overflow-wrap:anywhere">Or copy this address:<br><a href="${href}">${href}</a></p>`,
    `<p>${escapeHtml(after)}</p><p>Souk at ${escapeHtml(site)}</p></body></html>`,
  ].join('\n')
  return { subject: `Souk: ${subject}`, text: wrap(text), html }
}

/** Lines a terminal and an old mail reader can show; a link is one word and stays whole. */
function wrap(text: string, width = 72): string {
  return text
    .split('\n')
    .map((line) => {
      const lines = ['']
      for (const word of line.split(' ')) {
        const last = lines.at(-1) ?? ''
        if (last && last.length + word.length >= width) lines.push(word)
        else lines[lines.length - 1] = last ? `${last} ${word}` : word
      }
      return lines.join('\n')
    })
    .join('\n')
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
