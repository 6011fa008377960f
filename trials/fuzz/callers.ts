/** Who a request says it is from: nobody, somebody in a browser, a shop's plugin, an agent, or somebody who makes it up. */
import { BASE_URL } from '../cluster.ts'
import { addressOf, type People, type Person } from '../people.ts'
import type { Dice, Turn } from './attempt.ts'

export const CALLER_KINDS = [
  'nobody',
  'shopper',
  'producer',
  'operator',
  'link token',
  'agent',
  "producer's agent",
  'made up',
] as const
export type CallerKind = (typeof CALLER_KINDS)[number]

export type Caller = {
  kind: CallerKind
  headers: Record<string, string>
  /** `<category>/<slug>` of what their organization sells. */
  sells: string[]
  /** What of the seeded secrets they may see in an answer: their own. */
  own: string[]
}

const MADE_UP: ReadonlyArray<Record<string, string>> = [
  { authorization: 'Bearer souk_at_notatoken' },
  { authorization: 'Bearer souk_link_notatoken' },
  { authorization: 'Bearer ' },
  { authorization: 'Bearer a b c' },
  { authorization: 'Basic YTpi' },
  { authorization: 'bearer' },
  { authorization: `Bearer ${'x'.repeat(5_000)}` },
  { authorization: 'Bearer ÿþ%00' },
  { cookie: 'souk_session=nonsense' },
  { cookie: 'souk_session=' },
  { cookie: 'souk_session="a;b"; souk_session=c; =; ;;' },
  { cookie: `souk_session=${'%00'.repeat(400)}` },
  { cookie: '__Host-souk_session=x; souk_session=%E0%A4%A' },
]

/** Browsers say where a form is from; with `Origin` alone, or by the newer header. */
const fromHere = (dice: Dice): Record<string, string> =>
  dice.chance(0.7) ? { origin: BASE_URL } : { origin: BASE_URL, 'sec-fetch-site': 'same-origin' }

export function createCaller(dice: Dice, people: People, kind: CallerKind): Caller {
  const from = (ip: string) => ({ 'x-forwarded-for': ip })
  const browser = (person: Person, sells: string[] = []): Caller => ({
    kind,
    headers: { cookie: person.cookie, ...fromHere(dice), ...from(person.ip) },
    sells,
    own: [person.cookie],
  })
  const bearer = (token: string, ip: string, sells: string[] = []): Caller => ({
    kind,
    headers: { authorization: `Bearer ${token}`, ...from(ip) },
    sells,
    own: [token],
  })
  const strangersIp = addressOf(4, dice.below(3_000))
  switch (kind) {
    case 'nobody':
      return { kind, headers: { ...from(strangersIp), ...fromHere(dice) }, sells: [], own: [] }
    case 'made up':
      return { kind, headers: { ...from(strangersIp), ...dice.pick(MADE_UP) }, sells: [], own: [] }
    case 'operator':
      return browser(people.operator)
    case 'shopper':
      return browser(dice.pick(people.shoppers))
    case 'agent': {
      const { token, ip } = dice.pick(people.shoppers)
      return bearer(token, ip)
    }
    case 'producer': {
      const producer = dice.pick(people.producers)
      return browser(producer, producer.sells)
    }
    case 'link token': {
      const { bearer: token, ip, sells } = dice.pick(people.producers)
      return bearer(token, ip, sells)
    }
    case "producer's agent": {
      const { token, ip, sells } = dice.pick(people.producers)
      return bearer(token, ip, sells)
    }
  }
}

/** What ends a session, an account or a membership, or puts another organization before the one that sells something. */
const SPENDS =
  /^\/(?:auth\/signout|account\/(?:delete|sessions|password|grants)|api\/org\/(?:register\/|leave|select|team)|dashboard\/(?:organization|team|switch|tokens)|org\/join|admin\/(?:users|organizations)\/)/

/** Mostly who the request is for, now and then anybody; where it may cost them their place, those who can be spared. */
export function callerFor(turn: Turn, path: string, likely: readonly CallerKind[]): Caller {
  const kind = turn.pick(turn.chance(0.8) ? likely : CALLER_KINDS)
  return createCaller(turn, SPENDS.test(path) ? turn.spare : turn.people, kind)
}

/** The last tenth of each kind of people, at least one. */
export function splitPeople(people: People): { people: People; spare: People } {
  const cut = <T>(list: readonly T[]): [T[], T[]] => {
    const at = list.length - Math.max(1, Math.floor(list.length / 10))
    return [list.slice(0, at), list.slice(at)]
  }
  const [shoppers, spareShoppers] = cut(people.shoppers)
  const [producers, spareProducers] = cut(people.producers)
  return {
    people: { ...people, shoppers, producers },
    spare: { ...people, shoppers: spareShoppers, producers: spareProducers },
  }
}
