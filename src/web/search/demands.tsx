/**
 * What was understood of the words. A demand that binds the list is a chip, which takes it back or puts it back; the rest
 * is a line of text. Nothing is in both.
 */
import type { Obeyed } from '../../search/obey.ts'
import type { Explanation } from '../../search/search.schema.ts'
import { capital } from '../format.ts'
import { addressOf, type SearchAddress } from './address.ts'
import { Cross } from './chosen.tsx'
import type { Results } from './find-results.ts'

type DemandsProps = { address: SearchAddress; results: Pick<Results, 'obeyed' | 'takenBack' | 'explain'> }

export function Demands({ address, results }: DemandsProps) {
  const { obeyed, takenBack, explain } = results
  return (
    <>
      <Understood explain={explain} demands={[...obeyed, ...takenBack]} />
      {obeyed.length + takenBack.length > 0 && (
        <ul class="chips chosen" aria-label="What your words demand">
          {obeyed.map(({ id, label }) => (
            <li>
              <a class="chip" href={addressWithout(address, id)}>
                <span class="hidden">Take back: </span>
                {capital(label)}
                <Cross />
              </a>
            </li>
          ))}
          {takenBack.map(({ id, label }) => (
            <li>
              <a
                class="chip taken-back"
                href={addressOf(address, { ignore: address.ignore.filter((one) => one !== id) })}
              >
                <span class="hidden">Put back: </span>
                <s>{capital(label)}</s>
                <Plus />
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** The same search without one of its demands. */
export function addressWithout(address: SearchAddress, id: string): string {
  return addressOf(address, { ignore: [...address.ignore, id] })
}

/** In the words of the query, with what they were taken for where that does not go without saying. */
function Understood({ explain, demands }: { explain: Explanation; demands: readonly Obeyed[] }) {
  const rest = explain.understood.filter((note) => !demands.some((demand) => says(demand, note)))
  if (rest.length === 0) return null
  return (
    <p class="understood">
      <span class="soft">Understood: </span>
      {rest.map(({ phrase, meaning }, at) => (
        <>
          {at > 0 && ' · '}
          {phrase}
          {!saysItself(phrase, meaning) && <span class="soft"> ({meaning})</span>}
        </>
      ))}
    </p>
  )
}

type Note = Explanation['understood'][number]

/** True when the chip of a demand says what the note says. A note may be of several demands: "Not Tamrel or Kestwick". */
function says({ id, label }: Obeyed, { phrase, meaning }: Note): boolean {
  const [said, meant] = [label.toLowerCase(), meaning.toLowerCase()]
  if (id === 'order') return meant.endsWith(' first')
  if (id.startsWith('not'))
    return meant.startsWith('not ') && meant.includes(id.slice(id.indexOf(':') + 1).toLowerCase())
  return said === meant || id.endsWith(`:${phrase}`)
}

function saysItself(phrase: string, meaning: string): boolean {
  return /^(?:without|avoid|wanted): |^for /.test(meaning) || phrase.toLowerCase() === meaning.toLowerCase()
}

function Plus() {
  return (
    <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
      <path d="M5 0v10M0 5h10" stroke="currentColor" stroke-width="1.5" />
    </svg>
  )
}
