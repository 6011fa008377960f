/** Whose ids a file has. */
import path from 'node:path'

/**
 * The name of a file's source: its shop's host, or its own name without what changes from one export to the next, such as
 * "products_export_2026-11-03 (2).csv.gz". The next export of the same shop has the same name, and finds its products again.
 */
export function sourceNameOf(file: string, storeUrl?: string): string {
  if (storeUrl !== undefined) return new URL(storeUrl).hostname.replace(/^www\./, '')
  const name = path.basename(file).replace(/(\.[a-z]{2,6})+$/i, '')
  const kept = name.replace(
    /[\s._-]*(\(\d+\)|\d{4}[-_.]?\d{2}[-_.]?\d{2}([T\s_-]*\d{2}[-_.:]?\d{2}([-_.:]?\d{2})?)?|[\s._-]\d{1,3})$/g,
    '',
  )
  // Twice, because a browser numbers what a shop has dated.
  const bare = kept.replace(/[\s._-]*(\d{4}[-_.]?\d{2}[-_.]?\d{2}|[\s._-]\d{1,3})$/g, '')
  return bare || name || 'file'
}
