/** Who is signed in, as the header shows it. */
import type { Person } from '../accounts/actor.ts'

export type Viewer = { name: string; initials: string; isOperator: boolean }

/** People without a name are known by what stands before the @. */
export function viewerOf({ name, email, isAdmin }: Pick<Person, 'name' | 'email' | 'isAdmin'>): Viewer {
  const shown = name.trim() || (email.split('@')[0] ?? email)
  const words = shown.split(/[\s._-]+/).filter((word) => word !== '')
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words
  const initials = ends.map((word) => [...(word ?? '')][0]).join('')
  return { name: shown, initials: initials.toUpperCase(), isOperator: isAdmin }
}
