/** A URL that a user entered, shown in full. It is a link only if it is http or https. */
import { webUrl } from '../safe.ts'

export function Address({ url }: { url: string }) {
  const href = webUrl(url)
  return href === null ? (
    <span>{url}</span>
  ) : (
    <a href={href} rel="nofollow noopener noreferrer">
      {url}
    </a>
  )
}
