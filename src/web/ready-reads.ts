/**
 * Reads that are already prepared, in the fast lane. It answers exactly what the router would, or steps aside; a test
 * holds the two against each other.
 */
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
      // A person who is to be led elsewhere gets there by the router.
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

/** As the router names it: both ways count in one. What is prepared has a known shape and no query. */
function routeOf(url: string): string {
  if (url.startsWith('/p/')) return '/p/:category/:slug'
  if (url.startsWith('/c/')) return '/c/:category'
  return /^\/offers\/[^/]*\/?$/.test(url) ? '/offers/:slug' : '/offers/:category/:slug'
}

/**
 * A variant as node:http sends it with the least work, made once for all its readers. The body is its bytes as a
 * Latin-1 string: Node joins that with the head and writes once, where a buffer costs a vectored write of two parts.
 */
type WireForm = { headers: string[]; unchangedHeaders: string[]; body: string }
