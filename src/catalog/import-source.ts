/** Whose ids a file has. */
import path from 'node:path'

/**
 * The name of a file's source: its shop's host, or its own name without what changes from one export to the next, such as
 * "products_export_2026-11-03 (2).csv.gz". The next export of the same shop has the same name, and finds its products again.
 */
export function sourceNameOf(file: string, storeUrl?: string): string {
  if (storeUrl !== undefined) return new URL(storeUrl).hostname.replace(/^www\./, '')
  const name = path
    .basename(file)
    .slice(-255)
    .replace(/(\.[a-z]{2,6})+$/i, '')
  return name.replace(/([\s._-]+\(?\d+\)?)+$/, '') || name || 'file'
}

/** The address of a shop as somebody typed it; null for what is none. */
export function storeAddress(text: string): string | null {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  if (!url || !/^https?:$/.test(url.protocol) || !url.hostname.includes('.')) return null
  return url.origin + url.pathname.replace(/\/$/, '')
}
