/** Pages as their readers have them: the words without the markup. */

const ENTITIES: Array<[string, string]> = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  // Last: what it stands for could begin another.
  ['&amp;', '&'],
]

export function unescapeHtml(text: string): string {
  return ENTITIES.reduce((done, [entity, character]) => done.replaceAll(entity, character), text)
}

/** The text exactly as it was written between the tags. */
export function asText(markup: string): string {
  return unescapeHtml(markup.replace(/<[^>]+>/g, ''))
}

/** As it is read: what stands in different elements is apart, and blanks count once. */
export function textOf(html: string): string {
  return unescapeHtml(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')
}
