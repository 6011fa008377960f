/** Where signing in leads back to. */

/** A link to a page on the way that keeps where the person was going. */
export function onward(path: string, returnTo: string | null): string {
  if (returnTo === null) return path
  return `${path}${path.includes('?') ? '&' : '?'}return_to=${encodeURIComponent(returnTo)}`
}
