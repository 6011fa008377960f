/**
 * How the buttons of a plan's page become edits, and how what an edit did is said after it. Each button sends what it does
 * (`do`), the line it is for, and the revision that its page showed: a plan that was changed elsewhere meanwhile is shown
 * again instead of being changed twice.
 */
import { z } from 'zod'
import { MAX_PIECES } from '../../bundles/bundles.schema.ts'
import { AppError } from '../../lib/errors.ts'
import { readDollars } from '../../lib/money.ts'
import { usd } from '../../lib/words.ts'
import { type Edit, EditRequest, type PlanResponse } from '../../plans/plans.schema.ts'
import { countOf, formatCount, sentence } from '../format.ts'

const NO_MONEY = 'Enter an amount in US dollars, such as 1,200.'
const NO_COUNT = `Enter a whole number from 1 to ${formatCount(MAX_PIECES)}.`
const MOST_CENTS = 10_000_000_00

const Text = z.string().trim().max(300).default('')

export const EditForm = z
  .object({
    do: z.enum(['keep', 'release', 'replace', 'upgrade', 'remove', 'add', 'budget', 'quantity']),
    revision: z.coerce.number().pipe(EditRequest.shape.revision.unwrap()),
    ...{ line: Text, with: Text, add: Text, budget: Text, quantity: Text },
  })
  .transform((form, ctx): { did: string; line: string; revision: number; edits: Edit[] } => {
    const { do: did, line, revision } = form
    const said = (edits: Edit[]) => ({ did, line: did === 'add' ? form.add : line, revision, edits })
    const refuse = (field: string, message: string) => {
      ctx.addIssue({ code: 'custom', path: [field], message })
      return z.NEVER
    }
    const replaced: Edit = { kind: 'replace', line, with: form.with || null }
    const cents = readDollars(form.budget)
    const isMoney = cents !== null && cents > 0 && cents <= MOST_CENTS
    switch (did) {
      case 'keep':
      case 'release':
        return said([{ kind: 'keep', line, off: did === 'release' }])
      case 'replace':
        return said([replaced])
      case 'upgrade':
        // What costs more than the budget raises it in the same step.
        return isMoney ? said([{ kind: 'budget', cents }, replaced]) : refuse('budget', NO_MONEY)
      case 'remove':
        return said([{ kind: 'remove', line }])
      case 'add':
        if (form.add === '') return refuse('add', 'Enter what to add, such as a desk lamp.')
        return said([{ kind: 'add', what: form.add }])
      case 'budget':
        if (form.budget === '') return said([{ kind: 'budget', cents: null }])
        return isMoney ? said([{ kind: 'budget', cents }]) : refuse('budget', NO_MONEY)
      case 'quantity': {
        const quantity = /^\d{1,6}$/.test(form.quantity) ? Number(form.quantity) : 0
        if (quantity < 1 || quantity > MAX_PIECES) return refuse('quantity', NO_COUNT)
        return said([{ kind: 'quantity', line, quantity }])
      }
    }
  })

const NOT_FOUND = 'We have no category with this name. Add one of these products, or try other words.'
const FIELD = /^edits(?:\.\d+)?(?:\.(\w+))?$/

/** What the service refused, beside the field that it is about: it names the places of a request's body. */
export function inPageWords(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const { kind, code, max, valid, retryAfterSeconds } = error
  if (kind === 'conflict') {
    const text =
      'This plan was changed in another window or by your agent, so we changed nothing. Look at it again, then repeat your change.'
    return new AppError('conflict', text, { code })
  }
  const field = FIELD.exec(error.field ?? '')
  if (field === null) return error
  const name = field[1] === 'add' ? 'add' : field[1] === 'budget_usd' ? 'budget' : undefined
  const text = error.message.replace(/^edits[.\w]*: /, '')
  if (name === 'add' && text.startsWith('there is no category'))
    return new AppError(kind, NOT_FOUND, { code, valid, field: name })
  return new AppError(kind, sentence(text), { code, max, valid, retryAfterSeconds, field: name })
}

type Told = { did: string; line: string; was: number; also: string[] }

/** The address that shows what an edit did. */
export function editedPath(path: string, told: Told): string {
  const { did, line, was, also } = told
  const query = new URLSearchParams({ done: did, line, was: String(was) })
  if (also.length > 0) query.set('also', also.join(','))
  return `${path}?${query}`
}

/** Null for an address that tells of no edit of this plan. */
export function editedWords(query: URLSearchParams, plan: PlanResponse): string | null {
  const { categories, left_out, total, budget } = plan
  const known = [...categories, ...left_out]
  const labelOf = (name: string | null) =>
    known.find(({ slug, label }) => slug === name || label.toLowerCase() === name?.toLowerCase())?.label
  const line = labelOf(query.get('line'))
  const title = categories.find(({ label }) => label === line)?.product?.title
  const first = firstWords(query.get('done') ?? '', { line, title, budget })
  if (first === null) return null
  const also = (query.get('also') ?? '').split(',').flatMap((slug) => labelOf(slug) ?? [])
  const stayed = categories.length - also.length - (line && title ? 1 : 0)
  const was = /^\d{1,12}(\.\d\d?)?$/.test(query.get('was') ?? '') ? Number(query.get('was')) : total
  return [
    first,
    was === total ? `The total stays ${usd(total)}.` : `The total went from ${usd(was)} to ${usd(total)}.`,
    also.length > 0 && `This changed too, to fit: ${also.join(', ')}.`,
    stayed > 0 &&
      `${also.length > 0 ? 'The other ' : ''}${countOf(stayed, 'line')} stayed as ${stayed === 1 ? 'it was' : 'they were'}.`,
  ]
    .filter(Boolean)
    .join(' ')
}

function firstWords(
  did: string,
  { line, title, budget }: { line: string | undefined; title: string | undefined; budget: number | null },
): string | null {
  if (did === 'budget')
    return budget === null ? 'The plan has no budget now.' : `The budget is ${usd(budget)} now.`
  if (line === undefined) return did === 'add' ? 'Added.' : null
  const words: Record<string, string> = {
    keep: `${title ?? line} stays, whatever else you change.`,
    release: `${title ?? line} may change again.`,
    replace: `${line}: now ${title ?? 'empty'}.`,
    upgrade: `${line}: now ${title ?? 'empty'}.`,
    remove: `Removed ${line.toLowerCase()}.`,
    add: `Added ${line.toLowerCase()}.`,
    quantity: `Changed the quantity of ${line.toLowerCase()}.`,
  }
  return Object.hasOwn(words, did) ? (words[did] ?? null) : null
}
