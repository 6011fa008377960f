/**
 * Slows guessing down, by account and by address, with pauses that double. A try is counted before it is made and
 * given back when it succeeds, in one atomic statement: a burst of parallel tries gets no more than its share, on one
 * node or on several. Keys are made from what was typed, never from what was found, so a block says nothing about
 * whether an account exists; and a block stands for the right password too, or guessing on would pay.
 */
import { AppError } from '../lib/errors.ts'
import { network } from '../lib/outbound.addresses.ts'
import { rateLimitedTotal, waitWords } from '../lib/rate-limit.ts'
import type { AccountsContext, Visit } from './context.ts'
import { clearTries, findBlock, giveTryBack, type Take, takeTry } from './throttles.queries.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

type Limit = Pick<Take, 'free' | 'firstBlockMs' | 'longestBlockMs' | 'forgetOneMs'>

/** Many people may share one address, and nobody shares an account: the first may fail more often. */
const LIMITS = {
  'signin account': { free: 10, firstBlockMs: 15_000, longestBlockMs: HOUR, forgetOneMs: HOUR },
  'signin ip': { free: 60, firstBlockMs: 15_000, longestBlockMs: HOUR, forgetOneMs: MINUTE },
  // Every such request sends an email. The pause stays short: a flood of requests must not keep the address's
  // owner from getting a link, and every email that is sent has a link the owner can use.
  'mail account': { free: 10, firstBlockMs: MINUTE, longestBlockMs: 5 * MINUTE, forgetOneMs: 10 * MINUTE },
  'mail ip': { free: 300, firstBlockMs: MINUTE, longestBlockMs: HOUR, forgetOneMs: 10_000 },
  // Judging a new password takes a moment of the processor, before anything else is known about the caller.
  'choose account': { free: 30, firstBlockMs: 15_000, longestBlockMs: HOUR, forgetOneMs: MINUTE },
  'choose ip': { free: 300, firstBlockMs: 15_000, longestBlockMs: HOUR, forgetOneMs: 5_000 },
} satisfies Record<string, Limit>

type Scope = 'signin' | 'mail' | 'choose'
type Tries = {
  scope: Scope
  /** What stands for the account: the address as it is compared, or the id of who has proved to own it. */
  emailKey: string
  visit: Pick<Visit, 'ip'>
}

/** Counts a try; throws `rate_limited` when the account or the address must wait. */
export async function countTry(ctx: AccountsContext, tries: Tries): Promise<void> {
  const now = ctx.clock.now()
  const { ip, account } = keysOf(ctx, tries)
  // The address first: once it is blocked, it can no longer lock an account's owner out.
  for (const key of [ip, account]) {
    if (!key || (await takeTry(ctx.db, { ...key, now }))) continue
    rateLimitedTotal.inc(tries.scope)
    const until = await findBlock(ctx.db, key.key)
    throw tooManyTries(Math.max(1, Math.ceil(((until?.getTime() ?? 0) - now.getTime()) / 1000)))
  }
}

/** The try was a success: the account starts anew. The address does not, or one good account would cover for guessing. */
export async function forgiveTry(ctx: AccountsContext, tries: Tries): Promise<void> {
  const { ip, account } = keysOf(ctx, tries)
  await clearTries(ctx.db, account.key)
  if (ip) await giveTryBack(ctx.db, ip.key)
}

type Key = Limit & { key: string }

function keysOf(ctx: AccountsContext, { scope, emailKey, visit }: Tries): { account: Key; ip: Key | null } {
  const hide = ctx.secrets.throttleKey
  return {
    account: { ...LIMITS[`${scope} account`], key: hide(`${scope} account ${emailKey}`) },
    ip:
      visit.ip === null ? null : { ...LIMITS[`${scope} ip`], key: hide(`${scope} ip ${network(visit.ip)}`) },
  }
}

function tooManyTries(seconds: number): AppError {
  return new AppError('rate_limited', `too many attempts; wait ${waitWords(seconds)} and try again`, {
    code: 'rate_limited',
    retryAfterSeconds: seconds,
  })
}
