/**
 * What stands beside an operation: a command that works as it stands, and what comes back. Addresses of products and
 * categories are those of this catalog, not of the one that the examples were made with: a command that answers 404
 * teaches nothing. Secrets are variables of the shell, named in the section on callers.
 */

import { type Described, type Description, exampleOf, resolved, type Schema } from './description.ts'
import { alternatives } from './fields.ts'

/** Of a product in this catalog; null when it is empty. */
export type ShownProduct = { category: string; slug: string } | null

export type ShownExample = { title: string; text: string }

export const TOKEN_VARIABLE = 'SOUK_TOKEN'
export const SESSION_VARIABLE = 'SOUK_SESSION'

export function writeCommand(operation: Described, description: Description, product: ShownProduct): string {
  const { method, security, body } = operation
  const address = `'${description.server}${fillPath(operation, product)}'`
  const implied = body ? 'post' : 'get'
  const parts = [
    `curl ${method === implied ? '' : `-X ${method.toUpperCase()} `}${address}`,
    ...signIn(security, description),
    ...(body
      ? [`-H 'Content-Type: application/json'`, `-d ${shellQuoted(requestBody(operation, description))}`]
      : []),
  ]
  return parts.join(' \\\n  ')
}

function fillPath({ path, parameters }: Described, product: ShownProduct): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const inCatalog = product && name in product ? product[name as keyof typeof product] : null
    return encodeURIComponent(
      inCatalog ?? String(parameters.find((one) => one.name === name)?.example ?? name),
    )
  })
}

/** Nothing where anyone may call; else the way that a program can take, before the one that only a browser has. */
function signIn(security: Described['security'], { securitySchemes, server }: Description): string[] {
  if (security.length === 0 || security.some((one) => Object.keys(one).length === 0)) return []
  const schemes = security.flatMap(Object.keys).flatMap((name) => securitySchemes[name] ?? [])
  if (schemes.some(({ scheme }) => scheme === 'bearer'))
    return [`-H "Authorization: Bearer $${TOKEN_VARIABLE}"`]
  const cookie = schemes.find((scheme) => scheme.in === 'cookie')
  return cookie ? [`-b "${cookie.name}=$${SESSION_VARIABLE}"`, `-H 'Origin: ${new URL(server).origin}'`] : []
}

function requestBody({ body }: Described, { schemas }: Description): string {
  const given = exampleOf(body)
  return JSON.stringify(given ?? sampleOf(body?.schema ?? {}, schemas), null, 2)
}

/** The least that a schema asks for, where the description has no example of its own. */
export function sampleOf(schema: Schema, schemas: Record<string, Schema>): unknown {
  const { properties, required = [], type, items, minimum = 0, ...own } = resolved(schema, schemas)
  const told = own.examples?.[0] ?? own.default ?? own.const ?? own.enum?.[0]
  if (told !== undefined) return told
  const [first] = alternatives(own)
  if (first) return sampleOf(first, schemas)
  if (properties)
    return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {}, schemas)]))
  if (type === 'array') return items ? [sampleOf(items, schemas)] : []
  if (type === 'boolean') return true
  if (type === 'number' || type === 'integer') return Math.max(1, minimum)
  return own.format === 'uri' ? 'https://shop.example/' : 'text'
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll(`'`, `'\\''`)}'`
}

export function answerExamples({ answers, refusals }: Described): ShownExample[] {
  return [...answers, ...refusals].flatMap(({ status, content = {} }) =>
    Object.entries(content).flatMap(([type, media]) => {
      const value = exampleOf(media)
      if (value === undefined) return []
      const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
      return [{ title: `${status} · ${type}`, text }]
    }),
  )
}
