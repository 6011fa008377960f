import { describe, expect, it } from 'vitest'
import { findNegations, wordsDeniedBy } from './negation.ts'
import { tokenize } from './tokens.ts'

const PRODUCT_WORDS = new Set(['kettle', 'office', 'chair', 'jacket', 'lamp'])

function negationsOf(query: string) {
  const tokens = tokenize(query)
  return findNegations(query, tokens, new Uint8Array(tokens.length), (word) => PRODUCT_WORDS.has(word))
}

describe('a thing the product must lack', () => {
  it.each([
    ['heater without fan noise', ['fan', 'noise']],
    ['belt, not leather', ['leather']],
    ['doorbell with no subscription', ['subscription']],
    ['backpack w/o a frame', ['frame']],
    ['any color except pink', ['pink']],
    ['anything but velvet, armchair', ['velvet']],
    ['candle other than vanilla', ['vanilla']],
    ['glass bottle instead of plastic', ['plastic']],
    ['cutting board free of formaldehyde', ['formaldehyde']],
    ['bracelet free from nickel', ['nickel']],
    ['pillow, but not feathers', ['feathers']],
    ["toy that doesn't need batteries", ['batteries']],
    ['toy that does not require an app', ['app']],
    ["soap that doesn't contain palm oil", ['palm', 'oil']],
    ["charger that doesn't come with a cable", ['cable']],
    ["rug that doesn't smell like rubber", ['rubber']],
    ["I don't want glitter", ['glitter']],
    ["we don't need a remote", ['remote']],
    ["I don't like lavender or rose", ['lavender', 'rose']],
    ['knife that never needs sharpening', ['sharpening']],
    ['a tripod I do not have to screw together', ['screw', 'together']],
    ['sweater, neither wool nor mohair', ['wool', 'mohair']],
    ['nothing with caffeine', ['caffeine']],
    ['sandal not made of rubber', ['rubber']],
    ["vase that isn't glass", ['glass']],
    ['blanket must not be polyester', ['polyester']],
    ['headset, not over-ear', ['over-ear']],
    ['lock with no keypad or wi-fi', ['keypad', 'wi-fi']],
    ['phone with no 5g', ['5g']],
    ['quilt with no down', ['down']],
    ['no assembly required bookcase', ['assembly']],
    ['cooler with no ice to refill', ['ice']],
    ['lotion without dyes, parabens and perfume', ['dyes', 'parabens', 'perfume']],
    ['snack with no dairy, eggs or nuts', ['dairy', 'eggs', 'nuts']],
    ['non leather office chair', ['leather']],
    ['no whistle kettle', ['whistle']],
    ['radio without a glowing display', ['glowing', 'display']],
    ['coat without any fur at all', ['fur']],
    ['curtains that are not see-through', ['see-through']],
    ['fence without needing nails', ['nails']],
    ["boots that don't make my feet sweat", ['sweat']],
  ])('%s → %j', (query, words) => {
    const found = negationsOf(query)
    expect(found.flatMap((negation) => negation.words)).toEqual(words)
    expect(found.every(({ kind }) => kind === 'lack')).toBe(true)
  })
})

describe('where a negation ends', () => {
  it.each([
    ['mug without handle but with lid', 'without handle'],
    ['dresser without mirror and with wheels', 'without mirror'],
    ['fan with no remote, tall and slim', 'no remote'],
    ['fan with no remote and easy to clean', 'no remote'],
    ['jar with no plastic, cork or bamboo only', 'no plastic'],
    ['hat without logo for hiking', 'without logo'],
    ['bench without back under the window', 'without back'],
    ['wallet no coins wireless blocking', 'no coins'],
    ['faucet without sprayer solid brass', 'without sprayer'],
    ['watch, not digital because I like hands', 'not digital'],
    ['sled without waking the neighbours', 'without waking'],
    ['valve without handle AB12-X', 'without handle'],
  ])('%s → "%s"', (query, phrase) => {
    expect(negationsOf(query)[0]?.phrase).toBe(phrase)
  })

  it('what another reader has taken is not read again', () => {
    const query = 'couch without chaise 800'
    const tokens = tokenize(query)
    const taken = new Uint8Array(tokens.length)
    taken[2] = 1
    expect(findNegations(query, tokens, taken)).toEqual([])
  })
})

describe('something the product must not do, or be too much of', () => {
  it.each([
    ["raincoat that won't leak", ['leak']],
    ["stools that don't wobble on tiles", ['wobble']],
    ["paint that will not yellow, I'm told", ['yellow']],
    ['suitcase, not too heavy', ['heavy']],
    ['not too bulky jacket', ['bulky']],
    ['alarm that is not very loud', ['loud']],
    ['nothing fancy', ['fancy']],
    ['drawer with almost no gap', ['gap']],
    ['weeding without kneeling', ['kneeling']],
    ['shirt that does not get wrinkled', ['wrinkled']],
    ['sturdy but not stiff', ['stiff']],
  ])('%s', (query, words) => {
    expect(negationsOf(query)).toMatchObject([{ words, kind: 'avoid' }])
  })
})

describe('free of something, as products say it', () => {
  it.each([
    ['gluten free crackers', ['gluten']],
    ['sugar-free jam', ['sugar']],
    ['fragrance-free wipes', ['fragrance']],
    ['dairy & soy free spread', ['dairy', 'soy']],
    ['sulfate and silicone free conditioner', ['sulfate', 'silicone']],
    ['leather-free gloves', ['leather']],
  ])('%s → %j', (query, words) => {
    expect(negationsOf(query)).toMatchObject([{ words, kind: 'free' }])
  })
})

describe('no negation', () => {
  it.each([
    'not only for swimmers',
    'not just a pretty vase',
    'no matter how cold gloves',
    'nothing beats a warm bath pillow',
    'non-slip tub mat',
    'non stick wok',
    'non-toxic crayons',
    'cordless trimmer',
    'wireless doorbell',
    'unscented candle',
    'sleeveless dress',
    'no-name cereal bowls',
    'no-show socks',
    'no frills raincoat',
    'Lipstick No. 5',
    'pencil no 2',
    'hands-free faucet',
    'free standing tub',
    'mattress topper with free shipping',
    'free range eggs carton',
    'tangle-free leash',
    'cruelty-free mascara',
    'buy one get one free socks',
    'feel free to suggest a vase',
    "I don't mind scratches",
    "don't care about the color, ladder",
    "I don't have a balcony, herb planter",
    "I can't bend down, grabber",
    'we have no garage, bike cover',
    "there's no socket nearby, lamp",
    "my cat won't sit still, carrier",
    'not sure what size of ring',
    'whether or not it rains, tarp',
    'if not cotton then linen',
    'shelf no wider than 30 cm',
    'shelf not more than 2 kg',
    'gift for a friend who never sleeps',
    'no',
    'not',
    'without',
    'non-',
    'free',
  ])('%s', (query) => {
    expect(negationsOf(query)).toEqual([])
  })
})

it.each([
  ['A silent cooler: no fan, no pump. Latex-free seals, steel legs.', ['fan', 'latex', 'pump']],
  ['There is no microphone at all.', ['microphone']],
  ['It has no clasp and will not rust.', ['clasp', 'rust']],
  ['Two steel legs and a drawer.', []],
])("a product's own text tells what it does without: %s", (text, denied) => {
  expect(wordsDeniedBy(text).sort()).toEqual(denied)
})
