/** The two places where escaping text is not enough: a link's scheme, and JSON inside a script element. */

/** The normalized address if it is http or https; otherwise null, and it must not be a link. */
export function webUrl(address: string): string | null {
  const url = URL.parse(address)
  return url && /^https?:$/.test(url.protocol) ? url.href : null
}

/** Escapes characters that could end the script element. */
export function scriptJson(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
