/** Words that carry no product: they are kept in a query only when it has nothing else. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and any are as at be been but by can could did do does for from get had has have he her here him his how i ' +
    'if im in into is it its ive just like me my no not of on onto or our ours out she should so some such than that ' +
    'the their them then there these they this those to too us very was we were what when where which while who whom ' +
    'why will with without would you your yours'
  ).split(' '),
)
