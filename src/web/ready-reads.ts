/** Serves cached reads in the fast lane. It responds exactly as the router would, or steps aside; a test compares them. */
import { headersWith, type ReadyRoute } from '../http/fast-lane.ts'
import { chooseVariant, isNotModified, notModifiedHeaders, type Variant } from '../http/prepared.ts'
import { createOwnAddress } from '../lib/loopback.ts'
import type { Reads } from './reads.ts'

const READS = /^\/(?:p|c|offers)\//

export function readyReads(options: { reads: Reads; baseUrl: string; https: boolean }): ReadyRoute {
  const { reads, baseUrl, https } = options
  const ownAddress = createOwnAddress(baseUrl)
  const wireForms = new WeakMap<Variant, WireForm>()

  function wireForm(variant: Variant): WireForm {
    const known = wireForms.get(variant)
    if (known) return known
    const made: WireForm = {
      headers: headersWith(https, variant.headers),
      unchangedHeaders: headersWith(https, notModifiedHeaders(variant)),
      body: variant.body.toString('latin1'),
    }
    wireForms.set(variant, made)
    return made
  }

  return {
    match({ method = '', url = '', headers }) {
      if ((method !== 'GET' && method !== 'HEAD') || !READS.test(url)) return null
      // The router redirects people to the base URL.
      const header = (name: string) => headers[name] as string | undefined
      return ownAddress({ method, url, header }) === null ? routeOf(url) : null
    },
    answer({ url = '', headers }) {
      const prepared = reads.ready(url, headers.accept)
      const variant = prepared && chooseVariant(prepared, headers['accept-encoding'] as string | undefined)
      if (!prepared || !variant) return null
      const { 'if-none-match': tags, 'if-modified-since': since } = headers
      const wire = wireForm(variant)
      if (isNotModified(variant, prepared.lastModified, tags, since))
        return { status: 304, headers: wire.unchangedHeaders, body: '', encoding: 'latin1' }
      return { status: 200, headers: wire.headers, body: wire.body, encoding: 'latin1' }
    },
  }
}

/** The router's name for the route, so that metrics count both together. */
function routeOf(url: string): string {
  if (url.startsWith('/p/')) return '/p/:category/:slug'
  if (url.startsWith('/c/')) return '/c/:category'
  return /^\/offers\/[^/]*\/?$/.test(url) ? '/offers/:slug' : '/offers/:category/:slug'
}

/**
 * A variant in the form that node:http sends with the least work. The body is a Latin-1 string, which Node joins with
 * the head into one write; a buffer would cost a vectored write.
 */
type WireForm = { headers: string[]; unchangedHeaders: string[]; body: string }
