/**
 * /admin/claims and /admin/renames: what organizations say of themselves and the catalog cannot verify. A decision on a
 * claim names the evidence that was shown; a name that was changed meanwhile is another request.
 */
import { z } from 'zod'
import {
  listPendingRelationships,
  type PendingClaim,
  rejectRelationship,
  verifyRelationship,
} from '../../../catalog/relationships.service.ts'
import { SubmissionNote } from '../../../catalog/submissions.schema.ts'
import {
  approveRename,
  declineRename,
  listRenames,
  type WaitingRename,
} from '../../../orgs/renames.service.ts'
import { Address } from '../../components/address.tsx'
import { Ago } from '../../components/moment.tsx'
import { UNTOUCHED } from '../../kit/fields.tsx'
import {
  choice,
  column,
  daysSince,
  defineList,
  type ListColumn,
  uncounted,
  WAITING,
  within,
} from '../../kit/list.tsx'
import { Action, noted } from '../../kit/parts.tsx'
import type { Admin, AdminDeps, AdminSeen } from '../guard.ts'
import { CLAIMS, RENAMES } from '../nav.ts'
import { askerOf, CAUGHT_UP, Turndown, Whose } from './parts.tsx'

const CLAIM_LIST = defineList(CLAIMS, 'claim', {
  search: 'Product or organization',
  filters: { type: choice('Claim', { sells: 'Sells', manufactured_by: 'Makes' }) },
})
const RENAME_LIST = defineList(RENAMES, 'name', {
  search: 'Name or domain',
  filters: { waiting: WAITING },
})
/** Whole, because they are few. */
const MOST_RENAMES = 1_000

const whose: ListColumn<PendingClaim | WaitingRename> = column.text('Organization', 'orgName', (request) => (
  <Whose {...askerOf(request)} />
))

type Decision = {
  path: string
  id: string
  /** Read aloud after the labels. */
  about: string
  yes: [action: string, label: string]
  no: [action: string, hint: string]
  fields?: Record<string, string | null>
}

/** The buttons of a row. A refused form is open, with what was typed. */
function decide(seen: AdminSeen, { path, id, about, yes, no, fields }: Decision) {
  const isRefused = seen.state !== UNTOUCHED && seen.id === id
  return (
    <div class="row-actions">
      <Action to={`${path}/${id}/${yes[0]}`} label={yes[1]} kind="primary" fields={fields} about={about} />
      <Turndown
        to={`${path}/${id}/${no[0]}`}
        ask={
          <>
            Decline<span class="hidden"> {about}</span>
          </>
        }
        label="Decline"
        hint={no[1]}
        state={isRefused ? seen.state : UNTOUCHED}
        suffix={isRefused ? '' : `-${id}`}
        open={isRefused}
        fields={fields}
      />
    </div>
  )
}

const evidence = z
  .string()
  .optional()
  .transform((url) => ({ evidenceUrl: url ?? null }))

export function mountClaims(admin: Admin, { ctx }: AdminDeps): void {
  admin.list<PendingClaim, typeof CLAIM_LIST.filters>(CLAIM_LIST, async ({ asked, ...seen }) => {
    const { q, filters, limit, offset } = asked
    const part = { search: q || null, type: filters.type || null, limit: limit + 1, offset }
    const now = ctx.clock.now()
    return {
      title: 'Claims',
      lead: 'Organizations that say they make or sell a product. We verify a claim ourselves when a verified domain proves it.',
      said: {
        verified: 'Verified. The organization can now make offers and gets requests for quotes.',
        refused: 'Declined. The organization sees your reason in its history.',
      },
      ...uncounted(await listPendingRelationships(ctx, part), asked),
      order: 'Oldest first',
      columns: [
        whose,
        {
          label: 'Claim',
          csv: ({ type, title }) => `${type === 'manufactured_by' ? 'Makes' : 'Sells'} ${title}`,
          cell: ({ type, productSlug, title, createdAt, brandDomain }) =>
            noted(
              <>
                {type === 'manufactured_by' ? 'Makes ' : 'Sells '}
                <a href={`/p/${productSlug}`}>{title}</a>
              </>,
              <>
                <Ago at={createdAt} now={now} />
                {brandDomain !== null && ` · brand website: ${brandDomain}`}
              </>,
            ),
        },
        column.text('Evidence', 'evidenceUrl', ({ evidenceUrl }) =>
          evidenceUrl === null ? <span class="soft">None given</span> : <Address url={evidenceUrl} />,
        ),
        { label: 'Product', csv: ({ productSlug }) => productSlug },
        { label: 'Since', csv: ({ createdAt }) => createdAt },
        column.actions('Decision', ({ id, orgName, title, evidenceUrl }) =>
          decide(seen, {
            ...{ path: CLAIMS, id, about: `the claim of ${orgName} to ${title}` },
            yes: ['verify', 'Verify'],
            no: ['refuse', 'The organization sees this in its history. It can claim the product again.'],
            fields: { evidence_url: evidenceUrl },
          }),
        ),
      ],
      empty: CAUGHT_UP,
    }
  })
  admin.action(`${CLAIMS}/:id/verify`, {
    ...{ schema: z.object({ evidence_url: evidence }), shows: true, done: 'verified' },
    act: ({ id, operator: { by }, input: { evidence_url: seen } }) =>
      verifyRelationship(ctx, id, { by, seen }),
  })
  admin.action(`${CLAIMS}/:id/refuse`, {
    ...{ schema: z.object({ evidence_url: evidence, note: SubmissionNote }), done: 'refused' },
    act: ({ id, operator: { by }, input: { evidence_url: seen, note } }) =>
      rejectRelationship(ctx, id, { by, seen, note }),
  })
}

export function mountRenames(admin: Admin, { ctx }: AdminDeps): void {
  admin.list<WaitingRename, typeof RENAME_LIST.filters>(RENAME_LIST, async ({ asked, ...seen }) => {
    const now = ctx.clock.now()
    const all = await listRenames(ctx, { limit: MOST_RENAMES })
    return {
      title: 'Name changes',
      lead: 'New names that verified organizations ask for. Buyers see the old name until you approve.',
      said: {
        approved: 'Approved. Buyers see the new name now.',
        declined: 'Declined. The organization keeps its name and sees your reason.',
      },
      ...within(all, asked, {
        words: ({ name, orgName, orgDomain }) => `${name} ${orgName} ${orgDomain ?? ''}`,
        by: { waiting: ({ createdAt }) => daysSince(createdAt, now) },
      }),
      order: 'Oldest first',
      columns: [
        whose,
        column.text('New name', 'name', ({ name }) => <strong>{name}</strong>),
        column.ago('Requested', 'createdAt', now),
        column.actions('Decision', ({ id, name, orgName }) =>
          decide(seen, {
            ...{ path: RENAMES, id, about: `the name ${name} for ${orgName}` },
            yes: ['approve', 'Approve'],
            no: ['decline', 'The organization sees this on its page and in its history.'],
          }),
        ),
      ],
      empty: CAUGHT_UP,
    }
  })
  admin.action(`${RENAMES}/:id/approve`, {
    ...{ shows: true, done: 'approved' },
    act: ({ id, operator: { by, visit } }) => approveRename(ctx, id, { actor: by, visit }),
  })
  admin.action(`${RENAMES}/:id/decline`, {
    ...{ schema: z.object({ note: SubmissionNote }), done: 'declined' },
    act: ({ id, operator: { by, visit }, input: { note } }) =>
      declineRename(ctx, id, note, { actor: by, visit }),
  })
}
