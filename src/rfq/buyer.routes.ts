/**
 * A buyer's requests over REST: reading one again, choosing a quote, sharing it. The id in the path is the task id: anyone
 * who has it may act on an anonymous request, and nobody but its owner on that of an account. It is kept out of logs and
 * of the addresses that other sites see.
 */
import type { Context, Hono } from 'hono'
import type { Visit } from '../accounts/context.ts'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import { keepSecret } from '../http/secret-path.ts'
import { toWire } from '../lib/entity.ts'
import { Choice, chooseQuote } from './choose.service.ts'
import type { RfqContext } from './context.ts'
import { factsOf } from './outcome.ts'
import { getRfqTask, type RfqTask } from './rfq.service.ts'
import { listShares, readShare, revokeShare, type Share, ShareInput, shareRfq } from './share.service.ts'

/** Who calls: an account, by session or access token, or nobody known. */
export type BuyerGuard = (c: Context<HttpEnv>) => Promise<{ userId: string | null; visit: Visit }>

export const SHARED_PATH = '/shared-quotes'

export function mountBuyerRfqs(app: Hono<HttpEnv>, ctx: RfqContext, guard: BuyerGuard): void {
  const taskWire = (task: RfqTask) => ({ request_id: task.rfqId, ...factsOf(task) })
  const shareWire = ({ id, ...share }: Share) => ({
    ...{ share_id: id, url: `${ctx.config.baseUrl}${SHARED_PATH}/${id}` },
    ...toWire(share),
  })
  const whose = async (c: Context<HttpEnv>) => {
    return { id: c.req.param('id') ?? '', ...(await guard(c)) }
  }

  app.use('/api/rfq/:id/*', keepSecret)
  app.use('/api/shared-rfq/:share/*', keepSecret)
  app.get('/api/rfq/:id', async (c) => c.json(taskWire(await getRfqTask(ctx, await whose(c)))))

  app.post('/api/rfq/:id/choose', async (c) => {
    const by = await whose(c)
    return c.json(taskWire(await chooseQuote(ctx, { ...by, ...(await readJson(c, Choice)) })))
  })

  app.get('/api/rfq/:id/shares', async (c) => {
    const shares = await listShares(ctx, await whose(c))
    return c.json({ shares: shares.map(shareWire) })
  })

  app.post('/api/rfq/:id/shares', async (c) => {
    const by = await whose(c)
    return c.json(shareWire(await shareRfq(ctx, { ...by, ...(await readJson(c, ShareInput)) })), 201)
  })

  app.delete('/api/rfq/:id/shares/:share', async (c) => {
    await revokeShare(ctx, { ...(await whose(c)), shareId: c.req.param('share') })
    return c.json({ ok: true })
  })

  app.get('/api/shared-rfq/:share', async (c) => {
    return c.json(await readShare(ctx, c.req.param('share')))
  })
}
