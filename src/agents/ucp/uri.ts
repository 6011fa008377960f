/**
 * An address as RFC 3986 wants it, which the protocol's schemas ask for. Browsers take more than that: `|` and `[` may
 * stand in a path as they are, and people paste such addresses into feeds.
 */
export function toUri(address: string): string | null {
  const url = URL.parse(address)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  const fragment = url.hash === '' ? '' : `#${strict(url.hash.slice(1)).replaceAll('#', '%23')}`
  return `${url.origin}${strict(url.pathname + url.search)}${fragment}`
}

function strict(text: string): string {
  return text.replace(/%(?![\da-f]{2})/gi, '%25').replace(/["<>\\^`{|}[\]]/g, encodeURIComponent)
}
