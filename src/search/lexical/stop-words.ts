/** Words that carry no product: they are kept in a query only when it has nothing else. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after again all also am an and any anything are as at be because been before being both but by can could ' +
    'did do does doing done each either else ever every few for from get gets getting give had has have having he her ' +
    'here hers him his how i if im in into is it its itself ive just like looking make makes many me might more most ' +
    'much must my myself need needs no nor not of off on once only onto or other our ours out over own please ' +
    'same she should so some someone something still such than that the their them then there these they this ' +
    'those through to too under until up upon us very want wants was way we were what when where which while who ' +
    'whom whose why will with within without would yet you your yours'
  ).split(' '),
)
