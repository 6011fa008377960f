/**
 * The domain: whether it is proved and how, what to put where, what was found there, and giving it up. Everything that
 * hangs on a proof is named before it is given up.
 */
import type { Org } from '../../../orgs/orgs.schema.ts'
import { isStuck } from '../../../orgs/pending.ts'
import { type Found, proofPlaces } from '../../../orgs/verification.lookup.ts'
import { Copyable } from '../../components/copyable.tsx'
import { Day } from '../../components/moment.tsx'
import { type FormState, Hidden } from '../../kit/fields.tsx'
import { Confirm, Empty, Panel, State } from '../../kit/parts.tsx'
import { ActionForm, type Visitor } from '../page.tsx'
import { ORGANIZATION_PATH } from '../paths.ts'
import { DomainField } from './organization.fields.tsx'

export const DOMAIN_PATH = `${ORGANIZATION_PATH}/domain`
export const VERIFY_PATH = `${ORGANIZATION_PATH}/verify`

export type Checked = Found['checked']

const VIA_WORDS: Record<NonNullable<Org['verifiedVia']>, string> = {
  email_domain: 'by the mail address of whoever registered it',
  dns: 'by the DNS record',
  file: 'by the file on its website',
  operator: 'by the operator of this service',
}

type DomainPanelProps = { visitor: Visitor; state: FormState; checked: Checked | null }

export function DomainPanel(props: DomainPanelProps) {
  const { org, pending } = props.visitor
  const mayManage = props.visitor.may('manage')
  return (
    <Panel title="Domain" actions={<DomainState org={org} />}>
      {org.domain === null && (
        <Empty>
          <p>
            No domain yet. With a proved one, buyers see that you are who you say, products sold or made under
            it are yours without a review, and your own agent can answer.
          </p>
        </Empty>
      )}
      {org.domain !== null && org.verificationStatus === 'verified' && <Proved org={org} />}
      {isStuck(pending) && <p>{pending?.nextStep}</p>}
      {org.domain !== null && pending && pending.reason !== 'domain_taken' && mayManage && (
        <Proving {...props} domain={org.domain} />
      )}
      {pending?.reason === 'domain_unproved' && !mayManage && <p>{org.domain} is not proved yet.</p>}
      {mayManage && <ChangeDomain {...props} />}
    </Panel>
  )
}

function DomainState({ org: { domain, verificationStatus } }: { org: Org }) {
  if (domain === null) return <State tone="quiet">None</State>
  return verificationStatus === 'verified' ? (
    <State tone="good">Proved</State>
  ) : (
    <State tone="mixed">Not proved yet</State>
  )
}

function Proved({ org: { domain, verifiedVia, verifiedAt } }: { org: Org }) {
  return (
    <p>
      <strong>{domain}</strong> is yours: proved {verifiedVia !== null && VIA_WORDS[verifiedVia]}
      {verifiedAt !== null && (
        <>
          {' on '}
          <Day at={verifiedAt} />
        </>
      )}
      .
    </p>
  )
}

function Proving({ visitor, domain, checked }: DomainPanelProps & { domain: string }) {
  const places = proofPlaces({ domain, token: visitor.org.verificationToken })
  return (
    <>
      <p>
        Prove that <strong>{domain}</strong> is yours in one of two ways, then have it checked. You can take
        the proof away again once it is proved.
      </p>
      <div class="side-by-side">
        <section class="fields" aria-labelledby="proof-dns">
          <h3 id="proof-dns">A DNS record</h3>
          <p class="soft">
            Where your domain is managed, add a TXT record for {domain} (often written <code>@</code>). It can
            take some minutes until it is seen.
          </p>
          <Copyable id="dns-record" label="Value of the TXT record" text={places.dnsRecord} />
        </section>
        <section class="fields" aria-labelledby="proof-file">
          <h3 id="proof-file">A file on your website</h3>
          <p class="soft">Put a text file at this address, with this one line in it.</p>
          <Copyable id="file-url" label="Address of the file" text={places.fileUrl} />
          <Copyable id="file-body" label="What it holds" text={places.fileBody} />
        </section>
      </div>
      {checked && (
        <div class="aside" role="status">
          <p>
            <strong>Not found yet.</strong> We looked in both places just now:
          </p>
          <ul class="plain-list">
            <li>DNS: {checked.dns}</li>
            <li>File: {checked.file}</li>
          </ul>
        </div>
      )}
      <ActionForm visitor={visitor} action={VERIFY_PATH} label="Check now" />
    </>
  )
}

function ChangeDomain({ visitor, state }: DomainPanelProps) {
  const { org } = visitor
  const field = <DomainField state={state} org={org} hint="Such as acme.example. Leave it empty for none." />
  if (org.verificationStatus !== 'verified')
    return (
      <ActionForm
        visitor={visitor}
        action={DOMAIN_PATH}
        label={org.domain === null ? 'Save the domain' : 'Change the domain'}
        kind={org.domain === null ? 'primary' : 'plain'}
      >
        {field}
      </ActionForm>
    )
  return (
    <Confirm ask="Change or remove the domain" open={state.errors.domain !== undefined}>
      <p>With {org.domain} you give up what it proves, at once:</p>
      <ul class="plain-list">
        <li>The organization is not verified until the new domain is proved.</li>
        <li>
          Products that are yours because of the domain must be proved anew, and offers on them are not shown
          meanwhile.
        </li>
        <li>The card of your own agent and its secret are removed: it is not asked any more.</li>
        <li>Whoever proves {org.domain} next has it.</li>
      </ul>
      <ActionForm visitor={visitor} action={DOMAIN_PATH} label="Change the domain" kind="danger">
        <Hidden name="gives_up" value={org.domain} />
        {field}
      </ActionForm>
    </Confirm>
  )
}
