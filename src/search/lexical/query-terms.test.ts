/** Through a small shop: what people type must find what they mean, and find it first. */
import { describe, expect, test } from 'vitest'
import { createLexicalIndex } from './lexical-index.ts'
import { toQueryTerms } from './query-terms.ts'

/** name | title | brand | model | category | specs | text */
const SHOP = `
headphones|Morrowind Calm Noise-Cancelling Wireless Headphones|Morrowind|Calm 4 WH-1000XM4|Headphones|Battery life: 38 h|Quiet on planes.
olderHeadphones|Morrowind Calm Wireless Headphones|Morrowind|Calm 3 WH-1000XM3|Headphones||Cancels noise on planes nearly as well.
fryer|Ovenbird Crisp Air Fryer|Ovenbird|AC-K1|Air fryers|Capacity: 4.5 litres. Power: 1,500 W|Crisp potatoes with hot air.
monitor|Lumaro Clearline 27-inch Monitor|Lumaro|Clearline 27|Monitors|Resolution: 2560 x 1440. Refresh rate: 144 Hz
largeMonitor|Lumaro Clearline 32-inch Monitor|Lumaro|Clearline 32|Monitors||The larger of two, with 27 presets.
laptop|Kestwick Slate 14 Laptop|Kestwick|Slate 14|Laptops|Memory: 16 GB. Storage: 512 GB. Keyboard: backlit
keyboard|Tactile Mechanical Keyboard|Keywright||Mechanical keyboards||Loud switches for people who type.
stroller|Tovelund Fjell Stroller|Tovelund||Strollers||Rolls over snow; for toddlers and babies.
sofa|Fennimore Three-Seat Couch in Grey|||Furniture||A comfortable place.
blender|Hearthline Blender|Hearthline||Blenders||Crushes ice quickly.
mattress|Slumbrook Mattress|Slumbrook||Mattresses||Firm and cool.
backpack|Kettlecrag Hiking Backpack|Kettlecrag||Backpacks||Forty litres.
vacuum|Dustwell Cordless Vacuum|Dustwell||Vacuum cleaners||Light, for stairs and carpets.
espresso|Brewline Espresso Machine|Brewline||Espresso machines
dumbbells|Ironpetal Adjustable Dumbbells|Ironpetal||Dumbbells
printer|Meridesk All-in-One Inkjet Printer|Meridesk||Printers
watch|Quenlow Smartwatch|Quenlow||Smartwatches||With a bookcase strap.
book|Leather Book Cover|||Covers||A case for any book.
speaker|Ridgelark Bluetooth Speaker|Ridgelark||Bluetooth speakers
tripod|Phone Tripod|||Accessories||Holds any smartphone steady.
shirt|Cotton Tee|||Clothing||Plain.
`
const rows = SHOP.trim()
  .split('\n')
  .map((line) => line.split('|'))
const names = rows.map(([name]) => name)
const index = createLexicalIndex()
for (const [, title = '', brand = '', model = '', category = '', specs = '', text = ''] of rows)
  index.add({ title, brand, model, category, specs, text })

const found = (query: string) =>
  [...index.search(toQueryTerms(query, index), 10).slots].map((slot) => names[slot])
const variants = (query: string, group = 0) =>
  Object.fromEntries(
    toQueryTerms(query, index).flatMap((term) => (term.group === group ? [[term.term, term.weight]] : [])),
  )

