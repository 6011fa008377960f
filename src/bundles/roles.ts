/**
 * What belongs to common goals: the roles that people fill, each with the thing that fills it and how much it is needed. This
 * is knowledge that no catalog has: texts about desks do not say that an office needs one. A role counts only where the
 * catalog has a category for its thing. Goals that are not here are served by meaning alone (choose-categories.ts).
 */

import { tokenize } from '../search/lexical/tokenize.ts'
import { tokenize as readTokens } from '../search/understand/tokens.ts'
import type { Vocabulary } from '../search/understand/understand.ts'
import { findMentions } from './mentions.ts'
import { wordsOf } from './wish-words.ts'

export type Role = {
  /** "Desk to work at". */
  role: string
  /** What to search for: "infant car seat". */
  thing: string
  /** 0 to 1. */
  need: number
  category: string
}

/** With stems of what it is called: the last word of its category, and other names. */
type Filled = Role & { head: string; names: string[] }

/** A line a goal: its names; then "role = thing need", things separated by "/" are tried in order. */
const GOALS = `
home office, office, study, work from home, wfh, remote, remotely, workspace, workstation, desk setup, garden office, freelancer, freelancing, desk job: desk to work at = desk 1; chair to sit on = office chair .98; main screen = monitor .85; keyboard = keyboard .6; mouse = mouse .55; light to work by = desk lamp .5; camera for calls = webcam .3; headset for calls = headphones .25
student, dorm, dorm room, college, university, student room, school, uni, homework, exam, semester, thesis: computer to study on = laptop 1; light to read by = desk lamp .8; desk to work at = desk .6; chair to sit on = office chair .6; headphones = headphones .6; bag for the day = backpack .5; printer = printer .3
gaming, gamer, pc gaming, esports: screen = gaming monitor 1; keyboard = gaming keyboard .9; mouse = gaming mouse .9; headset = gaming headset .85; chair = office chair .5; desk = desk .4
streaming, streamer, live stream, twitch, youtube, content creator, vlogging, stream: microphone = microphone 1; camera = webcam .95; light = desk lamp .6; headphones to monitor with = headphones .6; screen = monitor .3
podcast, podcasting, voice over, voiceover: microphone = microphone 1; headphones to monitor with = closed back headphones .8; camera = webcam .1
video call, video calls, video meeting, video chat, video conferencing, remote meetings, zoom, job interview: camera = webcam 1; microphone = microphone .8; light = desk lamp .7; headset = headphones .6
recording, home studio, music production, producer, songwriting, singer, record song: microphone = studio microphone 1; headphones to mix on = studio headphones .95; computer = laptop .5; speakers = studio monitor speakers .4
digital nomad, remote work on the road, working on the road, work while traveling: computer = light laptop 1; headphones = noise cancelling headphones .8; bag = backpack / carry-on .7; second screen = portable monitor .5; mouse = travel mouse .4
design, graphic design, photo editing, photographer, photography, video editing: screen = color accurate monitor 1; computer = laptop .9; keyboard = keyboard .4; mouse = mouse .4; tablet to draw on = tablet .4
first apartment kitchen, kitchen, first kitchen, cooking, cook, apartment kitchen, galley, kitchenette, meal prep, recipe: pots and pans = cookware 1; knife = chef knife .9; blender = blender .6; air fryer = air fryer .6; kettle = kettle .4; toaster = toaster .3; coffee = espresso machine .2
coffee, coffee corner, coffee bar, espresso, barista, home cafe, cappuccino, latte: machine = espresso machine 1; grinder = coffee grinder .95; kettle = kettle .3; scale = coffee scale .2
newborn, new baby, baby, nursery, first baby, baby shower, infant, expecting: ride in the car = infant car seat 1; stroller = stroller from birth .95; baby monitor = baby monitor .8; crib = crib .7; clean air in the nursery = air purifier .2
toddler: ride in the car = toddler car seat 1; stroller = stroller .9; baby monitor = baby monitor .6
camping, camp, campsite, car camping, festival, sleeping outdoors, sleep outdoors, outdoors, outdoor, scouts, tenting: shelter = tent 1; warm night = sleeping bag .95; stove = camping stove .75; bag to carry it = hiking backpack .35; mat to sleep on = sleeping pad .4; light = camping lantern .4
backpacking, trekking, thru hike, thru-hike, long hike: backpack = hiking backpack 1; shelter = backpacking tent .9; warm night = sleeping bag .9; stove = backpacking stove .6
hiking, hike, day hike, mountains, trek: backpack = hiking backpack 1; shoes = hiking boots / trail running shoes .8; watch = gps watch .5
bikepacking: bag = hiking backpack .6; shelter = bikepacking tent 1; warm night = sleeping bag .9; stove = backpacking stove .7
home gym, gym, lift, lifting, workout, strength, exercise, fitter, lose weight, weightlifting, muscle: weights = adjustable dumbbells 1; mat = yoga mat .8; watch = fitness smartwatch .4; shoes = running shoes .3; music = wireless earbuds .25
running, runner, marathon, jogging, couch to 5k, 5k, 10k, triathlon: shoes = running shoes 1; watch = running watch .8; music = sport wireless earbuds .6
yoga, pilates, stretching, meditation: mat = yoga mat 1; music = bluetooth speaker .3
commute, commuting, cycling, bike to work: bike = electric bike 1; bag = backpack .6; helmet = bike helmet .7; music = wireless earbuds .3
travel, trip, vacation, holiday, weekend trip, flight, business trip, city break, interrailing, cruise, honeymoon, journey, abroad, train ride, long haul: luggage = carry-on luggage 1; headphones for the journey = noise cancelling headphones / wireless earbuds .7; something to read on = e-reader .5; tablet = tablet .3
clean house, house cleaning, spring cleaning, allergies, allergy, dust, hay fever, asthma, pollen, housework, clean floor: vacuum = cordless vacuum / robot vacuum 1; clean air = air purifier .7
cat, cats, kitten, pet hair: vacuum = vacuum for pet hair 1; clean air = air purifier .8
dog, puppy, new puppy, new dog, pet, dachshund, labrador, retriever, terrier, great dane, greyhound: bed = dog bed 1; vacuum = vacuum for pet hair .7; clean air = air purifier .4
workshop, diy, garage, tools, home repair, renovation, handyman, home improvement, woodworking, flat pack: drill = cordless drill 1; light = work light / desk lamp .3; vacuum = vacuum .3
bedroom, better sleep, sleep better, guest room, spare room, sleep badly, insomnia: bed to sleep in = mattress 1; clean air = air purifier .5; lamp = bedside lamp / desk lamp .4
first flat, first apartment, new flat, new apartment, first place, first home, new place, bachelor pad: pots and pans = cookware 1; knife = chef knife .9; vacuum = cordless vacuum .8; lamp = desk lamp .5; mattress = mattress .7; router = wi-fi router .4
cooking for myself, start cooking, learn to cook: pots and pans = cookware 1; knife = chef knife .9; blender = blender .4
drawing, digital drawing, digital art, sketching, illustration, comics, artist: tablet to draw on = tablet with pen 1; screen to draw on = pen display monitor .6
living room, home cinema, home theater, movie night: screen = tv 1; sound = speaker .7; sofa = sofa .6
home network, smart home, internet, wifi, networking: router = wi-fi router 1
reading, reader, book lover, novel, book: reader = e-reader 1; light to read by = desk lamp .6
kids room, child room: desk = kids desk 1; chair = kids chair .9; lamp = desk lamp .6
party, barbecue, picnic, beach: music = portable bluetooth speaker 1; blender = blender .4
`

