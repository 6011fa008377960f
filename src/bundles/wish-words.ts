/**
 * The closed lists behind reading a wish. None of them names a goal: they hold the words that announce one ("everything
 * for", "setup"), the kinds of place and occasion that are fitted out with several things, and small facts of English
 * such as what comes in pairs and what every person needs for himself.
 */
import { factsOf, stem } from '../search/lexical/tokenize.ts'
import { type Phrases, phrases, wordSet } from '../search/understand/tokens.ts'

/**
 * `whole` asks for all that belongs to something and needs no budget to be believed; `gear` is
 * several things of a kind; `loose` may also name one boxed product ("mesh kit", "knife set"); `place` is fitted out.
 */
export type SetWord = 'whole' | 'gear' | 'loose' | 'place'

export const SET_WORDS: Phrases<SetWord> = phrases<SetWord>([
  [
    'whole',
    `setup|set ups|setups|bundle|bundles|everything|everything for|everything i need|everything we need|everything you need|everything to|all i need|all we need|all the gear|all the things|all the stuff|essentials|must haves|starter|starter kit|starter set|starter pack|starter bundle|starter package|beginner kit|complete set|complete kit|full set|full kit|full setup|complete setup|whole set|whole kit|whole setup|whole package|complete package|stuff for|things for|the rest|furnish|furnishing|equip|equipping|kit out|fit out|outfit|outfitting`,
  ],
  ['loose', 'set|sets|kit|kits|combo|combos|package|packages|collection'],
  ['gear', 'gear|equipment'],
  [
    'place',
    `office|study|studio|workshop|workspace|workstation|gym|kitchen|nursery|bedroom|bathroom|room|dorm|apartment|flat|house|home|garage|garden|balcony|patio|corner|nook|bar|cafe|station|classroom|camp|campsite|weekend|trip|holiday|vacation|getaway|expedition|adventure|hike|commute|party|picnic|wedding`,
  ],
])
export function phraseList(list: string): Phrases<true> {
  return phrases<true>([[true, list]])
}