describe('misspelled words find what was meant', () => {
  test.each([
    ['hedphones', 'headphones'],
    ['headphnoes', 'headphones'],
    ['haedphones', 'headphones'],
    ['headfones', 'headphones'],
    ['headphonse', 'headphones'],
    ['morowind calm', 'morrowind calm'],
    ['wireles headphones', 'wireless headphones'],
    ['noise canceling hedphones', 'noise cancelling headphones'],
    ['noise cancelign headphones', 'noise cancelling headphones'],
    ['ovenbrid crisp', 'ovenbird crisp'],
    ['air frier', 'air fryer'],
    ['air fyrer', 'air fryer'],
    ['moniter 27 inch', 'monitor 27 inch'],
    ['monitr 27 inch', 'monitor 27 inch'],
    ['clearlyne 32', 'clearline 32'],
    ['latpop', 'laptop'],
    ['loptop', 'laptop'],
    ['keybord', 'keyboard'],
    ['keyboad mechanical', 'keyboard mechanical'],
    ['mechancal keyboard', 'mechanical keyboard'],
    ['strolller', 'stroller'],
    ['tovelnud stroler', 'tovelund stroller'],
    ['coach grey', 'couch grey'],
    ['blendr', 'blender'],
    ['belnder', 'blender'],
    ['matress', 'mattress'],
    ['mattres', 'mattress'],
    ['matterss', 'mattress'],
    ['bakpack', 'backpack'],
    ['backpak hikng', 'backpack hiking'],
    ['cordles vaccum', 'cordless vacuum'],
    ['vacum cleaner', 'vacuum cleaner'],
    ['expresso machine', 'espresso machine'],
    ['esspresso', 'espresso'],
    ['dumbells', 'dumbbells'],
    ['dumbbels adjustible', 'dumbbells adjustable'],
    ['ajustable dumbels', 'adjustable dumbbells'],
    ['pritner', 'printer'],
    ['prinetr inkjte', 'printer inkjet'],
    ['smartwach', 'smartwatch'],
    ['blutooth speker', 'bluetooth speaker'],
    ['bluetoth speaker', 'bluetooth speaker'],
  ])('%s finds what %s finds, in first place', (query, meant) => {
    expect(found(meant).length).toBeGreaterThan(0)
    expect(found(query)[0]).toBe(found(meant)[0])
  })

  test('a known word is left alone', () => {
    expect(Object.keys(variants('printer'))).toEqual(['printer'])
  })

  test('a correction counts less than the word, and less the shorter the word', () => {
    const [long = 0, short = 0] = [variants('hedphones').headphon, variants('keybord').keyboard]
    expect(long).toBeLessThan(1)
    expect(short).toBeLessThan(long)
  })

  test('a number is never taken for another', () => {
    expect(variants('1440')).toEqual({ 1440: 1 })
    expect(Object.keys(variants('wh1000xm5'))).not.toContain('wh1000xm4')
  })

  test('a word that lost its last letter is known by its stem', () => {
    const shop = createLexicalIndex()
    shop.add({ title: 'Pulse monitor' })
    expect(toQueryTerms('puls', shop)).toContainEqual({ term: 'puls', weight: 0.8, group: 0 })
  })

  test('corrections can be turned off', () => {
    expect(toQueryTerms('hedphones', index, { typos: false })).toEqual([
      { term: 'hedphon', weight: 1, group: 0 },
    ])
  })

  test('a very rare word is also read as a far more common one a letter away, for less', () => {
    const shop = createLexicalIndex()
    for (let i = 0; i < 120; i++) shop.add({ title: 'Folding stroller' })
    const sloppy = shop.add({ title: 'Folding stroler' })
    expect(toQueryTerms('stroler', shop)).toEqual([
      { term: 'stroler', weight: 1, group: 0 },
      { term: 'stroller', weight: 0.5, group: 0 },
    ])
    expect([...shop.search(toQueryTerms('stroler', shop), 3).slots]).toEqual([sloppy, 0, 1])
    expect(toQueryTerms('stroller', shop).map(({ term }) => term)).not.toContain('stroler')
  })
})

describe('compounds meet, joined, tied or apart', () => {
  test.each([
    ['airfryer', 'fryer'],
    ['air-fryer', 'fryer'],
    ['air fryer', 'fryer'],
    ['noisecancelling', 'headphones'],
    ['noise-cancelling', 'headphones'],
    ['noise cancelling', 'headphones'],
    ['smart watch', 'watch'],
    ['smart-watch', 'watch'],
    ['lap top', 'laptop'],
    ['back-pack', 'backpack'],
    ['key board mechanical', 'keyboard'],
    ['blue tooth speaker', 'speaker'],
    ['threeseat', 'sofa'],
    ['all in one', 'printer'],
    ['allinone printer', 'printer'],
  ])('%s → %s', (query, name) => {
    expect(found(query)[0]).toBe(name)
  })

  test('"noisecancelling" also finds the document that has both words apart', () => {
    expect(found('noisecancelling')).toEqual(['headphones', 'olderHeadphones'])
  })

  test('two words found as one stand for both of them', () => {
    expect(variants('smart watch', 0)).toMatchObject({ smart: 1, smartwatch: 0.95 })
    expect(variants('smart watch', 1)).toMatchObject({ watch: 1, smartwatch: 0.95 })
  })

  test('a known word is split only for less, so the word itself comes first', () => {
    expect(found('bookcase')[0]).toBe('watch')
  })
})

