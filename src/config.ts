/**
 * Configuration comes from the environment alone and is read once, at start. A wrong value stops the program with
 * one line that names the variable and what it accepts (exit code 2); the value itself is never printed, because
 * it may be a secret put into the wrong variable.
 */
import { isIP } from 'node:net'
import path from 'node:path'
import { domainToASCII } from 'node:url'
import { z } from 'zod'
import { keepSetting, limitsSetting } from './config.limits.ts'
import { parseOutboundAllow } from './lib/outbound.allow.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const integer = (min: number, max: number, preset: number) =>
  z
    .string()
    .regex(/^\d+$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .default(preset)
    .describe(`a whole number from ${min} to ${max}`)

// A description belongs to the outermost schema: wrapping one afterwards would hide it.
const optionalUrl = (protocols: string[]) =>
  z
    .string()
    .refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol))
    .optional()
    .describe(`a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)

const webUrl = optionalUrl(['http:', 'https:'])

/** An address that stands in public files and decides over cookies: kept in one spelling, and with no more than it needs. */
const publicUrl = (takes: string, { path: withPath }: { path: boolean }) =>
  z
    .string()
    .trim()
    .transform((text, issue) => {
      const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
      const flaw = url && flawOf(url, text, withPath)
      if (url && flaw === null) return url.origin + withoutSlash(url.pathname)
      issue.addIssue({ code: 'custom', ...(flaw !== null && { message: flaw }) })
      return z.NEVER
    })
    .optional()
    .describe(takes)

const flag = z
  .enum(['0', '1', 'true', 'false'])
  .transform((text) => text === '1' || text === 'true')
  .describe('1 or 0')

const ENVIRONMENT = {
  PORT: integer(0, 65_535, 3000),
  HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('an address to listen on, such as 127.0.0.1 or 0.0.0.0'),
  SOUK_BASE_URL: publicUrl('a URL that starts with http:// or https:// and ends with its host or port', {
    path: false,
  }),
  SOUK_MCP_URL: publicUrl('a URL that starts with http:// or https://, with or without a path', {
    path: true,
  }),
  SOUK_DATA_DIR: z.string().min(1).default('./data').describe('a folder'),
  // Not checked as a URL: libpq's form for a unix socket (`postgresql://user@/name?host=/path`) is not one.
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/./)
    .optional()
    .describe('a URL that starts with postgres:// or postgresql://'),
  SOUK_CATALOG: z.enum(['demo', 'none']).default('demo').describe('demo or none'),
  SOUK_DEMO_SELLERS: z.enum(['on', 'off']).default('on').describe('on or off'),
  SOUK_CURRENCY: z
    .string()
    .toUpperCase()
    .regex(/^[A-Z]{3}$/)
    .default('USD')
    .describe('a currency code, such as EUR'),
  SOUK_SECRET: z
    .string()
    .refine((text) => text.split(',').every((secret) => secret.trim().length >= 32))
    .optional()
    .describe('a secret of at least 32 characters (several, newest first, separated by commas, to rotate)'),
  SOUK_ACCEPT_LOST_SECRETS: flag
    .default(false)
    .describe('1 to start even if SOUK_SECRET does not open all sealed data, else 0'),
  SMTP_URL: optionalUrl(['smtp:', 'smtps:']),
  SOUK_MAIL_FROM: z
    .string()
    .trim()
    // It becomes a header of mails, too.
    .refine((text) => !/\p{Cc}/u.test(text) && MAIL_ADDRESS.test(addressIn(text)))
    .optional()
    .describe('an email address, optionally with a name: Souk <souk@example.com>'),
  SOUK_SECURITY_CONTACT: z
    .string()
    .trim()
    .transform(toContactUri)
    .pipe(z.string())
    .optional()
    .describe('an email address, or a URL that starts with mailto:, https:// or tel:+'),
  SOUK_ADMIN_EMAILS: z
    .string()
    .default('')
    .transform(splitList)
    .pipe(z.array(z.email().transform((email) => email.toLowerCase())))
    .describe('email addresses separated by commas'),
  SOUK_COPY_PICTURES: z.enum(['yes', 'no']).default('no').describe('yes or no'),
  SOUK_OUTBOUND_ALLOW: z
    .string()
    .default('')
    .transform((text, issue) => {
      try {
        return parseOutboundAllow(text)
      } catch (error) {
        issue.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'not valid' })
        return z.NEVER
      }
    })
    .describe('host:port or host=address:port, separated by commas'),
  SOUK_RFQ_DEADLINE_MS: integer(100, 120_000, 25_000),
  SOUK_EMBEDDER_URL: webUrl,
  SOUK_EMBEDDER_KEY: z.string().min(1).optional().describe('the key of the embedding endpoint'),
  SOUK_EMBEDDER_MODEL: z.string().min(1).optional().describe('the name of a model at the embedding endpoint'),
  SOUK_LLM_URL: webUrl,
  SOUK_LLM_KEY: z.string().min(1).optional().describe('the key of the language model endpoint'),
  SOUK_LLM_MODEL: z.string().min(1).optional().describe('the name of a model at the language model endpoint'),
  SOUK_TEST_FIXTURES: flag.default(false).describe('1 to answer the official conformance kits, else 0'),
  SOUK_SEARCH: z.enum(['memory', 'postgres']).default('memory').describe('memory or postgres'),
  SOUK_READ_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/./)
    .optional()
    .describe('a URL that starts with postgres:// or postgresql://'),
  SOUK_VECTORS: z.enum(['memory', 'pgvector']).default('memory').describe('memory or pgvector'),
  SOUK_LIMITS: limitsSetting,
  SOUK_KEEP: keepSetting,
  SOUK_PASSWORD_COST: z
    .string()
    .regex(/^\d+x\d+$/)
    .default('19456x2')
    .transform((text) => text.split('x').map(Number))
    .pipe(
      z.tuple([
        z
          .number()
          .min(8)
          .max(2 ** 20),
        z.number().min(1).max(20),
      ]),
    )
    .transform(([memory, passes]) => ({ memory, passes }))
    .describe('KiB of memory and passes of argon2id, such as 19456x2'),
  SOUK_METRICS_TOKEN: z.string().min(16).optional().describe('a secret of at least 16 characters'),
  SOUK_POOL_SIZE: integer(2, 1_000, 10),
  SOUK_SLOW_QUERY_MS: integer(0, 600_000, 500),
  SOUK_DRAIN_MS: integer(0, 300_000, 0),
  SOUK_LOG: z.enum(LOG_LEVELS).default('info').describe(LOG_LEVELS.join(', ')),
  SOUK_TRUST_PROXY: flag.default(false).describe('1 when a proxy in front sets X-Forwarded-For, else 0'),
}

