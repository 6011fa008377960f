import { describe, expect, test } from 'vitest'
import { readDemoSet } from '../../../eval/judged.ts'
import { readMessages } from '../../../eval/messages.ts'
import { readLanguage } from './read-language.ts'

describe('a query in another language becomes English', () => {
  test.each([
    ['de', 'Kaffeemaschine unter 50 €', 'coffee machine under 50 €'],
    ['de', 'kabellose kopfhoerer', 'wireless headphones'],
    ['de', 'Espressomaschine, alles außer Brasswick', 'espresso machine, anything but Brasswick'],
    ['fr', 'machine à café pas chère', 'coffee machine cheap'],
    ['fr', 'sac à dos de randonnée imperméable 40 litres', 'waterproof hiking backpack 40 liter'],
    ['fr', "aspirateur qui n'est pas un robot", 'vacuum cleaner that is not robot'],
    ['fr', "purificateur d'air silencieux", 'quiet air purifier'],
    ['fr', 'lave-vaisselle encastrable', 'built-in dishwasher'],
    ['es', 'silla de oficina negra sin ruedas', 'black office chair without wheel'],
    ['it', 'portatile leggero 2,5 kg', 'lightweight laptop 2.5 kg'],
    ['it', 'scarpe da corsa da uomo leggere', "men's lightweight running shoes"],
    ['nl', 'draadloze oordopjes onder 1.200 euro', 'wireless earbuds under 1,200 euro'],
    ['pt', 'cadeira de escritório até 200 euros', 'office chair under 200 euro'],
  ])('%s: %s', (language, query, english) => {
    expect(readLanguage(query)).toEqual({ language, english, unknownScript: false })
  })

  test.each([
    ['Wanderrucksack', 'hiking backpack'],
    ['Laptoptasche', 'laptop bag'],
    ['Küchentisch', 'kitchen table'],
    ['Gamingstuhl', 'gaming chair'],
  ])('a German compound is read by its parts: %s', (query, english) => {
    expect(readLanguage(query).english).toBe(english)
  })
})

describe('an English query stays as it is', () => {
  test.each([
    'laptop',
    'robot',
    'pasta',
    'Braun shaver',
    'le creuset dutch oven',
    'pour over coffee maker',
    'robe for women',
    'pet bed',
    'gift for my Mutter',
    'Kestwick Airfold 13',
    'laptop stand adjustable',
    'flip flops',
    'profesional hair dryer',
    'Intel PILA8470C3',
  ])('%s', (query) => {
    expect(readLanguage(query)).toEqual({ language: 'en', english: query, unknownScript: false })
  })

  test('every query and message of the demo sets', () => {
    const written = [
      ...readDemoSet().queries.map(({ text }) => text),
      ...readMessages().map(({ message }) => message),
    ]
    expect(written.length).toBeGreaterThan(500)
    const changed = written.filter((query) => readLanguage(query).english !== query)
    // Some messages are in German, Spanish and French.
    expect(changed).toEqual([
      'ich suche einen leisen Mixer für Smoothies',
      'Bitte um ein Angebot für 12 Stück Kestwick Huddle 120, Lieferung nach Bayern',
      'cotización para 4 Brasswick Solo V2 por favor',
      '¿Qué opinan los dueños de la Zorvetti Ragazza?',
      'Gibt es einen Rabatt auf den Sonderline Buoy 2?',
      'Bonjour, je cherche une tente légère pour deux personnes',
      'Guten Tag, ich brauche einen ergonomischen Bürostuhl unter 400 Euro',
      'buenos días',
    ])
  })
})

test('words that the catalog itself uses are not translated', () => {
  const german: Record<string, number> = { kaffeemaschin: 40, schuh: 12 }
  const documents = (term: string) => german[term] ?? 0
  expect(readLanguage('Kaffeemaschine', documents).english).toBe('Kaffeemaschine')
  expect(
    readLanguage('Kaffeemaschine', (term) => (term === 'coffe' || term === 'machin' ? 50 : 0)).english,
  ).toBe('coffee machine')
})

describe('a script that cannot be read', () => {
  test.each(['наушники', 'ακουστικά', 'سماعات', 'אוזניות', '耳机', 'ヘッドホン', 'หูฟัง', 'हेडफोन'])(
    '%s',
    (query) => {
      expect(readLanguage(query)).toEqual({ language: 'other', english: query, unknownScript: true })
    },
  )

  test('is searched all the same when the catalog has one of its words', () => {
    expect(readLanguage('наушники', (term) => (term === 'наушники' ? 3 : 0)).unknownScript).toBe(false)
  })
})
