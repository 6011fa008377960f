/** Somebody else's address as a link that says where it leads, and as plain text when it is none of the web. */
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
