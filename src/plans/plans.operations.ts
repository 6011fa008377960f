/** Kept plans over REST. Each acts on the caller's own plans; anybody else's id is answered as an unknown one. */
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { MAX_CATEGORIES, MAX_PIECES, PLAN_EDITS_A_DAY } from '../bundles/bundles.schema.ts'
import type { HttpEnv } from '../http/env.ts'
import {
  BODY_REFUSALS,
  DoneSchema,
  FROM_ANOTHER_SITE,
  NOT_SIGNED_IN,
  published,
  type Refusal,
} from '../http/operation.ts'
import { keepSecret } from '../http/secret-path.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { toSummary } from './answer.ts'
import { type AskContext, type Asker, AskInput, askSellers, findAsked } from './ask.service.ts'
import { EditRequest, PlanResponse, PlanSummary, toEdit } from './plans.schema.ts'
import {
  deletePlan,
  editPlan,
  findPlan,
  listPlans,
  MOST_PLANS,
  type PlanOwner,
  type PlansContext,
} from './plans.service.ts'
import {
  findShared,
  listPlanShares,
  type PlanShare,
  revokeShare,
  ShareInput,
  sharePlan,
} from './share.service.ts'

const BY_PERSON = { tag: 'Plans', caller: 'session or access token' } as const
const ONE_PLAN = {
  ...BY_PERSON,
  path: '/api/plans/{id}/',
  parameters: {
    id: {
      schema: z.string(),
      description: 'Id of the plan (`plan_id` of a bundle)',
      example: '01990000-0000-7000-8000-000000000004',
    },
  },
} as const

const UNVERIFIED: Refusal = {
  status: 403,
  when: 'your email is not verified',
  code: 'EMAIL_UNVERIFIED_CODE',
}
const UNKNOWN: Refusal = { status: 404, when: 'you have no such plan', code: 'not_found' }
const LOADING: Refusal = {
  status: 503,
  when: 'the index is still loading; try again after `Retry-After` seconds',
  code: 'search_unavailable',
}

const listOwn = defineOperation({
  right: 'person',
  run: async (ctx: PlansContext, owner: PlanOwner, _: object) => (await listPlans(ctx, owner)).map(toSummary),
  rest: [
    {
      ...BY_PERSON,
      id: 'listPlans',
      method: 'get',
      path: '/api/plans/',
      summary: 'List your plans',
      description: `The latest ${MOST_PLANS} are kept, the last changed first.`,
      answer: {
        status: 200,
        description: 'Your plans',
        schema: z
          .object({ plans: z.array(PlanSummary).describe('Last changed first') })
          .meta({ id: 'PlanList', description: 'Kept plans' }),
        of: (plans) => ({ plans }),
      },
      refusals: [NOT_SIGNED_IN, UNVERIFIED],
    },
  ],
})

const readOne = defineOperation({
  right: 'person',
  run: (ctx: PlansContext, owner: PlanOwner, { id }: { id: string }) => findPlan(ctx, owner, id),
  rest: [
    {
      ...ONE_PLAN,
      id: 'getPlan',
      method: 'get',
      summary: 'Get a plan',
      description:
        'The plan at the prices of now, with the alternatives of each line and what each changes in the total.',
      answer: { status: 200, description: 'The plan', schema: PlanResponse, of: (plan) => plan },
      refusals: [NOT_SIGNED_IN, UNVERIFIED, UNKNOWN, LOADING],
    },
  ],
})

const editOne = defineOperation({
  right: 'person',
  run: (
    ctx: PlansContext,
    owner: PlanOwner,
    { edits, ...given }: z.output<typeof EditRequest> & { id: string },
  ) => editPlan(ctx, owner, { ...given, edits: edits.map(toEdit) }),
  rest: [
    {
      ...ONE_PLAN,
      id: 'editPlan',
      method: 'patch',
      summary: 'Edit a plan',
      description:
        'Keeps, replaces, removes or adds lines, and changes the budget or a quantity. All edits apply, or none. ' +
        'The rest of the plan stays as it is unless it must change; `changed` lists what had to. ' +
        'A higher budget changes nothing by itself; `upgrades` lists what it would buy. ' +
        'Edits do not count among the bundles of the day.',
      input: EditRequest,
      body: published(EditRequest, { id: 'PlanEdits', description: 'What to change' }),
      answer: { status: 200, description: 'The edited plan', schema: PlanResponse, of: (plan) => plan },
      refusals: [
        ...BODY_REFUSALS,
        {
          status: 400,
          when: `an edit cannot be applied: an unknown line, category or product, a line that is there already, more than ${MAX_CATEGORIES} lines or none, more than ${MAX_PIECES.toLocaleString('en-US')} pieces, or a kept product over the budget`,
          field: 'edits',
          words: 'edits',
        },
        NOT_SIGNED_IN,
        UNVERIFIED,
        FROM_ANOTHER_SITE,
        UNKNOWN,
        { status: 409, when: 'the plan was changed meanwhile', code: 'conflict' },
        {
          status: 429,
          when: `you used all ${PLAN_EDITS_A_DAY} edits for this UTC day`,
          code: 'quota_exceeded',
        },
        LOADING,
      ],
    },
  ],
})