const Environment = z.object(ENVIRONMENT)
export const KNOWN_VARIABLES: readonly string[] = Object.keys(ENVIRONMENT)
type Parsed = z.output<typeof Environment>

/** A setting as people may see it: never a secret, nor what an address holds of one. */
export type Setting = {
  name: string
  from: 'environment' | 'default'
  value: string
  /** What it takes. */
  takes: string
}

const SECRETS: ReadonlySet<string> = new Set([
  ...['SOUK_SECRET', 'SOUK_EMBEDDER_KEY', 'SOUK_LLM_KEY', 'SOUK_METRICS_TOKEN'],
])
/** Addresses that may hold a password, in whatever part of them. */
const GUARDED: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'SOUK_READ_URL',
  'SMTP_URL',
  'SOUK_EMBEDDER_URL',
  'SOUK_LLM_URL',
])

function settingsOf(given: Record<string, string | undefined>, config: Values): Setting[] {
  const followed: Record<string, string> = {
    SOUK_BASE_URL: config.baseUrl,
    SOUK_MCP_URL: config.mcpUrl,
    SOUK_MAIL_FROM: config.mailFrom,
    SOUK_SECURITY_CONTACT: config.securityContact,
    SOUK_LIMITS: namedWords(config.limits, (rate) => `${rate.count} in ${rate.windowMs / 1_000} s`, 'off'),
    SOUK_KEEP: namedWords(config.keep, (days) => `${days} days`, 'forever'),
    SOUK_PASSWORD_COST: `${config.passwordCost.memory}x${config.passwordCost.passes}`,
  }
  const defaults: Record<string, unknown> = Environment.parse({})
  return Object.entries(ENVIRONMENT).map(([name, { description = '' }]) => {
    const text = given[name]
    const value = followed[name] ?? text ?? plainWords(defaults[name])
    const isHidden = SECRETS.has(name) || GUARDED.has(name)
    return {
      name,
      from: text === undefined ? 'default' : 'environment',
      value: !isHidden ? value : text === undefined ? 'not set' : SECRETS.has(name) ? 'set' : placeIn(text),
      takes: description,
    }
  })
}

function plainWords(value: unknown): string {
  const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  return isEmpty ? 'not set' : String(value)
}