type Goal = { names: string[][]; roles: Array<{ role: string; things: string[]; need: number }> }

const goals: readonly Goal[] = GOALS.trim()
  .split('\n')
  .map((line) => {
    const at = line.indexOf(': ')
    return {
      names: line.slice(0, at).split(', ').map(stemsIn),
      roles: line
        .slice(at + 2)
        .split('; ')
        .map((one) => {
          const [role = '', rest = ''] = one.split(' = ')
          const words = rest.split(' ')
          const need = Number(words.pop())
          return { role, things: words.join(' ').split(' / '), need }
        }),
    }
  })

/** Behind a goal a room says where: "a gaming setup for my bedroom". */
const ROOMS = new Set(
  stemsIn('bedroom kitchen garage dorm nursery office study room flat apartment workshop place'),
)
/** These say who it is for, where what it is for is named too: "a student who starts cooking". */
const PERSONS = new Set(
  stemsIn(
    'student college university uni school freelancer gamer streamer vlogger runner hiker cook handyman',
  ),
)

/**
 * The roles of a goal that this catalog can fill, most needed first; null when the goal is not known. Each part of the goal
 * may be one of its own ("a home office with two cats").
 */
export function rolesFor(vocabulary: Vocabulary, goal: string): Filled[] | null {
  const found = goal.split(/, | and | with | & | \+ /).flatMap((part) => goalIn(stemsIn(part)) ?? [])
  const [first, ...rest] = found.filter(({ name }) => !name.every((stem) => PERSONS.has(stem)))
  const activities = first ? [first, ...rest.filter(({ name }) => !name.some((stem) => ROOMS.has(stem)))] : []
  const told = new Set((activities.length > 0 ? activities : found).map(({ one }) => one))
  // One alone is no plan.
  if (activities.length > 0 && [...told].flatMap((one) => filledRoles(vocabulary, one)).length < SHARED)
    for (const { one } of found) told.add(one)
  const roles = new Map<string, Filled>()
  for (const role of [...told].flatMap((one) => filledRoles(vocabulary, one)))
    if (role.need > (roles.get(role.category)?.need ?? 0)) roles.set(role.category, role)
  return roles.size > 0 ? [...roles.values()].sort((a, b) => b.need - a.need) : null
}

/** Roles that are named after what is done there, not after a thing. */
const NO_THING = new Set(stemsIn('night ride air coffee sound music shelter'))
/** Things that are called by their tail: a pack, a watch. */
const TAIL = /^(?:back|smart|note|head)(\p{L}{4,})$/u
/** A goal with so many of the named categories is what they are for. */
const SHARED = 2