const deleteOne = defineOperation({
  right: 'person',
  run: (ctx: PlansContext, owner: PlanOwner, { id }: { id: string }) => deletePlan(ctx, owner, id),
  rest: [
    {
      ...ONE_PLAN,
      id: 'deletePlan',
      method: 'delete',
      summary: 'Delete a plan',
      description: 'Its shared links stop working. Requests for quote that were made for it stay yours.',
      answer: { status: 200, description: 'Deleted', schema: DoneSchema, of: () => ({ ok: true }) },
      refusals: [NOT_SIGNED_IN, UNVERIFIED, FROM_ANOTHER_SITE, UNKNOWN],
    },
  ],
})

const SHARE = { openapi: false, caller: 'session or access token', path: '/api/plans/{id}/share/' } as const
const ASK = { openapi: false, caller: 'session or access token', path: '/api/plans/{id}/ask/' } as const
const DONE = { status: 200, of: () => ({ ok: true }) } as const

export const SHARED_PLANS_PATH = '/shared-plans'

type SharingContext = PlansContext & { config: { baseUrl: string } }

const shareWire = ({ config }: SharingContext, { id, createdAt, withWords }: PlanShare) => ({
  ...{ share_id: id, url: `${config.baseUrl}${SHARED_PLANS_PATH}/${id}`, with_words: withWords },
  created_at: createdAt.toISOString(),
})

const share = defineOperation({
  right: 'person',
  run: async (ctx: SharingContext, owner: PlanOwner, input: z.output<typeof ShareInput> & { id: string }) =>
    shareWire(ctx, await sharePlan(ctx, owner, { id: input.id, withWords: input.with_words })),
  rest: [{ ...SHARE, method: 'post', input: ShareInput, answer: { status: 201, of: (made) => made } }],
})

const shares = defineOperation({
  right: 'person',
  run: async (ctx: SharingContext, owner: PlanOwner, { id }: { id: string }) =>
    (await listPlanShares(ctx, owner, id)).map((one) => shareWire(ctx, one)),
  rest: [{ ...SHARE, method: 'get', answer: { status: 200, of: (shares) => ({ shares }) } }],
})

const unshare = defineOperation({
  right: 'person',
  run: (ctx: SharingContext, owner: PlanOwner, { id, share_id }: { id: string; share_id: string }) =>
    revokeShare(ctx, owner, { id, shareId: share_id }),
  rest: [{ ...SHARE, method: 'delete', input: z.object({ share_id: z.string().max(60) }), answer: DONE }],
})

const ask = defineOperation({
  right: 'person',
  run: (ctx: AskContext, owner: Asker, input: AskInput & { id: string }) => askSellers(ctx, owner, input),
  rest: [{ ...ASK, method: 'post', input: AskInput, answer: { status: 200, of: (lines) => ({ lines }) } }],
})

const asked = defineOperation({
  right: 'person',
  run: (ctx: AskContext, owner: PlanOwner, { id }: { id: string }) => findAsked(ctx, owner, id),
  rest: [{ ...ASK, method: 'get', answer: { status: 200, of: (quotes) => quotes } }],
})

/** Those of the published description. */
export const PLAN_OPERATIONS = [listOwn, readOne, editOne, deleteOne]

export function mountPlans(
  app: Hono<HttpEnv>,
  { ctx, person }: { ctx: AskContext; person(c: Context<HttpEnv>): Promise<Asker> },
): void {
  const mounting = { ctx, guards: { 'session or access token': person } }
  for (const operation of PLAN_OPERATIONS) operation.mount(app, mounting)
  for (const operation of [share, shares, unshare]) operation.mount(app, mounting)
  for (const operation of [ask, asked]) operation.mount(app, mounting)
  app.use('/api/shared-plans/:share/*', keepSecret)
  app.get('/api/shared-plans/:share', async (c) => c.json(await findShared(ctx, c.req.param('share'))))
}
