/** What a reader says is wrong with a product, and what an operator answers. Messages are for the person typing. */
import { z } from 'zod'
import { Email } from '../accounts/accounts.schema.ts'
import { cleanText } from '../lib/text.ts'
import { isBeyond } from './bounded-input.ts'

export const MISTAKE_KINDS = ['price', 'spec', 'picture', 'wrong_product', 'discontinued', 'other'] as const
export type MistakeKind = (typeof MISTAKE_KINDS)[number]

export const MISTAKE_OUTCOMES = ['fixed', 'rejected'] as const
export type MistakeOutcome = (typeof MISTAKE_OUTCOMES)[number]

export const MAX_MISTAKE = 1_000
const TOO_LONG = `Use at most ${MAX_MISTAKE.toLocaleString('en-US')} characters.`

/** Counted after cleaning: a browser sends a line break as two characters. */
const words = z
  .string()
  .default('')
  .refine((text) => !isBeyond(text, MAX_MISTAKE), { error: TOO_LONG, abort: true })
  .transform(cleanText)
  .refine((text) => text.length <= MAX_MISTAKE, TOO_LONG)

export const MistakeReport = z.object({
  kind: z.enum(MISTAKE_KINDS, 'Choose what is wrong.'),
  text: words.refine((text) => text !== '', 'Say what is wrong.'),
  email: z
    .string()
    .default('')
    .transform((text) => text.trim())
    .pipe(
      z
        .literal('')
        .transform(() => null)
        .or(Email),
    ),
})
export type MistakeReport = z.output<typeof MistakeReport>

export const MistakeClosing = z.object({
  outcome: z.enum(MISTAKE_OUTCOMES, 'Choose fixed or rejected.'),
  note: words.transform((text) => text || null),
})
export type MistakeClosing = z.output<typeof MistakeClosing>
