/** One entry of the history in words, for the page and for the file alike. */
import { type HistoryActors, type HistoryEntry, isByOperator } from '../../../orgs/history.service.ts'
import { humanized } from '../../format.ts'
import { type NameOf, sentenceFor } from './sentences.ts'

export type ToldEntry = {
  id: string
  at: Date
  what: string
  who: string
  actor: HistoryEntry['actor']
  /** What the history is narrowed by to what they did. */
  actorFilter: string
  action: string
  facts: Array<{ label: string; name: string; value: string }>
}

const NOT_IN_THE_TEAM = 'somebody not in the team now'

export function createTeller({ people }: HistoryActors): (entry: HistoryEntry) => ToldEntry {
  const names = new Map(people.map(({ id, name }) => [id, name]))
  const nameOf: NameOf = (id) => names.get(String(id)) ?? NOT_IN_THE_TEAM
  return (entry) => {
    const { id, at, actor, action, detail } = entry
    const facts = Object.entries(detail).map(([name, value]) => ({
      label: humanized(name),
      name,
      value: name === 'user_id' && names.has(String(value)) ? nameOf(value) : factWords(value),
    }))
    return {
      id,
      at,
      actor,
      action,
      facts,
      what: sentenceFor(action, detail, nameOf),
      who: whoDid(entry, nameOf),
      actorFilter: filterFor(entry),
    }
  }
}

function whoDid(entry: HistoryEntry, nameOf: NameOf): string {
  const { actor, name } = entry
  if (isByOperator(entry)) return 'The operator of this service'
  if (actor.kind === 'system') return 'Souk'
  if (actor.kind === 'link_token') return `Link token “${name ?? 'deleted'}”`
  const who = name ?? nameOf(actor.id)
  return who === NOT_IN_THE_TEAM ? humanized(who) : who
}

function filterFor(entry: HistoryEntry): string {
  return isByOperator(entry) ? 'operator' : (entry.actor.id ?? 'system')
}

function factWords(value: unknown): string {
  if (value === null || value === '') return 'None'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value)) return value.map(factWords).join(', ') || 'None'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
