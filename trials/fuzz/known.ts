/**
 * Ids that answers have told, by the name they were told under (`offer_id`, `taskId`), so that later requests are about
 * things that exist, existed, or are somebody else's. A few of each are kept; old ones give way.
 */
import { randomUUID } from 'node:crypto'
import type { Dice } from './attempt.ts'

const MOST_OF_A_NAME = 200
const MOST_LINKS = 500
const LINK = /(?:href|src)="(\/[^/"&#?][^"&#]*)"/g
const DEEPEST = 6
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export type Known = {
  learn(value: unknown): void
  keep(name: string, id: string): void
  /** Addresses of ours that a page links to. */
  learnLinks(html: string): void
  link(dice: Dice): string | null
  /** One that was told under this name; else one of any name, or one that nobody has. */
  id(dice: Dice, name: string): string
}

export function createKnown(): Known {
  const names = new Map<string, string[]>()
  const links: string[] = []
  let told = 0

  function keep(name: string, id: string): void {
    const list = names.get(name) ?? []
    if (list.length < MOST_OF_A_NAME) list.push(id)
    else list[told++ % MOST_OF_A_NAME] = id
    names.set(name, list)
  }

  function learn(value: unknown, depth = 0): void {
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return
    for (const [name, inner] of Object.entries(value).slice(0, 50)) {
      if (typeof inner === 'string' && /id$/i.test(name) && ID.test(inner)) keep(name, inner)
      else learn(inner, depth + 1)
    }
  }

  return {
    learnLinks(html) {
      for (const [, link = ''] of html.matchAll(LINK)) {
        if (links.length < MOST_LINKS) links.push(link)
        else links[told++ % MOST_LINKS] = link
      }
    },
    link: (dice) => (links.length > 0 ? dice.pick(links) : null),
    learn: (value) => learn(value),
    keep,
    id(dice, name) {
      const list = names.get(name) ?? []
      if (list.length > 0 && dice.chance(0.9)) return dice.pick(list)
      const any = [...names.values()].flat()
      return any.length > 0 && dice.chance(0.5) ? dice.pick(any) : randomUUID()
    },
  }
}
