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
import { Form, Hidden, UNTOUCHED } from '../../kit/fields.tsx'
import { Fields } from '../../kit/form.tsx'
import { type ListSpec, listPage, uncounted } from '../../kit/list.tsx'
import { Action, Confirm } from '../../kit/parts.tsx'
import type { AdminDeps } from '../deps.ts'
import type { Admin, AdminSeen, AdminShow, Who } from '../guard.ts'
import { CLAIMS, RENAMES } from '../nav.ts'
import { askerOf, CAUGHT_UP, noteForm, Whose } from './parts.tsx'

const evidence = z
  .string()
  .optional()
  .transform((url) => ({ evidenceUrl: url ?? null }))

type Decide = {
  seen: AdminSeen
  to: string
  id: string
  about: string
  yes: [path: string, label: string]
  no: [path: string, label: string, hint: string]
  fields?: Record<string, string | null>
}

/** The buttons of a row. A refused form is open, with what was typed. */
function Decide({ seen: { c, state }, to, id, about, yes, no, fields = {} }: Decide) {
  const isRefused = state !== UNTOUCHED && c.req.param('id') === id
  return (
    <div class="row-actions">
      <Action to={`${to}/${id}/${yes[0]}`} label={yes[1]} kind="primary" fields={fields} about={about} />
      <Confirm
        open={isRefused}
        ask={
          <>
            {no[1]}
            <span class="hidden"> {about}</span>
          </>
        }
      >
        <Form action={`${to}/${id}/${no[0]}`} label={no[1]} kind="danger">
          {Object.entries(fields).map(([name, value]) => (
            <Hidden name={name} value={value} />
          ))}
          <Fields
            of={noteForm(no[2])}
            state={isRefused ? state : UNTOUCHED}
            suffix={isRefused ? '' : `-${id}`}
          />
        </Form>
      </Confirm>
    </div>
  )
}

type NoFilters = Record<never, never>
const CLAIM_LIST: ListSpec<NoFilters> = {
  ...{ path: CLAIMS, noun: 'claim', search: 'Product or organization', filters: {}, pageSize: 50 },
}
const RENAME_LIST: ListSpec<NoFilters> = {
  ...{ path: RENAMES, noun: 'name', search: 'Name or domain', filters: {}, pageSize: 50 },
}

export function mountRequests(admin: Admin, { ctx, shown }: AdminDeps): void {
  const claims: AdminShow = listPage<Who, PendingClaim, NoFilters>(CLAIM_LIST, async ({ asked, ...seen }) => {
    const { q, limit, offset } = asked
    const found = await listPendingRelationships(ctx, { search: q || null, limit: limit + 1, offset })
    return {
      page: {
        title: 'Claims',
        lead: 'Organizations that say they make or sell a product. We verify a claim ourselves when a verified domain proves it.',
        said: {
          verified: 'Verified. The organization can now make offers and gets requests for quotes.',
          refused: 'Declined. The organization sees your reason in its history.',
        },
      },
      ...uncounted(found, asked),
      order: 'Oldest first',
      columns: [
        {
          label: 'Organization',
          cell: (claim) => <Whose {...askerOf(claim)} />,
          csv: ({ orgName }) => orgName,
        },
        {
          label: 'Claim',
          cell: (claim) => (
            <>
              {claim.type === 'manufactured_by' ? 'Makes ' : 'Sells '}
              <a href={`/p/${claim.productSlug}`}>{claim.title}</a>
              <span class="row-note">
                <Ago at={claim.createdAt} now={ctx.clock.now()} />
                {claim.brandDomain !== null && ` · brand website: ${claim.brandDomain}`}
              </span>
            </>
          ),
          csv: ({ type, title }) => `${type} ${title}`,
        },
        {
          label: 'Evidence',
          cell: ({ evidenceUrl }) =>
            evidenceUrl === null ? <span class="soft">None given</span> : <Address url={evidenceUrl} />,
          csv: ({ evidenceUrl }) => evidenceUrl,
        },
        {
          ...{ label: 'Decision', kind: 'actions' },
          cell: (claim) => (
            <Decide
              {...{ seen, to: CLAIMS, id: claim.id, fields: { evidence_url: claim.evidenceUrl } }}
              about={`the claim of ${claim.orgName} to ${claim.title}`}
              yes={['verify', 'Verify']}
              no={[
                'refuse',
                'Decline',
                'The organization sees this in its history. It can claim the product again.',
              ]}
            />
          ),
        },
      ],
      empty: CAUGHT_UP,
    }
  })
  admin.page(CLAIMS, claims)
  admin.action(`${CLAIMS}/:id/verify`, {
    schema: z.object({ evidence_url: evidence }),
    page: claims,
    async act({ c, operator: { by }, input: { evidence_url: seen } }) {
      await verifyRelationship(ctx, c.req.param('id') ?? '', { by, seen })
      await shown()
      return `${CLAIMS}?done=verified`
    },
  })
  admin.action(`${CLAIMS}/:id/refuse`, {
    schema: z.object({ evidence_url: evidence, note: SubmissionNote }),
    page: claims,
    async act({ c, operator: { by }, input: { evidence_url: seen, note } }) {
      await rejectRelationship(ctx, c.req.param('id') ?? '', { by, seen, note })
      return `${CLAIMS}?done=refused`
    },
  })

  const renames: AdminShow = listPage<Who, WaitingRename, NoFilters>(
    RENAME_LIST,
    async ({ asked, ...seen }) => {
      const { q, limit, offset } = asked
      const found = await listRenames(ctx, { search: q || null, limit: limit + 1, offset })
      return {
        page: {
          title: 'Name changes',
          lead: 'New names that verified organizations ask for. Buyers see the old name until you approve.',
          said: {
            approved: 'Approved. Buyers see the new name now.',
            declined: 'Declined. The organization keeps its name and sees your reason.',
          },
        },
        ...uncounted(found, asked),
        order: 'Oldest first',
        columns: [
          {
            label: 'Organization',
            cell: (rename) => <Whose {...askerOf(rename)} />,
            csv: ({ orgName }) => orgName,
          },
          { label: 'New name', cell: ({ name }) => <strong>{name}</strong>, csv: ({ name }) => name },
          {
            label: 'Requested',
            cell: ({ createdAt }) => <Ago at={createdAt} now={ctx.clock.now()} />,
            csv: ({ createdAt }) => createdAt,
          },
          {
            ...{ label: 'Decision', kind: 'actions' },
            cell: ({ id, name, orgName }) => (
              <Decide
                {...{ seen, to: RENAMES, id }}
                about={`the name ${name} for ${orgName}`}
                yes={['approve', 'Approve']}
                no={['decline', 'Decline', 'The organization sees this on its page and in its history.']}
              />
            ),
          },
        ],
        empty: CAUGHT_UP,
      }
    },
  )
  admin.page(RENAMES, renames)
  admin.action(`${RENAMES}/:id/approve`, {
    schema: z.object({}),
    page: renames,
    async act({ c, operator: { by, visit } }) {
      await approveRename(ctx, c.req.param('id') ?? '', { actor: by, visit })
      await shown()
      return `${RENAMES}?done=approved`
    },
  })
  admin.action(`${RENAMES}/:id/decline`, {
    schema: z.object({ note: SubmissionNote }),
    page: renames,
    async act({ c, operator: { by, visit }, input: { note } }) {
      await declineRename(ctx, c.req.param('id') ?? '', note, { actor: by, visit })
      return `${RENAMES}?done=declined`
    },
  })
}
