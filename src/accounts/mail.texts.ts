/**
 * The mails we send, as plain text and HTML. ASCII only, the link on a line of its own. Nothing a stranger typed is in
 * them, not even the name given at sign-up or an organization's: else anybody could have us send their words to anybody.
 * The one exception is a domain that was proved to be the sender's own. Notices, which go to confirmed addresses alone,
 * name products and organizations; see src/notices/kinds.ts.
 */

/** Where accounts of the demo have their address: a name that no mail can reach. */
export const DEMO_MAIL_HOST = 'demo.invalid'
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
  /** `sender` describes who sends the invitation. */
  before: string | ((sender: string) => string)
  /** What following the link does. */
  action: string
  after: string
}

const NOT_YOU = "If this wasn't you, ignore this email: nothing happens without the link."

const TEXTS: Record<MailKind, MailText> = {
  verify: {
    subject: 'Confirm your email',
    before: 'Welcome to Souk! Confirm your email to finish signing up. This link also signs you in:',
    action: 'Confirm and sign in',
    after: `The link works for 24 hours. Open it in the browser you signed up with; in another one, you'll choose a new password. ${NOT_YOU}`,
  },
  magic: {
    subject: 'Your sign-in link',
    before: 'Use this link to sign in:',
    action: 'Sign in',
    after: `The link works for 15 minutes. Don't share it. ${NOT_YOU}`,
  },
  reset: {
    subject: 'Choose a new password',
    before: 'We got a request to reset your password. Choose a new one here:',
    action: 'Choose a new password',
    after: `The link works once, for an hour. ${NOT_YOU}`,
  },
  already: {
    subject: 'You already have an account',
    before:
      'Someone, probably you, tried to sign up with this email, but it already has an account. This link signs you in:',
    action: 'Sign in',
    after: `The link works for 15 minutes. Don't share it. ${NOT_YOU}`,
  },
  no_account: {
    subject: 'No account with this email',
    before:
      'Someone, probably you, asked to reset a password, but this email has no account. Maybe you signed up with another email. To create an account:',
    action: 'Sign up',
    after: "If this wasn't you, ignore this email.",
  },
  password_changed: {
    subject: 'Your password was changed',
    before:
      "Your password was changed and all other devices were signed out. If this wasn't you, choose a new password now:",
    action: 'Choose a new password',
    after: "If this was you, you're all set.",
  },
  invitation: {
    subject: "You're invited to join a team",
    before: (sender) =>
      `${sender} invited you to join its team on Souk. See its name, who invited you and your role here:`,
    action: 'See the invitation',
    after:
      "The link works for a week, and only for an account with this email. If you don't know who invited you, ignore this email: nothing happens without the link.",
  },
  deactivated: {
    subject: 'Your account is deactivated',
    before:
      'Someone, probably you, tried to sign in with this email, but the operator of this service deactivated the account. To find out why, contact them. The service is here:',
    action: 'Open Souk',
    after: "If this wasn't you, ignore this email.",
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
  const html = htmlOf([
    `<p>${escapeHtml(before)}</p>`,
    button(href, action),
    `<p style="overflow-wrap:anywhere">Or copy this link:<br><a href="${href}">${href}</a></p>`,
    `<p>${escapeHtml(after)}</p><p>Souk at ${escapeHtml(site)}</p>`,
  ])
  return { subject: `Souk: ${subject}`, text: wrap(text), html }
}

/** What one mail tells a person of. Texts are one line each. */
export type NoticesMail = {
  subject: string
  items: ReadonlyArray<{ text: string; action: string; link: string }>
  /** Where to choose what is sent. */
  settings: string
  /** Turns off what this mail tells of, by one POST (RFC 8058). */
  stop: string
}

/** Begins every item; where one goes on, its lines are set in, so that no line of somebody else's words looks like ours. */
const ITEM = '- '

export function renderNotices(
  { subject, items, settings, stop }: NoticesMail,
  baseUrl: string,
): RenderedMail {
  const site = new URL(baseUrl).host
  const listed = items.map(({ text, link }) => `${wrap(ITEM + text, 72, '  ')}\n${link}`)
  const choose = 'Choose what we email you, and when:'
  const end = 'Stop these emails:'
  const text = [...listed, `${choose}\n${settings}`, `${end}\n${stop}`, `Souk at ${site}`].join('\n\n')
  const html = htmlOf([
    ...items.map(
      ({ text: said, action, link }) => `<p>${escapeHtml(said)}</p>\n${button(escapeHtml(link), action)}`,
    ),
    `<hr><p><a href="${escapeHtml(settings)}">Choose what we email you, and when</a><br>`,
    `<a href="${escapeHtml(stop)}">Stop these emails</a></p><p>Souk at ${escapeHtml(site)}</p>`,
  ])
  return { subject: `Souk: ${subject}`, text, html }
}

function htmlOf(body: string[]): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="color-scheme" content="light dark"></head>',
    '<body style="font:16px/1.6 sans-serif;max-width:34em;margin:2em auto;padding:0 1em">',
    `${body.join('\n')}</body></html>`,
  ].join('\n')
}

function button(href: string, action: string): string {
  return [
    `<p><a href="${href}" style="display:inline-block;padding:.6em 1.2em;border-radius:.6em;`,
    `background:#2347c5;color:#fff;text-decoration:none;font-weight:600">${escapeHtml(action)}</a></p>`,
  ].join('\n')
}

/** Lines a terminal and an old mail reader can show; a link is one word and stays whole. */
function wrap(text: string, width = 72, indent = ''): string {
  return text
    .split('\n')
    .map((line) => {
      const lines = ['']
      for (const word of line.split(' ')) {
        const last = lines.at(-1) ?? ''
        if (last && last.length + word.length >= width) lines.push(indent + word)
        else lines[lines.length - 1] = last ? `${last} ${word}` : word
      }
      return lines.join('\n')
    })
    .join('\n')
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
