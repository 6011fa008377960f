/** Keeping texts for models short: as many whole items as there is room for, and never a cut one. */

/** Every text is shorter than this. */
export const TEXT_ROOM = 6_000

/**
 * `render` gives the text with the first so many items, and says itself how many it leaves out. Empty when not even
 * the text without any item is shorter than the room.
 */
export function fitItems(items: number, room: number, render: (shown: number) => string): string {
  // First of all, because it alone has nothing to say about what is left out, and may so be shorter than one before it.
  const whole = render(items)
  if (whole.length < room) return whole
  let fitting = ''
  for (let shown = 0; shown < items; shown++) {
    const text = render(shown)
    if (text.length >= room) break
    fitting = text
  }
  return fitting
}

/** Blocks in order of the page; each is told the room that is left, and takes no more. Empty ones are left out. */
export function fitBlocks(room: number, blocks: ReadonlyArray<(room: number) => string>): string {
  let text = ''
  for (const block of blocks) {
    const gap = text === '' ? '' : '\n\n'
    const made = block(room - text.length - gap.length)
    if (made !== '') text += gap + made
  }
  return text
}

/** Those that say something, a blank line between them. */
export function paragraphs(parts: readonly string[]): string {
  return parts.filter(Boolean).join('\n\n')
}
