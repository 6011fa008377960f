/**
 * Sign-up with a password. Its answer never says whether the address had an account: both ways cost one hash and send
 * one mail, and only the mail, which the owner alone reads, tells which it was. Nobody is signed in by it; the link in
 * the mail does that, or the password at the sign-in page.
 */
import { newId } from '../lib/ids.ts'
import { rateWords } from '../lib/rate-limit.ts'
import { emailKey } from './accounts.schema.ts'
import { recordOwn } from './audit.service.ts'
import type { AccountsContext, Visit } from './context.ts'
import { mailTo, sendLink } from './links.service.ts'
import { isSignUpBrowser } from './mail-tokens.queries.ts'
import { requireGoodPassword } from './password.service.ts'
import { hashPassword } from './passwords.ts'
import { countTry } from './throttle.service.ts'
import { findUserByEmailKey, insertUser } from './users.queries.ts'
import { countWithinLimit, networkOf } from './window-limit.service.ts'

type SignUp = {
  email: string
  password: string
  name: string
  returnTo: string | null
  visit: Visit
  browserHash: string
}

export async function signUp(ctx: AccountsContext, input: SignUp): Promise<void> {
  const { email, name, password, returnTo, visit, browserHash } = input
  const key = emailKey(email)
  await requireGoodPassword(ctx, { password, owner: { email, name }, whose: key, visit })
  await countWithinLimit(ctx, {
    limit: 'signup',
    who: `network ${networkOf(visit.ip)}`,
    rate: ctx.config.limits.signup,
    said: (rate) => `${rateWords(rate, 'account', 'accounts')} were requested from this network`,
  })
  await countTry(ctx, { scope: 'mail', emailKey: key, visit })
  const passwordHash = await hashPassword(password, ctx.config.passwordCost)
  await ctx.db.transaction().execute(async (tx) => {
    const inTx = { ...ctx, db: tx }
    const now = ctx.clock.now()
    const id = newId()
    if (
      await insertUser(tx, {
        id,
        email,
        emailKey: key,
        name,
        passwordHash,
        emailVerifiedAt: null,
        createdAt: now,
      })
    ) {
      await recordOwn(tx, { userId: id, at: now, visit }, 'account.created', { with: 'password' })
      await sendLink(inTx, { purpose: 'verify', mail: 'verify', email, userId: id, returnTo, browserHash })
      return
    }
    const owner = await findUserByEmailKey(tx, key)
    // To the address as its owner wrote it.
    const to = owner?.email ?? email
    await sendLink(inTx, {
      purpose: 'magic',
      mail: mailTo(owner, 'already'),
      email: to,
      userId: owner?.id ?? null,
      returnTo,
      browserHash,
    })
  })
}

/**
 * Sends the mail of the sign-up once more, for a person who did not get it. One mail goes out whatever is known of the
 * address. Only the browser that signed up gets a confirmation again. Anybody else may have found their address taken by a
 * stranger, whose password a confirmation would keep: they get a sign-in link, which drops it.
 */
export async function askConfirmation(
  ctx: AccountsContext,
  { email, returnTo, visit, browserHash }: Omit<SignUp, 'password' | 'name'>,
): Promise<void> {
  const key = emailKey(email)
  await countTry(ctx, { scope: 'mail', emailKey: key, visit })
  await ctx.db.transaction().execute(async (tx) => {
    const inTx = { ...ctx, db: tx }
    const owner = await findUserByEmailKey(tx, key)
    const signedUpHere = await isSignUpBrowser(tx, owner?.id ?? newId(), browserHash)
    const purpose = owner?.email_verified_at === null && signedUpHere ? 'verify' : 'magic'
    const to = { email: owner?.email ?? email, userId: owner?.id ?? null }
    await sendLink(inTx, { purpose, mail: mailTo(owner, purpose), ...to, returnTo, browserHash })
  })
}
