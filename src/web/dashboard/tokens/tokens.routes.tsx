/**
 * Link tokens for owners and admins. Making one is answered with the page itself and not by a redirect: the token is kept
 * nowhere that a second request could read it from.
 */
import type { Context } from 'hono'
import { z } from 'zod'
import type { SessionActor } from '../../../accounts/actor.ts'
import type { Visit } from '../../../accounts/context.ts'
import { visitOf } from '../../../http/client-ip.ts'
import type { HttpEnv } from '../../../http/env.ts'
import { cleanLine } from '../../../lib/text.ts'
import { createLinkToken, listLinkTokens, revokeLinkToken } from '../../../orgs/link-tokens.service.ts'
import { TOKEN_NAME_MAX, TokenId } from '../../../orgs/orgs.schema.ts'
import { aboveAll } from '../../console/parts.tsx'
import { type FormState, UNTOUCHED } from '../../forms/fields.tsx'
import { doneWords, sendPage } from '../../page.http.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard } from '../guard.ts'
import { renderNotAllowed, type Visitor } from '../page.tsx'
import { TOKENS_PATH } from '../paths.ts'
import { CREATE_PATH, REVOKE_PATH, renderTokens } from './tokens.page.tsx'

const DONE = { revoked: 'The token was revoked. Whatever used it is refused.' }

const Naming = z.object({
  name: z
    .string()
    .transform(cleanLine)
    .pipe(
      z.string().min(1, 'Enter a name.').max(TOKEN_NAME_MAX, `Use at most ${TOKEN_NAME_MAX} characters.`),
    ),
})

export function mountTokens(dashboard: Dashboard, { site, ctx, config }: DashboardDeps): void {
  async function pageFor(
    c: Context<HttpEnv>,
    visitor: Visitor,
    shown: { state: FormState; made?: { name: string; token: string }; done?: string | null },
  ): Promise<string> {
    const tokens = await listLinkTokens(ctx, { caller: sessionOf(visitor), visit: visitOf(c, config) })
    return renderTokens({ site, visitor, tokens, now: ctx.clock.now(), ...shown })
  }

  dashboard.get(TOKENS_PATH, 'oversee', async (c, visitor) => {
    const done = doneWords(DONE, c.req.query('done'))
    return sendPage(c, await pageFor(c, visitor, { state: UNTOUCHED, done }))
  })

  dashboard.post(CREATE_PATH, {
    page: TOKENS_PATH,
    schema: Naming,
    render: ({ c, visitor, state }) => refusedPage(c, visitor, state),
    async act({ c, act, visitor, input }) {
      const made = await createLinkToken(ctx, sessionAct(visitor, act), input)
      return sendPage(c, await pageFor(c, visitor, { state: UNTOUCHED, made }))
    },
  })

  dashboard.post(REVOKE_PATH, {
    page: TOKENS_PATH,
    schema: TokenId,
    // The field of what was refused is no field of the form for names.
    render: ({ c, visitor, state: { errors } }) =>
      refusedPage(c, visitor, { values: {}, errors: aboveAll(errors) }),
    async act({ act, visitor, input }) {
      await revokeLinkToken(ctx, sessionAct(visitor, act), input.id)
      return `${TOKENS_PATH}?done=revoked`
    },
  })

  /** Who may not see the tokens is not shown them for having sent a form. */
  async function refusedPage(c: Context<HttpEnv>, visitor: Visitor, state: FormState): Promise<string> {
    const mayLook = visitor.may('oversee')
    return mayLook ? pageFor(c, visitor, { state }) : renderNotAllowed(site, visitor, 'oversee')
  }
}

/** The person, for the organization that the page was shown for. */
function sessionOf({ actor, org }: Visitor): SessionActor & { onlyOrgId: string } {
  return { ...actor, onlyOrgId: org.id }
}

function sessionAct(visitor: Visitor, { visit }: { visit: Visit }) {
  return { caller: sessionOf(visitor), visit }
}