export const CHEAP = wordSet(
  'cheap basic simple inexpensive budget affordable cheapest entry plain cheapo cheapish frills ok okay any',
)
export const CHOICE = wordSet(
  'premium best luxury splurge flagship professional great excellent top fancy amazing awesome superb fantastic outstanding killer',
)
/** "The rest can be cheap", "everything else for the kitchen can be basic". */
export const THE_REST =
  /[,;.]?\s?\b(?:and |but )?(?:the rest|everything else|all else|the others?)\b([^,;.!?]{0,40}?)(?: can| should| may| is| are)?(?: be)? (?:cheap|basic|simple|cheapest|doesn't matter)\b/i
/** Words that may stand right behind a thing without making it part of another's name ("laptop bag"). */
const BEHIND = wordSet(
  `and or plus with without for that which in on under below over around about at from by to is are will would must
  should can could needed required already please pls thanks too total together altogether max maximum budget only
  all but then also both x each if as i we my our need want have got own up less between within spend spending no not
  matters comes including include costing cost quality since until till while when because though tho anyway instead again soon ideally preferably new today now asap undr bundle bundles set sets kit
  kits combo combos setup setups package packages pack gear equipment essentials starter king queen twin fits thing things situation`,
)

export function mayFollowThing(word: string): boolean {
  const plain = word.replace(/['’](?:s|re|d|ll|ve)$|n['’]t$/, '')
  return BEHIND.has(plain) || factsOf(plain).stop
}

/** A head that says nothing of its own: a bag, bed or machine is named only together with what stands before it. */
export const EMPTY_HEADS = new Set(
  `bag bed machine seat set kit system device tool unit station case stand maker cleaner cover box holder light pack
  accessory part table board cup pot pan mat pad bar top oven cooker`
    .split(/\s+/)
    .map(stem),
)
/** A set of something is called by the something: "cookware" for "cookware sets". */
export const SET_HEADS = new Set(['set', 'kit', 'pack', 'system'].map(stem))

/** What stops the words that describe a thing, to its left. */
export const DESCRIPTION_STOPS = wordSet(
  `a an the some any my our your his her their this that these those and or plus with without for in on at of to from
  by under over below above about around i we you he she it they need needs want wants get getting buy buying have has
  got own also then but so is are be was will would can could should do does please me us just like looking find
  recommend including include incl both each everything setup kit bundle set combo essentials starter gear undr what up out off`,
)

const PERSONS = new Set(
  `kid child toddler baby son daughter wife husband mom mum mother dad father parent grandma grandpa grandmother
  grandfather man woman guy girl boy teen teenager student beginner adult senior elderly couple family friend brother
  sister nephew niece roommate partner girlfriend boyfriend colleague gamer runner hiker traveler traveller newbie women
  men youth junior infant`
    .split(/\s+/)
    .map(stem),
)
export function isPerson(word: string): boolean {
  return PERSONS.has(stem(word.replace(/'s?$/, '')))
}
/** "for 2 ppl" */
export const HEADS_COUNTED = wordSet(
  `people persons person ppl adults kids children of users players friends campers students employees hosts guests of us`,
)

/** One pair is one thing to buy. */
const PAIRED = new Set(
  'headphone earbud earphone shoe boot dumbbell glove sock sneaker trainer'.split(' ').map(stem),
)
export function comesInPairs(label: string): boolean {
  return wordsOf(label).some((word) => PAIRED.has(stem(word)))
}

/** Used by one person at a time; what is shared (a tent, a stove, an espresso machine) is bought once however many come. */
const OWN_EACH = new Set(
  `chair desk monitor keyboard mouse headphone headset earbud laptop notebook backpack rucksack shoe boot sneaker
  watch smartwatch mat bike bicycle helmet luggage suitcase tablet webcam microphone reader phone pillow jacket
  glove mug`
    .split(/\s+/)
    .map(stem),
)
/** Things for somebody else than those who are counted. */
const FOR_ANOTHER = new Set('baby dog cat pet car robot doll'.split(' ').map(stem))

export function isForAnother(word: string): boolean {
  return FOR_ANOTHER.has(stem(word))
}

export function isPerPerson(label: string): boolean {
  const words = wordsOf(label).map(stem)
  if (words.some((word) => FOR_ANOTHER.has(word))) return false
  return OWN_EACH.has(words.at(-1) ?? '') || words.join(' ').startsWith(`${stem('sleeping')} `)
}

/** Sayings whose single words lead elsewhere: to the model, "work from home" is about homes. A line each: "plainly = saying". */
const SAYINGS = patterns(String.raw`
home office = \b(?:work|working|works|job) (?:from|at) home\b|\bwfh\b|\btele(?:work|commut)\w*
newborn baby = \b(?:expecting|pregnant|baby on the way|baby shower|having (?:a baby|twins)|(?:be|is|are|was) born|due in)\b
first flat = \bmov(?:e|es|ed|ing) (?:in|out)\b(?! (?:to|with)\b)
digital nomad = \bwork(?:s|ing)? from (?:the |a |my |his |her |our )?(?:(?:camper ?)?van|road|train|boat|rv|motorhome|beach|cafe|coffee shop|hotel|anywhere)s?\b
home office  = \bwork(?:s|ing)? from (?:there\b|(?:the|an?|my|our|his|her) )
trip = \b(?:an?|one|two|three|four|five|six|\d+) (?:weeks?|days|months?) (?:in|through|across|around)(?! an? | the (?:office|house|home))
workout = \bwork(?:ing)? out\b|\bfitness\b|\b(?:get|gets|getting|be|stay|staying|keep|keeping|back) (?:fit|in (?:better )?shape)\b|\bfit again\b|\blos(?:e|ing) (?:\p{L}+ ){0,3}(?:weight|pounds|kilos)\b
video calls = \b(?:online|remote|virtual) (?:lesson|class|meeting|interview|teach|tutor|coach)\w*|\b(?:lessons?|classes|meetings|interviews|teach\w*) (?:online|over the internet|remotely)\b
home office = \bremote (?:workers?|jobs?)\b`)

/** What a fact of the shopper's life asks of a thing, in the words that products use of themselves. */
const IMPLIED = patterns(String.raw`
toddler = \b(?:[1-3]|one|two|three)[ -]?(?:years?|yrs?|yo)[ -]?(?:old)?\b|\bturn(?:s|ed|ing) (?:[1-3]|one|two|three)\b|\btoddlers?\b|\b(?:1[2-9]|2\d|3[0-6])[ -]?(?:months?|mo)(?:[ -]?old\b|\))
infant = \b(?:\d|1[01])[ -]?(?:months?|mo)(?:[ -]?old\b|\))
kid = \b(?:[4-9]|1[0-2])[ -]?(?:years?|yrs?)[ -]old\b|\bkid(?:s'|'s)? room\b|\bkids?[ -](?:proof|friendly|sized?|safe)\b
newborn = \b(?:weeks?|days?) old\b|\bnewborn\b|\b(?:be|is|are) born\b|\bexpecting\b|\bpregnant\b
senior = \b(?:6[5-9]|[7-9]\d)[ -]?(?:years?|yrs?)[ -]old\b|\b(?:mother|father|mum|mom|dad|parents?|aunt|uncle|s?he)(?: is|'s|,) (?:6[5-9]|[7-9]\d)\b|\bgrand(?:ma|pa|mother|father)\b|\belderly\b
tall = \b6\s?(?:'|’|ft|foot|feet)\s?(?:[3-9]|1[01])|\b(?:very|for|too|so|are|is|am|i'm) tall\b|\btall (?:m[ae]n|guys?|wom[ae]n|people|persons?)
petite = \b(?:4|5)\s?(?:'|’|ft|foot|feet)(?:\s?[0-2]\b|\s?tall\b)|\bpetite\b|\b(?:i'm|is|am|are|very) short\b
winter = \b(?:freez\w*|frost\w*|sub-?zero|snow)\b
induction = \binduction\b
left = \bleft[ -]?handed\b|\bleft(?:y|ies)\b
wireless = \b(?:no|without|hates?) (?:any )?(?:cables?|wires|cords)\b
waterproof = \b(?:get(?:s|ting)? wet|in the (?:rain|bath|shower)|by the pool)\b`)

function patterns(table: string): Array<{ word: string; said: RegExp }> {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const at = line.indexOf(' = ')
      return { word: line.slice(0, at), said: new RegExp(line.slice(at + 3), 'giu') }
    })
}

export function impliedBy(text: string): string[] {
  return IMPLIED.flatMap(({ word, said }) => (text.search(said) >= 0 ? [word] : []))
}

export function plainly(goal: string): string {
  return SAYINGS.reduce((text, { word, said }) => text.replace(said, word), goal.toLowerCase())
}

export function wordsOf(label: string): string[] {
  return label
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}
