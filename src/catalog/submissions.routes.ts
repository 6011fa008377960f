/**
 * What a producer sees of the products it proposed, and taking one back. They are proposed by tools alone. Who calls comes
 * first (401), then the input, then the right.
 */
import type { Hono } from 'hono'
import { readJson } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import { wireOf } from '../lib/entity.ts'
import { parseInput } from '../lib/validate.ts'
import type { OrgsContext } from '../orgs/context.ts'
import type { ProducerGuard } from '../orgs/producer.http.ts'
import { PageQuery } from './relationships.schema.ts'
import { rowOfStored, SubmissionId } from './submissions.schema.ts'
import { listOwnSubmissions, type OwnSubmission, withdrawSubmission } from './submissions.service.ts'

export function mountSubmissions(app: Hono<HttpEnv>, ctx: OrgsContext, guard: ProducerGuard): void {
  app.get('/api/org/submissions', async (c) => {
    const act = await guard.sessionOrBearer(c)
    const page = parseInput(PageQuery, c.req.query())
    const { submissions, total } = await listOwnSubmissions(ctx, act, page)
    // Who is asking decides what is told.
    return c.json({ submissions: submissions.map(wireSubmission), total }, 200, {
      'Cache-Control': 'no-store',
    })
  })

  app.delete('/api/org/submissions', async (c) => {
    const act = await guard.sessionOrBearer(c)
    const { submission_id: submissionId } = await readJson(c, SubmissionId)
    await withdrawSubmission(ctx, act, { submissionId })
    return c.json({ submission_id: submissionId, status: 'withdrawn' })
  })
}

function wireSubmission(submission: OwnSubmission) {
  return {
    submission_id: submission.id,
    ...wireOf(submission, ['status', 'relationshipType']),
    product: rowOfStored(submission.product),
    ...wireOf(submission, [
      'productUrl',
      'productSlug',
      'createdAt',
      'updatedAt',
      'reviewedAt',
      'reviewNote',
    ]),
  }
}
