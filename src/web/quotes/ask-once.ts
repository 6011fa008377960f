/**
 * Asks once though the button is pressed twice. The form stands on a page that is cached for everybody, so it carries no id
 * of its own. The time stands in for it: the same question of the same asker within a few seconds is one request. Time is
 * cut into windows whose number is the message's id, and because a second press may fall into the next window, the window
 * before counts too. Strangers behind one address who ask the same thing at the same time share a request, which holds
 * nothing but what both of them asked.
 */
import type { RfqContext } from '../../rfq/context.ts'
import type { RfqRequest } from '../../rfq/rfq.schema.ts'
import {
  type AskedFor,
  type Asker,
  findTaskOfMessage,
  type RfqTask,
  submitRfq,
} from '../../rfq/rfq.service.ts'

export const TWICE_MS = 10_000

/** `request.product_slug` is canonical, and `request.variant` an id. `count` is called before sellers are asked, and not for a second press. */
export async function askOnce(
  ctx: RfqContext,
  asker: Asker,
  { request, count }: { request: RfqRequest; count(): Promise<void> },
): Promise<RfqTask> {
  const now = ctx.clock.now().getTime()
  const window = Math.floor(now / TWICE_MS)
  for (const earlier of [window, window - 1]) {
    const task = await findTaskOfMessage(ctx, asker, { task: asTask(request), messageId: messageId(earlier) })
    if (task && now - task.createdAt.getTime() < TWICE_MS) return task
  }
  await count()
  return submitRfq(ctx, asker, { request, messageId: messageId(window) })
}

function messageId(window: number): string {
  return `web-${window}`
}

function asTask(request: RfqRequest): AskedFor {
  return {
    productSlug: request.product_slug,
    quantity: request.quantity,
    deliveryRegion: request.delivery_region,
    deadlineIso: request.deadline_iso,
    variant: request.variant === null ? null : { id: request.variant },
  }
}