function namedWords<Value>(
  values: Record<string, Value | null>,
  words: (value: Value) => string,
  none: string,
): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${value === null ? none : words(value)}`)
    .join(', ')
}

/** The host of an address, and nothing else of it. */
function placeIn(address: string): string {
  const { protocol, host } = URL.parse(address) ?? { protocol: '', host: '' }
  return host === '' ? 'set' : `set: ${protocol}//${host}`
}

/** `settings` is all of it, for showing. */
export type Config = Values & { settings: readonly Setting[] }

export class ConfigError extends Error {}

export function loadConfig(env: Record<string, string | undefined>): Config {
  // `VARIABLE=` in a shell or compose file means "not set", not "set to nothing".
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const result = Environment.safeParse(given)
  if (!result.success) throw new ConfigError(result.error.issues.map(explain).join('\n'))
  checkReadUrl(result.data)
  const config = valuesOf(result.data)
  return { ...config, settings: settingsOf(given, config) }
}

type Values = ReturnType<typeof valuesOf>

function valuesOf(parsed: Parsed) {
  const baseUrl = parsed.SOUK_BASE_URL ?? `http://localhost:${parsed.PORT}`
  const mailFrom = parsed.SOUK_MAIL_FROM ?? `souk@${hostNameOf(baseUrl)}`
  return {
    host: parsed.HOST,
    port: parsed.PORT,
    /** Public address of the service: scheme, host and port, no more. */
    baseUrl,
    /** Public address of the tool server, without a trailing slash. */
    mcpUrl: parsed.SOUK_MCP_URL ?? baseUrl,
    dataDir: path.resolve(parsed.SOUK_DATA_DIR),
    databaseUrl: parsed.DATABASE_URL ?? null,
    catalog: parsed.SOUK_CATALOG,
    /** Whether sellers come with the demo catalog. */
    demoSellers: parsed.SOUK_DEMO_SELLERS === 'on',
    /** What a file without a currency is taken for. */
    currency: parsed.SOUK_CURRENCY,
    secret: parsed.SOUK_SECRET ?? null,
    /** Start although the secret does not open what is sealed in the database. */
    acceptLostSecrets: parsed.SOUK_ACCEPT_LOST_SECRETS,
    smtpUrl: parsed.SMTP_URL ?? null,
    mailFrom,
    /** Where people report a hole in the service: a `mailto:`, `https:` or `tel:` URL. */
    securityContact: parsed.SOUK_SECURITY_CONTACT ?? mailtoOf(addressIn(mailFrom)),
    adminEmails: parsed.SOUK_ADMIN_EMAILS,
    /** Whether pictures of products are copied into the data folder and shown from there. */
    copyPictures: parsed.SOUK_COPY_PICTURES === 'yes',
    outboundAllow: parsed.SOUK_OUTBOUND_ALLOW,
    /** How long producers have to answer a request for quote. */
    rfqDeadlineMs: parsed.SOUK_RFQ_DEADLINE_MS,
    /** An endpoint that speaks OpenAI's `/v1/embeddings`; null for the built-in model. */
    embedder: embedderOf(parsed),
    /** An endpoint that speaks OpenAI's `/v1/chat/completions`; null for the built-in writer. */
    llm: llmOf(parsed),
    /** The messages and tools that the official conformance kits expect; never in production. */
    testFixtures: parsed.SOUK_TEST_FIXTURES,
    logLevel: parsed.SOUK_LOG,
    trustProxy: parsed.SOUK_TRUST_PROXY,
    /** Where the catalog is searched: in this process, which then holds it, or by the database. */
    search: parsed.SOUK_SEARCH,
    /** A replica that answers the searches of `postgres`; null for the database itself. */
    readUrl: parsed.SOUK_READ_URL ?? null,
    /** Where vectors are searched: in this process, or by the database's pgvector. */
    vectors: parsed.SOUK_VECTORS,
    /** How often one caller may do it; null: without a limit. */
    limits: parsed.SOUK_LIMITS,
    /** Days after which what is kept is deleted; null: never. */
    keep: parsed.SOUK_KEEP,
    passwordCost: parsed.SOUK_PASSWORD_COST,
    /** With it, metrics may be read from anywhere; without, from this machine alone. */
    metricsToken: parsed.SOUK_METRICS_TOKEN ?? null,
    /** Connections to the database that one node holds at most. */
    poolSize: parsed.SOUK_POOL_SIZE,
    /** Statements that take longer are in the log; 0: none. */
    slowQueryMs: parsed.SOUK_SLOW_QUERY_MS,
    /** How long a node that is told to stop still takes requests, so that a balancer sees it go. */
    drainMs: parsed.SOUK_DRAIN_MS,
  }
}

