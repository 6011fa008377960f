/**
 * /dashboard/rfqs: the requests that reached an organization, each one from end to end, and tests that ask its own agent
 * the same again. What is shown of a request is the organization's own part alone; one that it was not asked is not there.
 */
import type { Context } from 'hono'
import { z } from 'zod'
import { ProductSlugInput } from '../../../catalog/relationships.schema.ts'
import type { HttpEnv } from '../../../http/env.ts'
import { STATUS } from '../../../http/error-response.ts'
import { AppError } from '../../../lib/errors.ts'
import { requireProducer } from '../../../orgs/producer.ts'
import {
  type InspectedRfq,
  inspectRfq,
  OUTCOMES,
  pageReceivedRfqs,
  waitForReceived,
} from '../../../rfq/inspector.service.ts'
import { RfqRequest, Since } from '../../../rfq/rfq.schema.ts'
import { simulateQuote } from '../../../rfq/simulate.service.ts'
import { testOwnAgent } from '../../../rfq/test-rfq.service.ts'
import { pageNumber } from '../../kit/paging.tsx'
import { asSentences } from '../../kit/parts.tsx'
import { sendPage } from '../../page.http.ts'
import { streamPage } from '../../stream-page.tsx'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard } from '../guard.ts'
import type { Visitor } from '../page.tsx'
import { RFQS_PATH } from '../paths.ts'
import { FILTERS, renderRfqs } from './list.page.tsx'
import { type Inspection, renderRequest, renderRunning, StillRunning, writeEnded } from './request.page.tsx'
import { renderTesting, writeTested } from './tested.page.tsx'

const PAGE_SIZE = 25
/** As far as the tool's list goes. */
const LAST_PAGE = 400
/** For the last answers to be ranked and written. */
const GRACE_MS = 5_000
const MAX_VALUE = 300

const Filter = z.object({
  outcome: z.enum(OUTCOMES, 'choose one of those listed').optional(),
  product: ProductSlugInput.optional(),
  since: Since.optional(),
})

export function mountRfqs(dashboard: Dashboard, { site, ctx }: DashboardDeps): void {
  const deadlineMs = ctx.rfqDeadlineMs

  dashboard.get(RFQS_PATH, 'read', async (c, visitor) => {
    const values = filtersOf(c)
    const page = Math.min(pageNumber(c.req.query('page')), LAST_PAGE)
    const view = { site, visitor, page, pageSize: PAGE_SIZE, keptDays: ctx.config.keep.attempts }
    const read = Filter.safeParse(values)
    if (!read.success) {
      const errors = Object.fromEntries(
        read.error.issues.map(({ path, message }) => [String(path[0]), message]),
      )
      const state = { values, errors: asSentences(errors) }
      return sendPage(c, renderRfqs({ ...view, state, found: null }), { status: 400 })
    }
    const { outcome, product: productSlug, since } = read.data
    try {
      const asked = { outcome, productSlug, since, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }
      const found = await pageReceivedRfqs(ctx, visitor, asked)
      return sendPage(c, renderRfqs({ ...view, state: { values, errors: {} }, found }))
    } catch (error) {
      if (!(error instanceof AppError) || error.field === undefined) throw error
      const field = error.field === 'product_slug' ? 'product' : error.field
      const state = { values, errors: asSentences({ [field]: error.message }) }
      return sendPage(c, renderRfqs({ ...view, state, found: null }), { status: STATUS[error.kind] })
    }
  })

  dashboard.get(`${RFQS_PATH}/:id`, 'read', async (c, visitor) => {
    const id = c.req.param('id') ?? ''
    const inspection = await inspect(visitor, id)
    const { rfq } = inspection.inspected
    if (rfq.state !== 'submitted') return sendPage(c, renderRequest({ site, ...inspection }))
    return streamPage(c, renderRunning({ site, visitor, rfq, deadlineMs }), async (write, gone) => {
      const enough = AbortSignal.any([gone, AbortSignal.timeout(deadlineMs + GRACE_MS)])
      await waitForReceived(ctx, visitor, { id, signal: enough })
      const now = await inspect(visitor, id)
      const ended = now.inspected.rfq.state !== 'submitted'
      await write(ended ? writeEnded(now) : String(<StillRunning id={id} />))
    })
  })

  dashboard.post(`${RFQS_PATH}/:id/test`, {
    schema: z.object({}),
    page: (c) => `${RFQS_PATH}/${c.req.param('id') ?? ''}`,
    async render({ c, visitor, state }) {
      return renderRequest({
        site,
        ...(await inspect(visitor, c.req.param('id') ?? '')),
        errors: state.errors,
      })
    },
    async act({ c, act, visitor }) {
      // What is refused is refused before the page begins, while the answer can still say so.
      await requireProducer(ctx, act.caller, 'manage')
      const inspected = await inspectRfq(ctx, act, c.req.param('id') ?? '')
      const { productSlug, quantity, deliveryRegion } = inspected.rfq
      return streamPage(c, renderTesting({ site, visitor, inspected, deadlineMs }), async (write, gone) => {
        const tested = await testOwnAgent(ctx, act, gone, { productSlug, quantity, deliveryRegion })
        await write(writeTested({ inspected, tested, deadlineMs }))
      })
    },
  })

  async function inspect(visitor: Visitor, id: string): Promise<Inspection> {
    const inspected = await inspectRfq(ctx, visitor, id)
    return { visitor, inspected, calculated: await calculate(visitor, inspected), deadlineMs }
  }

  /** Null where it does not concern the answer, may not be seen, or can no longer be calculated. */
  async function calculate(visitor: Visitor, { rfq }: InspectedRfq): Promise<Inspection['calculated']> {
    if (rfq.kind !== 'managed') return null
    const { productSlug, quantity, deliveryRegion, deadlineIso } = rfq
    try {
      const request = RfqRequest.parse({
        product_slug: productSlug,
        quantity,
        delivery_region: deliveryRegion,
        deadline_iso: deadlineIso,
      })
      return (await simulateQuote(ctx, visitor, request)).calculation
    } catch (error) {
      if (error instanceof AppError && error.kind !== 'internal') return null
      throw error
    }
  }
}

function filtersOf(c: Context<HttpEnv>): Record<string, string> {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = c.req.query(name)?.trim().slice(0, MAX_VALUE)
      return value ? [[name, value]] : []
    }),
  )
}
