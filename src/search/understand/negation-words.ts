/**
 * The closed lists behind negation.ts. An exception is listed for one of four reasons: the word opens a saying
 * ("no matter", "not only"); it is part of a name for a kind of thing, which products carry too ("no-show",
 * "non-stick", "hands-free"); it praises the absence of a defect nobody would ask for ("tangle-free"), so that
 * penalising the word would bury the very products that promise it; or it tells a fact about the speaker.
 * Words with the negation inside ("cordless", "unscented", "fanless") are plain words and are not listed at all.
 */
import { foldAt, isWord, type Phrases, phraseAt, phrases, type Token, wordSet } from './tokens.ts'

/** Whether a negation says what the product must not be, what it must not have, or leaves that open ("no …"). */
export type Sense = 'be' | 'have' | 'open'

/** Triggers that take a noun phrase. */
export const PREPOSITIONS: Phrases<Sense> = phrases<Sense>([
  [
    'be',
    'except|except for|excluding|other than|apart from|aside from|instead of|rather than|as opposed to|anything but|everything but|all but|neither|not including|none of|skip the|skip any|skip those|leave out|leaving out',
  ],
  [
    'have',
    'without|w / o|free of|free from|lacking|with little or no|little to no|hardly any|no need for|no need to',
  ],
  ['open', 'not a fan of|not a big fan of|no fan of'],
])
/** "not made of rubber", "not with a lid": what follows is a part or a material. */
export const PART_LEADS = wordSet('with of for in on from need needing requiring using having made')

/** Rule out what stands before them. */
const RULED_OUT: Phrases<true> = phrases<true>([
  [
    true,
    "need not apply|needn't apply|excluded|barred|not allowed|not wanted|no thanks|no thank you|not an option|isn't an option|aren't an option|out of the question|off the table|so none of those|so none of them|so none of these|none of those|none of them|none of these",
  ],
])
const IS_RULED_OUT: Phrases<true> = phrases<true>([
  [true, 'out|off limits|banned|ruled out|a no|a no go|a hard no|a dealbreaker|not for me|not welcome'],
])

/** Where the words that rule out what stands before them end: "X need not apply", "X is out". */
export function ruledOutEnd(tokens: readonly Token[], index: number): number | null {
  const is = /^(is|are)$/.test(foldAt(tokens, index))
  const found =
    phraseAt(RULED_OUT, tokens, is ? index + 1 : index) ??
    (is ? phraseAt(IS_RULED_OUT, tokens, index + 1) : null)
  // "none of those heavy ones" speaks of what follows.
  const forward = found && /^th/.test(foldAt(tokens, found.to - 1)) && isWord(tokens, found.to)
  return found && !forward ? found.to : null
}

/** "a different brand than X" */
export const OTHER = wordSet('other others another different')
const TURNS = wordSet("no not nothing none nobody never don't dont doesn't doesnt won't wont")
/** Stand between a negation and the words that it turns around. */
const TURNED_OVER = wordSet('brand brands maker makers one want show me buy')

/** "No brand other than X" asks for X. */
export function isTurnedAround(tokens: readonly Token[], index: number): boolean {
  if (TURNS.has(foldAt(tokens, index))) return false
  let at = index - 1
  while (at > index - 4 && (TURNED_OVER.has(foldAt(tokens, at)) || OTHER.has(foldAt(tokens, at)))) at--
  return TURNS.has(foldAt(tokens, at))
}

export const CONTRACTIONS = wordSet(
  `don't doesn't didn't won't can't couldn't wouldn't shouldn't mustn't isn't aren't wasn't hasn't haven't ain't
  dont doesnt wont cant isnt arent wouldnt shouldnt cannot never`,
)
export const DOING = wordSet('do does did will would can could should must may might shall to')
export const BEING = wordSet("is are was were be being that's it's")
export const BEING_CONTRACTIONS = wordSet("isn't aren't wasn't isnt arent ain't")

