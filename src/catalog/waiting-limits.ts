/**
 * How much of one organization may wait for somebody to look at it. More would be its noise in everybody's queue, or more
 * than an operator can be asked to judge; of somebody who has proved nothing, much less. The refusal has the same words
 * for one call and for a row of an import.
 */
import { type AppError, conflict } from '../lib/errors.ts'

export type WaitingLimit = { max: number; problem: string; fix: string }

const PROVE = 'verify your domain first'

export const WAITING_CLAIMS = limit(1_000, (max) => ({
  problem: `at most ${max} claims can wait at a time`,
  fix: 'withdraw some, or wait until some are verified',
}))

export const WAITING_CLAIMS_UNPROVED = limit(50, (max) => ({
  problem: `at most ${max} claims can wait until your domain is verified`,
  fix: PROVE,
}))

/** For one product. */
export const WAITING_PROPOSALS = limit(20, (max) => ({
  problem: `${max} proposals for this product are waiting for review`,
  fix: 'withdraw one, or wait',
}))

export const WAITING_SUBMISSIONS = limit(500, (max) => ({
  problem: `${max} proposed products are waiting for review`,
  fix: 'withdraw some, or wait until some are reviewed',
}))

export const WAITING_SUBMISSIONS_UNPROVED = limit(20, (max) => ({
  problem: `at most ${max} proposed products can wait for review until your domain is verified`,
  fix: PROVE,
}))

type Proving = { verificationStatus: 'pending' | 'verified' }

export function claimsLimit({ verificationStatus }: Proving): WaitingLimit {
  return verificationStatus === 'verified' ? WAITING_CLAIMS : WAITING_CLAIMS_UNPROVED
}

export function submissionsLimit({ verificationStatus }: Proving): WaitingLimit {
  return verificationStatus === 'verified' ? WAITING_SUBMISSIONS : WAITING_SUBMISSIONS_UNPROVED
}

export function tooManyWait({ max, problem, fix }: WaitingLimit): AppError {
  return conflict(`${problem}; ${fix}`, { max })
}

function limit(max: number, words: (max: number) => Omit<WaitingLimit, 'max'>): WaitingLimit {
  return { max, ...words(max) }
}
