/** Says how to get what a text does not show: the rest of its page, and the pages after it. */
export function pageNote(left: number, shownUpTo: number, nextOffset: number | null): string[] {
  const are = left === 1 ? 'is' : 'are'
  if (left > 0)
    return [`${left} more of this page ${are} in the data; for the text ask again with offset ${shownUpTo}.`]
  return nextOffset === null ? [] : [`There are more: ask again with offset ${nextOffset}.`]
}