/** "no matter", "no idea", "no object"; "no show" and its like name a kind of thing. */
export const AFTER_NO = wordSet(
  `matter doubt problem problems idea one wonder longer brainer nonsense frills frill name less fewer thanks expense
  joke way later sooner object better good worries kidding show shows slip stick skid tie iron sew bake drill pull
  spill drip kill touch contact scratch tangle wrinkle crease rinse cook dig bark glare see knead churn shed fog mow
  till`,
)
export const AFTER_NOT = wordSet(
  'only just sure to necessarily bad yet enough mention simply merely forgetting counting much everyone everybody',
)
export const BEFORE_NOT = wordSet('if or why whether me maybe perhaps probably')
export const AFTER_NON = wordSet(
  `slip stick toxic skid woven drowsy fat alcoholic gmo dairy perishable fiction profit scratch marking abrasive iron
  comedogenic contact invasive lethal prescription rechargeable refundable stop verbal reflective glare scuff flammable
  corrosive conductive magnetic`,
)
export const BEFORE_FREE = wordSet(
  `hands hand hassle care worry stress trouble risk duty tax toll royalty scot cruelty guilt maintenance fuss mess
  effort commitment obligation interest tangle wrinkle glare flicker streak rust lint drip leak spill frizz slip jam clog
  crease distraction static germ vibration error lag pain odor odour stain sweat shake snag squeak
  is are be get gets got feel for comes come with and or it its totally completely entirely ship ships set buy one two
  a the of all plus mostly fully truly break breaks run go walk roam`,
)
export const AFTER_FREE = wordSet(
  `shipping delivery standing weight weights range style return returns trial motion arm size gift installation app
  samples sample flow hand people floating hanging form fall run time wifi spirit sync of from to with`,
)

/** Verbs that hand the negation to their object: "doesn't need batteries" is about batteries. */
export const LIGHT_VERBS = wordSet(
  `need needs want wants have has use uses using require requires contain contains include includes come comes make
  makes leave leaves cause causes feel feels look looks smell smells give gives like likes love take takes rely relies
  depend depends get gets produce produces show suggest recommend send add involve involves stand tolerate enjoy run
  emit emits having needing requiring containing buying getting adding paying making including see become becomes go goes sit sits`,
)
/** "I don't mind noise" leaves noise allowed. */
export const INDIFFERENT = wordSet(
  `mind care matter know think remember worry forget hesitate expect believe understand quite`,
)
/** Verbs that keep "I don't …" a wish about the product. */
export const WISHES = wordSet('want need like love have use require enjoy stand tolerate')

export const PERSONS = wordSet(
  "i we he she i've we've who my our his her you your mum mom dad mother father wife husband",
)
export const RELATIVES = wordSet('that which it they these those')

/** Passed over between the trigger and what is negated. */
export const LEADS = wordSet(
  `a an any the all those these that this too very so super overly really extra much many some your my our its such
  lots bunch of having have to be being made quite particularly even another using use need needing requiring more
  added big lot ton tons single for from with in ever always easily actually up on as by out inside into over like`,
)
export const DEGREES = wordSet('too very so super overly really quite particularly as that')

export const STOPS = wordSet(
  `with without for that which who because so since just only in on under over below above to from at by when while if
  as like then than also please instead must is are was it's i we you he she it can has have had still though ideally
  preferably need needs want wants but yet inside around about between during after before up down out off no not non
  except plus including of until either will would should could does do don't doesn't won't isn't can't my your his her
  their our its this these those per via through into onto even when where what how nothing never`,
)
/** Closes a negation and belongs to it: "no assembly required". */
export const CLOSERS = wordSet('required needed necessary included involved whatsoever please')
export const ONLY = wordSet('only instead please preferred')

const ADJECTIVES = wordSet(
  `quiet loud light heavy cheap small large big huge tiny mini compact soft hard firm strong fast slow easy good great
  nice decent long short thin thick slim wide narrow tall low high deep warm cool cold hot new old black white red blue
  green grey gray pink brown beige purple yellow orange silver gold clear dark bright noisy bulky sturdy solid sticky
  scratchy itchy flimsy shiny silent wireless wired cordless portable foldable folding simple basic smart gentle organic
  natural safe clean fresh dry wet waterproof full real pure stiff sharp smooth rough tight loose flat round square fancy
  ugly complicated expensive reliable powerful professional`,
)
const ADJECTIVE_ENDING =
  /(?:able|ible|proof|ful|less|ous|ive|(?:light|heavy)weight|resistant|friendly|[^aeiou]ed)$/
const NOT_ADJECTIVES = wordSet(
  'cable table vegetable stable olive drive archive hundred flatbed waterbed adhesive',
)
const GERUND = /^\w{3,}ing$/
const NOT_GERUNDS = wordSet(
  'ceiling string spring evening building clothing stocking earring wiring padding bedding coating',
)

export function looksLikeAdjective(word: string): boolean {
  if (ADJECTIVES.has(word)) return true
  return word.length > 4 && ADJECTIVE_ENDING.test(word) && !NOT_ADJECTIVES.has(word)
}

export function isGerund(word: string): boolean {
  return GERUND.test(word) && !NOT_GERUNDS.has(word)
}