function checkReadUrl({ SOUK_READ_URL: url, SOUK_SEARCH: search }: Parsed): void {
  if (url !== undefined && search !== 'postgres')
    throw new ConfigError('SOUK_READ_URL is set, but only SOUK_SEARCH=postgres reads from it')
}

function embedderOf(parsed: Parsed) {
  const { SOUK_EMBEDDER_URL: url, SOUK_EMBEDDER_KEY: key, SOUK_EMBEDDER_MODEL: model } = parsed
  return endpointOf({ url, key, model }, 'SOUK_EMBEDDER', 'an embedding endpoint', 'embeddings')
}

function llmOf(parsed: Parsed) {
  const { SOUK_LLM_URL: url, SOUK_LLM_KEY: key, SOUK_LLM_MODEL: model } = parsed
  return endpointOf({ url, key, model }, 'SOUK_LLM', 'a language model endpoint', 'chat/completions')
}

function endpointOf(
  { url, key, model }: { url?: string | undefined; key?: string | undefined; model?: string | undefined },
  prefix: string,
  what: string,
  path: string,
) {
  if (url === undefined && (key !== undefined || model !== undefined))
    throw new ConfigError(`${prefix}_URL is not set, but the key or model of ${what} is`)
  if (url === undefined) return null
  if (model === undefined)
    throw new ConfigError(`${prefix}_MODEL is not set: set it to the name of a model at ${prefix}_URL`)
  return { url: withPath(url, path), key: key ?? null, model }
}

/** People give the server, its `/v1`, or the endpoint itself. */
function withPath(given: string, path: string): string {
  const url = withoutSlash(given)
  if (url.endsWith(`/${path}`)) return url
  return /\/v\d+$/.test(url) ? `${url}/${path}` : `${url}/v1/${path}`
}

/** What an address has that it must not have; null when it is fine. The value may hold a secret, so it is not repeated. */
function flawOf({ username, password, pathname }: URL, text: string, withPath: boolean): string | null {
  if (username !== '' || password !== '') return 'without a user name or password'
  if (/[?#]/.test(text)) return 'without a query or fragment: no ? and no #'
  return withPath || pathname === '/'
    ? null
    : 'without a path: pages and well-known files are at the root of a host'
}

/** The host by its name. What is named by its domain has none where the address is in numbers: there it is localhost. */
export function hostNameOf(address: string): string {
  const { hostname } = new URL(address)
  return isIP(hostname.replaceAll(/[[\]]/g, '')) === 0 ? hostname : 'localhost'
}

const MAIL_ADDRESS = /^[^\s@:<>(),;"\\]+@[\p{L}\p{N}_]+(?:[.-]+[\p{L}\p{N}_]+)*$/u
const PHONE = /^tel:\+\d[\d().-]*(?:;ext=\d+)?$/i

/** Null for what is no way to reach anybody. It becomes a line of a file, so nothing in it may end a line. */
function toContactUri(text: string): string | null {
  if (MAIL_ADDRESS.test(text)) return mailtoOf(text)
  const url = /\s/.test(text) ? null : URL.parse(text)
  const reaches =
    url?.protocol === 'mailto:'
      ? /^[^@]+@[^@]+$/.test(url.pathname) && MAIL_ADDRESS.test(decoded(url.pathname))
      : url?.protocol === 'https:'
        ? /^https:\/\//i.test(text) && url.username + url.password === ''
        : PHONE.test(text)
  return url && reaches ? url.href : null
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** Without the name that may stand before it: `Souk <souk@example.com>`. */
function addressIn(sender: string): string {
  return /<([^<>]+)>\s*$/.exec(sender)?.[1]?.trim() ?? sender.trim()
}

/** RFC 6068: what would end the address or begin a header is escaped. */
function mailtoOf(address: string): string {
  const at = address.lastIndexOf('@')
  const mailbox = encodeURIComponent(address.slice(0, at)).replaceAll('%2B', '+')
  return `mailto:${mailbox}@${domainToASCII(address.slice(at + 1))}`
}

function explain(issue: z.core.$ZodIssue): string {
  const name = String(issue.path[0]) as keyof typeof ENVIRONMENT
  const detail = issue.code === 'custom' && issue.message !== 'Invalid input' ? ` (${issue.message})` : ''
  return `${name} is not valid: expected ${ENVIRONMENT[name]?.description ?? 'another value'}${detail}`
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '')
}
