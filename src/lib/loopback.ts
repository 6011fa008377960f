/**
 * The names of this machine. A server that people call by one of them is reached by the others as well:
 * `http://127.0.0.1:3000` where the base URL says `http://localhost:3000`. Clients compare addresses letter by letter, so
 * programs are answered for the name they used, and people are led to the one of the base URL, where their session is.
 * None of it holds for a server at a public name, nor for another port.
 */
import { isIP } from 'node:net'

/** Names and addresses that lead to this machine only. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'))
}

/** Whether the two are one address of this machine, whichever of its names they use. */
export function isSameMachine(address: URL, other: URL): boolean {
  return (
    address.protocol === other.protocol &&
    address.port === other.port &&
    isLoopback(address.hostname) &&
    isLoopback(other.hostname)
  )
}

/** The address with the host the caller used, if both are this machine's; else the address itself. */
export function asAddressed(address: string, host: string | undefined): string {
  const own = new URL(address)
  const used = URL.parse(`${own.protocol}//${host ?? ''}`)
  if (!used || used.host === own.host || !isSameMachine(own, used)) return address
  return used.origin + address.slice(own.origin.length)
}

/** What is for programs is answered where it is asked for: a redirect would lose the body of a POST. */
const FOR_PROGRAMS = /^\/(?:api|mcp|sse|a2a|catalog|register|\.well-known|healthz|readyz|metrics)(?:[/?]|$)/

/** Where a person who opens a page by another name of this machine is led; null for everybody else. */
export function createOwnAddress(baseUrl: string) {
  const own = new URL(baseUrl)
  type Request = { method: string; url: string; header(name: string): string | undefined }
  // Every read passes here: what most of them have in common is looked at first.
  return ({ method, url, header }: Request): string | null => {
    const host = header('host')
    if (host === own.host || !isLoopback(own.hostname)) return null
    if ((method !== 'GET' && method !== 'HEAD') || !url.startsWith('/') || FOR_PROGRAMS.test(url)) return null
    if (!header('accept')?.includes('text/html') || asAddressed(baseUrl, host) === baseUrl) return null
    return baseUrl + url
  }
}

/** What the log says at start when the server listens on one name of this machine and is called by another. */
export function namesApart({ host, baseUrl }: { host: string; baseUrl: string }): string | null {
  const { hostname } = new URL(baseUrl)
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (!isLoopback(host) || !isLoopback(bare) || bare === host.toLowerCase()) return null
  return `HOST is ${host} but the base URL says ${bare}: pages link to ${baseUrl}, programs can use both names`
}