/**
 * What single words mean beside a goal, or beside things that belong to one: in a camp a bag is a sleeping bag and a pack
 * is a backpack, for a puppy a bed is a dog bed, at a video call a camera is a webcam. By stem.
 */
export function wordsInContext(
  vocabulary: Vocabulary,
  told: readonly Filled[],
  named: ReadonlySet<string>,
): Map<string, string> {
  const shared = (one: Goal) =>
    filledRoles(vocabulary, one).filter(({ category }) => named.has(category)).length
  const near = goals.filter((one) => shared(one) >= SHARED).toSorted((a, b) => shared(b) - shared(a))
  const roles = [...told, ...near.flatMap((one) => filledRoles(vocabulary, one))]
  const words = new Map<string, string>()
  const add = (word: string, category: string) => words.has(word) || words.set(word, category)
  for (const { category, head } of roles) add(head, category)
  for (const { category, names } of roles) for (const name of names) add(name, category)
  return words
}

/** By the list of categories, which outlives a vocabulary that is made for one question. */
const filled = new WeakMap<Vocabulary['categories'], Map<Goal, Filled[]>>()

/** Each role by the first of its things that the catalog has a category for. */
function filledRoles(vocabulary: Vocabulary, goal: Goal): Filled[] {
  const known = filled.get(vocabulary.categories) ?? new Map<Goal, Filled[]>()
  filled.set(vocabulary.categories, known)
  const found =
    known.get(goal) ??
    goal.roles.flatMap(({ role, things, need }) => {
      const all = things.map((thing) => ({ role, thing, need, category: categoryOf(vocabulary, thing) }))
      const first = all.find((one): one is Role => one.category !== undefined)
      return first ? { ...first, ...namesOf(vocabulary, first) } : []
    })
  known.set(goal, found)
  return found
}

function namesOf({ categories }: Vocabulary, { role, category }: Role): Pick<Filled, 'head' | 'names'> {
  const head = wordsOf(categories.find(({ slug }) => slug === category)?.label ?? '').at(-1) ?? ''
  const called =
    role
      .split(/ (?:to|for|in|on|by|from) /)[0]
      ?.split(' ')
      .at(-1) ?? ''
  const names = stemsIn(`${called} ${TAIL.exec(head)?.[1] ?? ''}`).filter((name) => !NO_THING.has(name))
  return { head: stemsIn(head)[0] ?? '', names }
}

/** Whether the words name a goal of the table. */
export function knowsGoal(text: string): boolean {
  return goalIn(stemsIn(text)) !== null
}

/** What is named first is what it is about; of names at one place the longest says most. */
function goalIn(said: readonly string[]): { one: Goal; name: string[] } | null {
  const named = goals.flatMap((one) =>
    one.names.map((name) => ({ one, name, at: placeOf(name, said) })).filter(({ at }) => at >= 0),
  )
  const ranked = named.toSorted((a, b) => a.at - b.at || b.name.length - a.name.length)
  // "A corner of the garage to lift in": what is done there counts, not the room.
  const isIn = ({ name }: { name: string[] }, set: ReadonlySet<string>) => name.every((stem) => set.has(stem))
  const done = ranked.find((one) => !isIn(one, ROOMS) && !isIn(one, PERSONS))
  const [first] = ranked
  if (!first) return null
  const other = isIn(first, PERSONS)
    ? ranked.find((one) => !isIn(one, PERSONS))
    : isIn(first, ROOMS)
      ? done
      : null
  return other ?? first
}

function categoryOf(vocabulary: Vocabulary, thing: string): string | undefined {
  const tokens = readTokens(thing)
  return findMentions(tokens, new Uint8Array(tokens.length), vocabulary).at(-1)?.slug
}

/** Words of a goal that no name of it has: "lightweight" of "lightweight backpacking". Places say nothing of a product. */
export function mannerOf(goal: string): string[] {
  const said = tokenize(goal).filter(({ stop }) => !stop)
  const stems = said.map(({ term }) => term)
  const names = new Set(
    goals.flatMap(({ names }) => names.filter((name) => placeOf(name, stems) >= 0)).flat(),
  )
  return said.filter(({ term }) => !names.has(term) && !PLACES.has(term)).map(({ surface }) => surface)
}

export const PLACES: ReadonlySet<string> = new Set(
  stemsIn(
    'left room rooms flat apartment house home place space studio corner setup stuff gear kit set new first really easy must want help everything something start started little big bits basics essentials whatever else need buy together one two three four five six seven eight nine ten hundred thousand day week weekend month year gift present idea best friend life now say pick',
  ),
)

/** Where the words stand together, or -1. */
function placeOf(name: readonly string[], said: readonly string[]): number {
  return said.findIndex((_, at) => name.every((stem, offset) => said[at + offset] === stem))
}

function stemsIn(text: string): string[] {
  return tokenize(text).flatMap(({ term, stop }) => (stop ? [] : [term]))
}
