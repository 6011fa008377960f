/**
 * What the published description promises that a caller may get, one line each: `createOffer 403 org_deactivated`. Tests
 * note the lines that they provoked, and a whole run fails on those that none did: an error that nobody can produce is
 * not documented, and one that is documented has been seen. Every reason to refuse has a line of its own, and a refusal in
 * words or as a page one for each media type. `scripts/test.mjs` reads this file as plain Node does.
 */
import type { Operation } from '../src/http/operation.ts'

export type Described = Pick<Operation, 'id' | 'method' | 'path'> & {
  answers: Array<{ status: number; types: string[] }>
  refusals: DescribedRefusal[]
}

export type DescribedRefusal = {
  status: number
  types: string[]
  code: string | null
  field: string | null
  anyField: boolean
  words: string | null
}

/** What was answered; `value` is the body where it is JSON. */
export type Given = { status: number; type: string; value?: unknown }

export const NO_BODY = 'no body'
const ENVELOPE = 'application/json'
const FORMS = { envelope: [ENVELOPE], text: ['text/plain'], page: ['text/plain', 'text/html'] }

/** The operations without their schemas, which the written document has. */
export function describedBy(operations: readonly Operation[]): Described[] {
  return operations.map(({ id, method, path, answers, refusals }) => ({
    id,
    method,
    path,
    answers: answers.map(({ status, content }) => ({ status, types: typesOf(content) })),
    refusals: refusals.map(({ status, code, field, anyField, words, form }) => ({
      status,
      types: FORMS[form ?? 'envelope'],
      code: code ?? null,
      field: field ?? null,
      anyField: anyField ?? false,
      words: words ?? null,
    })),
  }))
}

function typesOf(content: object): string[] {
  const types = Object.keys(content)
  return types.length > 0 ? types : [NO_BODY]
}

export function promisesOf(described: readonly Described[]): string[] {
  return described.flatMap(({ id, answers, refusals }) => [
    ...answers.flatMap(({ status, types }) => types.map((type) => `${id} ${status} ${type}`)),
    ...refusals.flatMap((refusal) => refusal.types.map((type) => refusalLine(id, refusal, type))),
  ])
}

function refusalLine(id: string, refusal: DescribedRefusal, type: string): string {
  const { status, code, field, anyField, words } = refusal
  if (type !== ENVELOPE) return `${id} ${status} ${type}`
  const told = [code ?? '(no code)', anyField ? '(any field)' : field, words && `"${words}"`]
  return `${id} ${status} ${told.filter((one) => one !== null).join(' ')}`
}

/** The line that an answer has proved: of the reasons that it may be, the one that says most. Null if it is not one. */
export function provokedBy({ id, answers, refusals }: Described, given: Given): string | null {
  const { status, type } = given
  if (answers.some((one) => one.status === status && one.types.includes(type)))
    return `${id} ${status} ${type}`
  const [closest] = refusals
    .filter((one) => one.status === status && one.types.includes(type))
    .filter((one) => type !== ENVELOPE || isTold(one, given.value))
    .toSorted((one, other) => telling(other) - telling(one))
  return closest === undefined ? null : refusalLine(id, closest, type)
}

function isTold({ code, field, anyField, words }: DescribedRefusal, value: unknown): boolean {
  const given = value as { error?: string; code?: string; field?: string }
  if ((given.code ?? null) !== code) return false
  if (anyField && given.field === undefined) return false
  if (field !== null && given.field !== field) return false
  return words === null || (given.error ?? '').includes(words)
}

function telling({ field, words }: DescribedRefusal): number {
  return (words === null ? 0 : 2) + (field === null ? 0 : 1)
}

export function unprovoked(described: readonly Described[], seen: Iterable<string>): string[] {
  const known = new Set(seen)
  return promisesOf(described).filter((line) => !known.has(line))
}
