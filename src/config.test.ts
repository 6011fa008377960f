import { describe, expect, test } from 'vitest'
import { ConfigError, hostNameOf, KNOWN_VARIABLES, loadConfig } from './config.ts'

describe('configuration', () => {
  test('an empty environment gives the documented defaults', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      baseUrl: 'http://localhost:3000',
      mcpUrl: 'http://localhost:3000',
      databaseUrl: null,
      catalog: 'demo',
      logLevel: 'info',
      trustProxy: false,
      outboundAllow: [],
      rfqDeadlineMs: 25_000,
    })
  })

  test('a variable set to nothing counts as not set', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '' })).toMatchObject({ port: 3000, databaseUrl: null })
  })

  test('public addresses lose their trailing slash', () => {
    expect(loadConfig({ SOUK_BASE_URL: 'https://souk.example/' })).toMatchObject({
      baseUrl: 'https://souk.example',
      mcpUrl: 'https://souk.example',
    })
  })

  test.each([
    ['HTTPS://Souk.Example', 'https://souk.example'],
    ['  https://souk.example/ \n', 'https://souk.example'],
    ['https://souk.example:443', 'https://souk.example'],
    ['http://souk.example:8080//', null],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['https://Bücher.Example', 'https://xn--bcher-kva.example'],
  ])('a public address has one spelling, however it is given: %j', (given, kept) => {
    if (kept === null) expect(() => loadConfig({ SOUK_BASE_URL: given })).toThrow('without a path')
    else expect(loadConfig({ SOUK_BASE_URL: given })).toMatchObject({ baseUrl: kept, mcpUrl: kept })
  })

  test('the tool server may have its address below a path, the service may not', () => {
    const given = 'HTTPS://Tools.Example/Agents/./v1/'
    expect(loadConfig({ SOUK_MCP_URL: given }).mcpUrl).toBe('https://tools.example/Agents/v1')
    expect(() => loadConfig({ SOUK_BASE_URL: given })).toThrow(
      /^SOUK_BASE_URL is not valid: .*without a path/,
    )
  })

  test.each([
    ['https://someone@souk.example', 'without a user name or password'],
    ['https://:hunter2@souk.example', 'without a user name or password'],
    ['https://souk.example/?utm=hunter2', 'without a query or fragment'],
    ['https://souk.example?', 'without a query or fragment'],
    ['https://souk.example#hunter2', 'without a query or fragment'],
  ])(
    'what has no place in public files is refused in one line that does not repeat it: %s',
    (given, says) => {
      for (const name of ['SOUK_BASE_URL', 'SOUK_MCP_URL']) {
        const load = () => loadConfig({ [name]: given })
        expect(load).toThrow(new RegExp(`^${name} is not valid: expected a URL .*${says}[^\n]*$`))
        expect(load).not.toThrow(/hunter2|someone/)
      }
    },
  )

  test.each([
    ['http://127.0.0.1:3000', 'localhost'],
    ['http://[::1]:3000', 'localhost'],
    ['http://[2001:db8::1]', 'localhost'],
    ['https://10.example', '10.example'],
  ])('an address in numbers gives no name to call things by: %s', (address, name) => {
    expect(hostNameOf(address)).toBe(name)
    expect(loadConfig({ SOUK_BASE_URL: address })).toMatchObject({
      mailFrom: `souk@${name}`,
      securityContact: `mailto:souk@${name}`,
    })
  })

  const wrong: Record<string, [value: string, says: string]> = {
    PORT: ['70000', 'a whole number from 0 to 65535'],
    SOUK_BASE_URL: ['souk.example', 'http:// or https://'],
    SOUK_MCP_URL: ['ftp://souk.example', 'http:// or https://'],
    DATABASE_URL: ['mysql://db', 'postgres:// or postgresql://'],
    SOUK_CATALOG: ['mine', 'demo or none'],
    SOUK_DEMO_SELLERS: ['yes', 'on or off'],
    SOUK_CURRENCY: ['euros', 'a currency code, such as EUR'],
    SOUK_SECRET: ['hunter2', 'at least 32 characters'],
    SMTP_URL: ['http://mail', 'smtp:// or smtps://'],
    SOUK_MAIL_FROM: ['nobody', 'an email address'],
    SOUK_SECURITY_CONTACT: ['http://souk.example/security', 'mailto:, https:// or tel:+'],
    SOUK_ADMIN_EMAILS: ['a@b.example,nobody', 'mail addresses'],
    SOUK_COPY_PICTURES: ['maybe', 'yes or no'],
    SOUK_OUTBOUND_ALLOW: ['nonsense', 'host:port'],
    SOUK_RFQ_DEADLINE_MS: ['25s', 'a whole number from 100 to 120000'],
    SOUK_EMBEDDER_URL: ['models.example', 'http:// or https://'],
    SOUK_LLM_URL: ['models.example', 'http:// or https://'],
    SOUK_ACCEPT_LOST_SECRETS: ['maybe', '1 to start even if'],
    SOUK_TEST_FIXTURES: ['maybe', '1 to answer'],
    SOUK_LOG: ['loud', 'fatal, error'],
    SOUK_TRUST_PROXY: ['maybe', '1'],
    SOUK_SEARCH: ['disk', 'memory or postgres'],
    SOUK_READ_URL: ['mysql://x', 'a URL that starts with postgres:// or postgresql://'],
    SOUK_VECTORS: ['disk', 'memory or pgvector'],
    SOUK_LIMITS: ['search=many', 'limits such as search=600/minute,rfq=off'],
    SOUK_KEEP: ['searches=0', 'days such as searches=30,audit=forever'],
    SOUK_METRICS_TOKEN: ['short', 'at least 16 characters'],
    SOUK_PASSWORD_COST: ['2x', 'KiB of memory and passes of argon2id'],
    SOUK_POOL_SIZE: ['1', 'a whole number from 2 to 1000'],
    SOUK_SLOW_QUERY_MS: ['1s', 'a whole number from 0 to 600000'],
    SOUK_DRAIN_MS: ['-1', 'a whole number from 0 to 300000'],
  }

  test.each(Object.entries(wrong))(
    'a wrong %s is one line that names it, says what it takes, and hides the value',
    (name, [value, says]) => {
      const failure = (() => {
        try {
          loadConfig({ [name]: value })
        } catch (error) {
          return error as Error
        }
      })()
      expect(failure).toBeInstanceOf(ConfigError)
      expect(failure?.message.split('\n')).toHaveLength(1)
      expect(failure?.message).toContain(`${name} is not valid: expected`)
      expect(failure?.message).toContain(says)
      if (name === 'SOUK_SECRET') expect(failure?.message).not.toContain(value)
    },
  )

  test.each([
    [{ SOUK_SECURITY_CONTACT: 'security@souk.example' }, 'mailto:security@souk.example'],
    [{ SOUK_SECURITY_CONTACT: 'mailto:security@souk.example' }, 'mailto:security@souk.example'],
    [{ SOUK_SECURITY_CONTACT: 'https://souk.example/report' }, 'https://souk.example/report'],
    [{ SOUK_SECURITY_CONTACT: ' HTTPS://Souk.Example/a"b ' }, 'https://souk.example/a%22b'],
    [{ SOUK_SECURITY_CONTACT: 'MAILTO:a@souk.example?subject=Hole' }, 'mailto:a@souk.example?subject=Hole'],
    [{ SOUK_SECURITY_CONTACT: 'tel:+1-201-555-0123' }, 'tel:+1-201-555-0123'],
    [{ SOUK_SECURITY_CONTACT: 'a@bücher.example' }, 'mailto:a@xn--bcher-kva.example'],
    [{ SOUK_SECURITY_CONTACT: 'a+b&c?d@souk.example' }, 'mailto:a+b%26c%3Fd@souk.example'],
    [{ SOUK_MAIL_FROM: 'Souk <hello@souk.example>' }, 'mailto:hello@souk.example'],
    [{ SOUK_MAIL_FROM: '"Souk, <the> shop: a@b" <hello@souk.example> ' }, 'mailto:hello@souk.example'],
    [{ SOUK_MAIL_FROM: 'hello@souk.example\n' }, 'mailto:hello@souk.example'],
    [{ SOUK_BASE_URL: 'https://souk.example' }, 'mailto:souk@souk.example'],
  ])('people who found a hole are told to write to: %j', (env, contact) => {
    expect(loadConfig(env).securityContact).toBe(contact)
  })

  test.each([
    'nobody',
    'a@b.example\nPolicy: https://evil.example',
    'https://',
    'mailto:',
    'ftp://a@b.example',
    'https://me:hunter2@souk.example/report',
    'mailto:a%0AExpires@souk.example',
    'mailto:a@b.example,c@d.example',
    'mailto:Souk <a@b.example>',
    'Souk <a@b.example>',
    'tel:911',
    'javascript:alert(1)',
  ])('what nobody can be reached by is no contact: %j', (contact) => {
    expect(() => loadConfig({ SOUK_SECURITY_CONTACT: contact })).toThrow('SOUK_SECURITY_CONTACT is not valid')
  })

  test.each([
    'a@b.example\nPolicy: https://evil.example',
    'Souk\r\nBcc: x <a@b.example>',
    'Souk <a@b.example>, c@d.example',
    'a@b.example,c@d.example',
    'Souk <a@b.example',
    'Souk <mailto:a@b.example>',
    'Souk <a@b@c.example>',
  ])('what is not one sender is rejected, for mail and for security.txt: %j', (sender) => {
    expect(() => loadConfig({ SOUK_MAIL_FROM: sender })).toThrow('SOUK_MAIL_FROM is not valid')
  })

  test('the name of a sender stays for mail', () => {
    expect(loadConfig({ SOUK_MAIL_FROM: ' Souk <a@b.example> ' }).mailFrom).toBe('Souk <a@b.example>')
  })

  test.each([
    ['http://models.example:8080', 'http://models.example:8080/v1/embeddings'],
    ['http://models.example/v1/', 'http://models.example/v1/embeddings'],
    ['http://models.example/api/embeddings', 'http://models.example/api/embeddings'],
  ])('an embedding endpoint may be given as server, version or endpoint: %s', (given, url) => {
    const config = loadConfig({ SOUK_EMBEDDER_URL: given, SOUK_EMBEDDER_MODEL: 'm' })
    expect(config.embedder).toEqual({ url, key: null, model: 'm' })
  })

  test.each([
    [{ SOUK_EMBEDDER_URL: 'http://models.example' }, 'SOUK_EMBEDDER_MODEL'],
    [{ SOUK_EMBEDDER_KEY: 'k' }, 'SOUK_EMBEDDER_URL'],
    [{ SOUK_LLM_URL: 'http://models.example' }, 'SOUK_LLM_MODEL'],
    [{ SOUK_LLM_MODEL: 'm' }, 'SOUK_LLM_URL'],
  ])('half an endpoint of a model is refused: %j', (env, missing) => {
    expect(() => loadConfig(env)).toThrow(`${missing} is not set`)
  })

  test('limits and days to keep are set by name; the others stay as they are', () => {
    const { limits, keep } = loadConfig({
      SOUK_LIMITS: 'search=600/minute,rfq=off',
      SOUK_KEEP: 'audit=forever',
    })
    expect(limits).toMatchObject({ search: { count: 600, windowMs: 60_000 }, rfq: null })
    expect(limits.import).toEqual({ count: 60, windowMs: 3_600_000 })
    expect(keep).toMatchObject({ searches: 90, audit: null })
  })

  test('every variable that can be wrong is in the table above', () => {
    const endpoints = ['SOUK_EMBEDDER_KEY', 'SOUK_EMBEDDER_MODEL', 'SOUK_LLM_KEY', 'SOUK_LLM_MODEL']
    const anyText = ['HOST', 'SOUK_DATA_DIR', ...endpoints]
    expect([...Object.keys(wrong), ...anyText].sort()).toEqual([...KNOWN_VARIABLES].sort())
  })
})
