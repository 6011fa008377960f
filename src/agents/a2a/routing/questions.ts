/** What is asked back when a message leaves open what to do: what is missing, and what can be chosen. */
import { MAX_QUANTITY } from '../../../rfq/rfq.schema.ts'
import type { IndexedProduct } from '../../../search/catalog-index.ts'
import type { Routed } from './route-message.ts'

type Unclear = Extract<Routed, { kind: 'unclear' }>
export type Wanted = 'look up' | 'get quotes for' | 'find offers for' | 'follow'

const HOW_TO_NAME = [
  'Name the product by brand and model, by part number, or as <category>/<slug>',
  'Describe what it should do, and I will find products for it',
]

export function askWhatFor(): Unclear {
  return {
    kind: 'unclear',
    question: 'What can I find for you? Say what you are shopping for, or choose one of these.',
    options: [
      'Describe a need: "a quiet blender under $100"',
      'Look up a product by its name',
      'List the categories, or browse one of them',
      'Find offers and promo codes on a product',
      'Ask sellers for a quote: product, quantity, delivery state and date',
      'See what changed since a date',
    ],
  }
}

export function askWhichProduct(
  wanted: Wanted,
  choices: readonly IndexedProduct[],
  understood = '',
): Unclear {
  return {
    kind: 'unclear',
    question: `Which product shall I ${wanted}?${understood}${choices.length > 0 ? ' Perhaps one of these.' : ''}`,
    options: choices.length > 0 ? choices.map(describe) : HOW_TO_NAME,
  }
}

export function askWhichOf(wanted: Wanted, fitting: readonly IndexedProduct[], understood = ''): Unclear {
  return {
    kind: 'unclear',
    question: `${fitting.length} products fit that name. Which one shall I ${wanted}?${understood}`,
    options: fitting.map(describe),
  }
}

export function askOneAtATime(wanted: Wanted, named: readonly IndexedProduct[]): Unclear {
  return {
    kind: 'unclear',
    question: `I can ${wanted} one product at a time. Which one first?`,
    options: named.map(describe),
  }
}

export function sayNotFound(wanted: Wanted, near: readonly IndexedProduct[]): Unclear {
  return {
    kind: 'unclear',
    question: `The product to ${wanted} is not in the catalog under that name.${near.length > 0 ? ' These come closest.' : ' What is it called, or what should it do?'}`,
    options: near.length > 0 ? near.map(describe) : HOW_TO_NAME,
  }
}

export function askWhichState(country: string): Unclear {
  const name = new Intl.DisplayNames(['en'], { type: 'region' }).of(country) ?? country
  return {
    kind: 'unclear',
    question: `Which state, province or region of ${name} shall it be delivered to?`,
    options: [`Give it as STATE-${country}`, 'Leave the place out and ask for the price alone'],
  }
}

export function askHowMany(): Unclear {
  return {
    kind: 'unclear',
    question: `How many? A quote is for 1 to ${MAX_QUANTITY.toLocaleString('en-US')} whole pieces.`,
    options: ['Give a whole number', 'Ask for several quotes when you need more'],
  }
}

export function askWhichCategory(categories: readonly string[]): Unclear {
  return { kind: 'unclear', question: 'Which category do you mean?', options: [...categories] }
}

export function askOffersOnWhat(): Unclear {
  return {
    kind: 'unclear',
    question: 'Offers on which product or category?',
    options: ['Name a product', 'Name a category to list what is on sale there', 'List the categories'],
  }
}

function describe({ title, category, slug }: IndexedProduct): string {
  return `${title} (${category.slug}/${slug})`
}
