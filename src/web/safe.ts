/**
 * The two places where escaping text is not enough: a link's scheme, and JSON inside a script element.
 * Addresses are checked when they are written too; a page does not rely on that.
 */

/** The address, normalised, when it is http or https; otherwise null, and then it is not to be a link. */
export function webUrl(address: string): string | null {
  const url = URL.parse(address)
  return url && /^https?:$/.test(url.protocol) ? url.href : null
}

/** JSON that cannot end the element it stands in: only characters that JSON may also write as an escape change. */
export function scriptJson(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
