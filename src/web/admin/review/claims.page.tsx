/** /admin/claims: who says that they make or sell what, where the catalog itself does not prove it. */
import type { PendingClaim } from '../../../catalog/relationships.service.ts'
import { Address } from '../../components/address.tsx'
import { Ago } from '../../components/moment.tsx'
import { Form, type FormState, Hidden, TextArea, UNTOUCHED } from '../../kit/fields.tsx'
import { Confirm, Empty } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import type { Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { CLAIMS } from '../paths.ts'
import { Whose } from './whose.tsx'

export type Props = {
  site: Site
  operator: Operator
  claims: PendingClaim[]
  state: FormState
  /** The claim whose form was refused. */
  about: string | null
  done: string | null
  now: Date
}

export function renderClaims({ site, operator, claims, state, about, done, now }: Props): string {
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title="Claims"
      lead="Who says that they make or sell a product, oldest first. What a proved domain proves is verified without you."
      at={CLAIMS}
      done={done}
      errors={state.errors}
    >
      {claims.length === 0 ? (
        <Empty>
          <p>Nothing waits for you.</p>
        </Empty>
      ) : (
        <ul class="rows claims">
          {claims.map((claim) => (
            <Claim claim={claim} state={claim.id === about ? state : null} now={now} />
          ))}
        </ul>
      )}
    </AdminPage>,
  )
}

function Claim({ claim, state, now }: { claim: PendingClaim; state: FormState | null; now: Date }) {
  const org = { id: claim.orgId, name: claim.orgName, domain: claim.orgDomain, verified: claim.orgVerified }
  const seen = <Hidden name="evidence_url" value={claim.evidenceUrl} />
  const action = `${CLAIMS}/${claim.id}`
  return (
    <li>
      <div class="claim">
        <p>
          <Whose org={org} />
        </p>
        <p>
          {claim.type === 'manufactured_by' ? 'makes ' : 'sells '}
          <a href={`/p/${claim.productSlug}`}>{claim.title}</a>
          <span class="row-note">
            Claimed <Ago at={claim.createdAt} now={now} />
            {claim.brandDomain !== null && `; the brand lives at ${claim.brandDomain}`}
          </span>
        </p>
        <p>
          {claim.evidenceUrl === null ? (
            <span class="soft">No evidence was given.</span>
          ) : (
            <>
              Evidence: <Address url={claim.evidenceUrl} />
            </>
          )}
        </p>
      </div>
      <form method="post" action={`${action}/verify`}>
        {seen}
        <button class="button" type="submit">
          Verify
          <span class="hidden">
            {' '}
            the claim of {claim.orgName} to {claim.title}
          </span>
        </button>
      </form>
      <Confirm
        open={state !== null}
        ask={
          <>
            Refuse
            <span class="hidden">
              {' '}
              the claim of {claim.orgName} to {claim.title}
            </span>
          </>
        }
      >
        <Form action={`${action}/refuse`} label="Refuse" kind="danger">
          {seen}
          <TextArea
            state={state ?? UNTOUCHED}
            name="note"
            label="Why"
            hint="It stands in the history of the organization. The claim goes, and may be made again."
            rows={2}
            maxlength={1000}
            suffix={state ? '' : `-${claim.id}`}
          />
        </Form>
      </Confirm>
    </li>
  )
}
