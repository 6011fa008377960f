/** A part of "export my data": what a person asked sellers for. The answers are the sellers' own, and are read by its id. */
import type { RfqContext } from './context.ts'
import { listRfqTasks } from './rfq.service.ts'

const ALL = 100_000

export async function exportRfqs(ctx: RfqContext, userId: string): Promise<Record<string, unknown>> {
  const tasks = await listRfqTasks(ctx, { userId, limit: ALL, withQuotes: false })
  const quote_requests = tasks.map((task) => ({
    task_id: task.rfqId,
    rfq_id: task.sessionId,
    state: task.state,
    product_slug: task.productSlug,
    quantity: task.quantity,
    delivery_region: task.deliveryRegion,
    deadline_iso: task.deadlineIso,
    created_at: task.createdAt.toISOString(),
    finished_at: task.finishedAt?.toISOString() ?? null,
  }))
  return { quote_requests }
}
