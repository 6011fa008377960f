/** Kept plans over REST. Each acts on the caller's own plans; anybody else's id is answered as an unknown one. */
import { z } from 'zod'
import { MAX_CATEGORIES, MAX_PIECES, PLAN_EDITS_A_DAY } from '../bundles/bundles.schema.ts'
import {
  BODY_REFUSALS,
  DoneSchema,
  FROM_ANOTHER_SITE,
  NOT_SIGNED_IN,
  published,
  type Refusal,
} from '../http/operation.ts'
import { defineOperation } from '../operations/define-operation.ts'
import { toSummary } from './answer.ts'
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

export const PLAN_OPERATIONS = [listOwn, readOne, editOne, deleteOne]
