/**
 * The command and the responses beside an operation. Product and category addresses come from this catalog, so a copied
 * command works here. Secrets are shell variables, named in the section on authentication.
 */
import { type Described, type Description, exampleOf, isPublic } from './description.ts'

/** A product in this catalog; null while it is empty. */
export type ShownProduct = { category: string; slug: string } | null

export const TOKEN_VARIABLE = 'SOUK_TOKEN'
export const SESSION_VARIABLE = 'SOUK_SESSION'

export function writeCommand(operation: Described, description: Description, product: ShownProduct): string {
  const { method, body } = operation
  const address = `'${description.server}${fillPath(operation, product)}'`
  const parts = [
    `curl ${method === (body ? 'post' : 'get') ? '' : `-X ${method.toUpperCase()} `}${address}`,
    ...signIn(operation, description),
  ]
  if (body) {
    const quoted = JSON.stringify(exampleOf(body) ?? {}, null, 2).replaceAll(`'`, `'\\''`)
    parts.push(`-H 'Content-Type: application/json'`, `-d '${quoted}'`)
  }
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

/** Prefers the token, which a program can get, to the cookie, which only a browser has. */
function signIn(operation: Described, { securitySchemes, server }: Description): string[] {
  if (isPublic(operation)) return []
  const schemes = operation.security.flatMap(Object.keys).flatMap((name) => securitySchemes[name] ?? [])
  if (schemes.some(({ scheme }) => scheme === 'bearer'))
    return [`-H "Authorization: Bearer $${TOKEN_VARIABLE}"`]
  const cookie = schemes.find((scheme) => scheme.in === 'cookie')
  return cookie ? [`-b "${cookie.name}=$${SESSION_VARIABLE}"`, `-H 'Origin: ${new URL(server).origin}'`] : []
}

export function responseExamples({ responses }: Described): Array<{ title: string; text: string }> {
  return responses.flatMap(({ status, content }) =>
    content.flatMap((media) => {
      const value = exampleOf(media)
      if (value === undefined) return []
      const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
      return [{ title: `${status} · ${media.type}`, text }]
    }),
  )
}
