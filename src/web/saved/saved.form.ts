/** What the form of a saved product may hold, as people type it: "$1,299.50", an empty field, a list of a new name. */
import { z } from 'zod'
import { formatUsd, readDollars } from '../../lib/money.ts'
import { cleanLine, cleanText } from '../../lib/text.ts'
import { DEFAULT_LIST, MAX_LIST_NAME, MAX_NOTE } from '../../saved/saved.schema.ts'

const MAX_TARGET_CENTS = 10_000_000_00

/** At most so many characters, as people count them. */
const within = (max: number) => (text: string) => [...text].length <= max

const ListField = z
  .string()
  .default('')
  .transform(cleanLine)
  .refine(within(MAX_LIST_NAME), `Use at most ${MAX_LIST_NAME} characters for a list.`)
  .transform((name) => name || DEFAULT_LIST)

const NoteField = z
  .string()
  .default('')
  .transform(cleanText)
  .refine(within(MAX_NOTE), `Use at most ${MAX_NOTE} characters for a note.`)
  .transform((note) => note || null)

const TargetField = z
  .string()
  .default('')
  .transform((typed, ctx): number | null => {
    if (typed.trim() === '') return null
    const cents = readDollars(typed) ?? 0
    if (cents > 0 && cents <= MAX_TARGET_CENTS) return cents
    const message =
      cents > MAX_TARGET_CENTS
        ? `A target can be at most ${formatUsd(MAX_TARGET_CENTS)}.`
        : 'Type a price in US dollars, such as 49.50.'
    ctx.addIssue({ code: 'custom', message, input: typed })
    return z.NEVER
  })

export const SavedForm = z.object({
  list: ListField,
  note: NoteField,
  target_price: TargetField,
  /** The list that the entry which is changed is on; empty for one that is saved now. */
  from: z.string().default('').transform(cleanLine),
})
export type SavedForm = z.output<typeof SavedForm>
