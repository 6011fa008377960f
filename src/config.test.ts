import { describe, expect, test } from 'vitest'
import { ConfigError, KNOWN_VARIABLES, loadConfig } from './config.ts'

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

  const wrong: Record<string, [value: string, says: string]> = {
    PORT: ['70000', 'a whole number from 0 to 65535'],
    SOUK_BASE_URL: ['souk.example', 'http:// or https://'],
    SOUK_MCP_URL: ['ftp://souk.example', 'http:// or https://'],
    DATABASE_URL: ['mysql://db', 'postgres:// or postgresql://'],
    SOUK_CATALOG: ['mine', 'demo or none'],
    SOUK_SECRET: ['hunter2', 'at least 32 characters'],
    SMTP_URL: ['http://mail', 'smtp:// or smtps://'],
    SOUK_MAIL_FROM: ['nobody', 'a mail address'],
    SOUK_ADMIN_EMAILS: ['a@b.example,nobody', 'mail addresses'],
    SOUK_OUTBOUND_ALLOW: ['nonsense', 'host:port'],
    SOUK_RFQ_DEADLINE_MS: ['25s', 'a whole number from 100 to 120000'],
    SOUK_EMBEDDER_URL: ['models.example', 'http:// or https://'],
    SOUK_LLM_URL: ['models.example', 'http:// or https://'],
    SOUK_TEST_FIXTURES: ['maybe', '1 to answer'],
    SOUK_LOG: ['loud', 'fatal, error'],
    SOUK_TRUST_PROXY: ['maybe', '1'],
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
      expect(failure?.message).toContain(`${name} is not valid: it takes`)
      expect(failure?.message).toContain(says)
      if (name === 'SOUK_SECRET') expect(failure?.message).not.toContain(value)
    },
  )

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

  test('every variable that can be wrong is in the table above', () => {
    const endpoints = ['SOUK_EMBEDDER_KEY', 'SOUK_EMBEDDER_MODEL', 'SOUK_LLM_KEY', 'SOUK_LLM_MODEL']
    const anyText = ['HOST', 'SOUK_DATA_DIR', ...endpoints]
    expect([...Object.keys(wrong), ...anyText].sort()).toEqual([...KNOWN_VARIABLES].sort())
  })
})