describe('model numbers and amounts', () => {
  test.each([
    ['WH-1000XM4', 'headphones'],
    ['wh1000xm4', 'headphones'],
    ['wh 1000xm4', 'headphones'],
    ['wh 1000 xm4', 'headphones'],
    ['wh1000 xm4', 'headphones'],
    ['xm4', 'headphones'],
    ['WH-1000XM3', 'olderHeadphones'],
    ['xm3 headphones', 'olderHeadphones'],
    ['calm 3', 'olderHeadphones'],
    ['calm3', 'olderHeadphones'],
    ['AC-K1', 'fryer'],
    ['ack1', 'fryer'],
    ['ac k1', 'fryer'],
    ['ac-k 1', 'fryer'],
    ['27" monitor', 'monitor'],
    ['27 in monitor', 'monitor'],
    ['monitor 32inch', 'largeMonitor'],
    ['monitor 27', 'monitor'],
    ['laptop 16gb', 'laptop'],
    ['16 gb memory', 'laptop'],
    ['1500 watts', 'fryer'],
    ['2560x1440', 'monitor'],
  ])('%s → %s', (query, name) => {
    expect(found(query)[0]).toBe(name)
  })

  test('half a model number counts for less, and not in prose', () => {
    expect(toQueryTerms('27in', index)).toEqual([
      { term: '27in', weight: 1, group: 0 },
      { term: '27', weight: 0.3, group: 0, fields: ['title', 'model', 'specs'] },
    ])
    expect(found('27in')).toEqual(['monitor'])
  })
})

describe('synonyms', () => {
  test.each([
    ['sofa', 'sofa'],
    ['gray couch', 'sofa'],
    ['pushchair', 'stroller'],
    ['rucksack', 'backpack'],
    ['hoover', 'vacuum'],
    ['notebook computer', 'laptop'],
    ['cell phone tripod', 'tripod'],
    ['t-shirt', 'shirt'],
    ['t shirt', 'shirt'],
  ])('%s → %s', (query, name) => {
    expect(found(query)[0]).toBe(name)
  })

  test('rank below the word that was asked for', () => {
    const shop = createLexicalIndex()
    shop.add({ title: 'Couch', category: 'Couches' })
    shop.add({ title: 'Stool', text: 'Matches every sofa of the house and most of the chairs in it.' })
    expect([...shop.search(toQueryTerms('sofa', shop), 5).slots]).toEqual([1, 0])
  })

  test('of two common words are left out: both stand in many texts by chance', () => {
    const shop = createLexicalIndex()
    for (let i = 0; i < 60; i++) shop.add({ title: i % 2 ? 'Hand weight' : 'Dumbbell' })
    const terms = () => toQueryTerms('dumbbell', shop).map(({ term }) => term)
    expect(terms()).not.toContain('hand weight')
    for (let i = 0; i < 600; i++) shop.add({ title: 'Lamp' })
    expect(terms()).toContain('hand weight')
  })

  test('can be turned off', () => {
    expect(toQueryTerms('couch', index, { synonyms: false })).toEqual([
      { term: 'couch', weight: 1, group: 0 },
    ])
  })
})

describe('the words of a query', () => {
  test('stop words are dropped unless there is nothing else', () => {
    expect(toQueryTerms('a printer for the office', index).filter(({ weight }) => weight === 1)).toEqual([
      { term: 'printer', weight: 1, group: 0 },
      { term: 'offic', weight: 1, group: 1 },
    ])
    expect(toQueryTerms('what is it', index).map(({ term }) => term)).toEqual(['what', 'is', 'it'])
  })

  test('a word said twice counts once', () => {
    expect(toQueryTerms('printer printers', index)).toEqual([{ term: 'printer', weight: 1, group: 0 }])
  })

  test('an unknown word stays, so that coverage knows it is missing', () => {
    expect(toQueryTerms('zzgh printer', index).map(({ term }) => term)).toEqual(['zzgh', 'printer'])
    const hits = index.search(toQueryTerms('zzgh printer', index), 5)
    const { coverage } = index.explain(toQueryTerms('zzgh printer', index), hits.slots)
    expect(coverage[0]).toBeGreaterThan(0)
    expect(coverage[0]).toBeLessThan(0.6)
  })

  test('an endless query is cut', () => {
    const groups = toQueryTerms(Array.from({ length: 500 }, (_, i) => `word${i}x`).join(' '), index)
    expect(Math.max(...groups.map(({ group }) => group))).toBe(39)
  })

  test('nothing asked gives nothing', () => {
    expect(toQueryTerms(' ?! ', index)).toEqual([])
  })
})
