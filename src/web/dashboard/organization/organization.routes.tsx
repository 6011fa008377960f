/**
 * The organization itself: registering and changing it, verifying its domain, and switching to another. Two of the forms do
 * not go through the dashboard's guard: a person who registers has no organization yet, and a person who switches names
 * another organization than the current. They are held to the same rules.
 */
import type { Hono } from 'hono'
import { z } from 'zod'
import { findOwnProducts } from '../../../catalog/found-claims.service.ts'
import type { HttpEnv } from '../../../http/env.ts'
import { readForm } from '../../../http/form.ts'
import { requireSameOrigin } from '../../../http/same-origin.ts'
import { AppError } from '../../../lib/errors.ts'
import { isFreemail } from '../../../orgs/domain.ts'
import { editOrg, selectOrganization } from '../../../orgs/org.service.ts'
import { EditBody, NAME_MAX, ORG_TYPES, type Org, RegisterBody } from '../../../orgs/orgs.schema.ts'
import { isStuck } from '../../../orgs/pending.ts'
import { registerOrg } from '../../../orgs/register.service.ts'
import { type Found, proofPlaces } from '../../../orgs/verification.lookup.ts'
import { verifyDomain } from '../../../orgs/verification.service.ts'
import { Copyable } from '../../components/copyable.tsx'
import { Day } from '../../components/moment.tsx'
import { humanized } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { Form, type FormState, Hidden } from '../../kit/fields.tsx'
import { Fields, type FormSpec, formOf, typedOf } from '../../kit/form.tsx'
import { Action, Confirm, Empty, Facts, LinkButton, Panel, State } from '../../kit/parts.tsx'
import { ownPages, type PersonPage, type PersonSeen } from '../../kit/person.tsx'
import { sendPage } from '../../page.http.ts'
import { renderMessagePage } from '../../pages/message.tsx'
import { webUrl } from '../../safe.ts'
import { findSignedIn, onward, type SignedInBrowser } from '../../signed-in.ts'
import { type Dashboard, type DashboardDeps, type Visitor, WhoMay } from '../guard.tsx'
import {
  DASHBOARD,
  FOUND_PATH,
  ORGANIZATION_PATH,
  REGISTER_PATH,
  START_PATH,
  SWITCH_PATH,
  waysFor,
} from '../paths.ts'

const EDIT_PATH = `${ORGANIZATION_PATH}/edit`
const DOMAIN_PATH = `${ORGANIZATION_PATH}/domain`
const VERIFY_PATH = `${ORGANIZATION_PATH}/verify`

const PROFILE = {
  name: {
    ...{ kind: 'text', label: 'Name', required: true, max: NAME_MAX, empty: 'text' },
    ...{ hint: 'The name buyers know you by.', autocomplete: 'organization' },
  },
  org_type: {
    ...{ kind: 'choice', label: 'Type' },
    options: ORG_TYPES.map((type) => [type, humanized(type)] as const),
  },
  website_url: {
    ...{ kind: 'url', label: 'Website (optional)', empty: 'null', autocomplete: 'url' },
    hint: 'Such as https://www.acme.example',
  },
  shopify_shop: {
    ...{ kind: 'text', label: 'Shopify shop (optional)', empty: 'null' },
    hint: 'Such as acme.myshopify.com',
  },
} as const satisfies FormSpec
const DOMAIN = {
  domain: {
    ...{ kind: 'text', label: 'Domain', empty: 'null' },
    hint: 'Such as acme.example. Leave it empty to remove the domain.',
  },
} as const satisfies FormSpec
const WORDS = { org_type: 'Choose a type.' }
/** The domain has a form of its own, because changing it takes away what hangs on the old domain. */
const ProfileForm = formOf(PROFILE, EditBody.omit({ domain: true }), WORDS)
const DomainForm = z
  .record(z.string(), z.string())
  // An empty field removes the domain; a form without the field does not.
  .refine((form) => form.domain !== undefined, { path: ['domain'], message: 'Enter a domain.' })
  .pipe(
    formOf(
      // The verified domain that the form said is given up.
      { ...DOMAIN, gives_up: { kind: 'text', label: 'Current domain', empty: 'null' } },
      EditBody.pick({ domain: true }).required().extend({ gives_up: z.string().nullable() }),
    ),
  )

const VIA: Record<NonNullable<Org['verifiedVia']>, string> = {
  email_domain: 'by the email of the person who registered it',
  dns: 'by a DNS record',
  file: 'by a file on its website',
  operator: 'by the operator',
}

export function mountOrganization(app: Hono<HttpEnv>, dashboard: Dashboard, deps: DashboardDeps): void {
  mountRegister(app, deps)
  mountSwitch(app, deps)
  const { ctx } = deps

  dashboard.page(ORGANIZATION_PATH, 'read', (seen) => organizationPage(seen))

  dashboard.action(EDIT_PATH, {
    ...{ schema: ProfileForm, shows: true },
    async act({ act, input }) {
      const { pendingName } = await editOrg(ctx, act, input)
      const waits = pendingName !== null && pendingName === input.name
      return `${ORGANIZATION_PATH}?done=${waits ? 'waits' : 'saved'}`
    },
  })

  dashboard.action(DOMAIN_PATH, {
    ...{ schema: DomainForm, shows: true },
    async act({ act, visitor: { org }, input: { domain, gives_up: seen } }) {
      // A verification that was not there when the form was shown is not given up by it.
      if (org.verificationStatus === 'verified' && domain !== org.domain && seen !== org.domain)
        throw new AppError(
          'conflict',
          `the domain ${org.domain} was verified since you opened this page, so nothing changed; look again`,
          { code: 'conflict' },
        )
      await editOrg(ctx, act, { domain })
      if (domain === org.domain) return ORGANIZATION_PATH
      return `${ORGANIZATION_PATH}?done=${domain === null ? 'removed' : 'domain'}#domain`
    },
  })

  dashboard.action(VERIFY_PATH, {
    shows: true,
    async act({ act, visitor }) {
      if (visitor.org.domain === null)
        throw new AppError('invalid', 'enter your domain first', { field: 'domain' })
      const { verificationStatus, checked } = await verifyDomain(ctx, act)
      if (verificationStatus === 'pending')
        return organizationPage({ visitor, state: { values: {}, errors: {} } }, checked)
      const { products } = await findOwnProducts(ctx, act)
      return products.length > 0 ? `${FOUND_PATH}?done=verified` : `${ORGANIZATION_PATH}?done=verified#domain`
    },
  })
}

type Shown = { visitor: Visitor; state: FormState }
type Checked = Found['checked']

/** `checked` is what was found when the domain was looked up just now. */
function organizationPage({ visitor, state }: Shown, checked: Checked | null = null): Page {
  const { org, rename } = visitor
  const website = org.websiteUrl === null ? null : webUrl(org.websiteUrl)
  const isVerified = org.verificationStatus === 'verified'
  return {
    title: 'Profile and domain',
    lead: `What buyers and other organizations see of ${org.name}.`,
    said: {
      saved: 'Profile saved.',
      waits: 'The operator reviews your new name. Until then, buyers see the old name.',
      domain: 'Domain saved. Verify it next.',
      removed: 'Domain removed.',
      verified: 'Domain verified.',
    },
    actions: <LinkButton to={REGISTER_PATH} label="Register another organization" />,
    body: [
      <Panel title="Profile">
        <Facts
          facts={[
            [
              'Name',
              <>
                {org.name}
                {rename?.status === 'pending' && (
                  <span class="row-note">
                    The operator reviews your new name “{rename.name}” since <Day at={rename.createdAt} />.
                    Until then, buyers see the old name.
                  </span>
                )}
                {rename?.status === 'declined' && (
                  <span class="row-note">
                    The operator declined your new name “{rename.name}”: {rename.note}
                  </span>
                )}
              </>,
            ],
            ['Type', humanized(org.orgType)],
            [
              'Website',
              website === null ? (
                'None'
              ) : (
                <a href={website} rel="noopener nofollow">
                  {website}
                </a>
              ),
            ],
            ['Shopify shop', org.shopifyShop ?? 'None'],
            ['Registered', <Day at={org.createdAt} />],
            ['ID', <code>{org.id}</code>],
          ]}
        />
        <WhoMay visitor={visitor} right="manage" />
      </Panel>,
      <Panel
        title="Domain"
        actions={
          <State tone={org.domain === null ? 'quiet' : isVerified ? 'good' : 'mixed'}>
            {org.domain === null ? 'None' : isVerified ? 'Verified' : 'Not verified'}
          </State>
        }
      >
        <DomainBody visitor={visitor} state={state} checked={checked} />
      </Panel>,
      visitor.may('manage') && <EditPanel visitor={visitor} state={state} />,
    ],
  }
}

function EditPanel({ visitor: { org, rename }, state }: Shown) {
  const typeStays = org.verificationStatus === 'verified'
  const kept = { org_type: org.orgType, website_url: org.websiteUrl, shopify_shop: org.shopifyShop }
  // Saving another field must not withdraw a name that waits.
  const pending = rename?.status === 'pending' ? rename.name : null
  const values = { ...typedOf(PROFILE, { ...kept, name: pending ?? org.name }), ...state.values }
  const type = humanized(org.orgType).toLowerCase()
  return (
    <Panel
      title="Edit profile"
      id="edit"
      lead={
        typeStays &&
        `${org.name} is verified as a ${type}, so its type stays. The operator reviews a new name.`
      }
    >
      <Form action={EDIT_PATH} label="Save">
        {typeStays && <Hidden name="org_type" value={org.orgType} />}
        <Fields
          of={PROFILE}
          state={{ ...state, values }}
          only={Object.keys(PROFILE).filter((name) => !typeStays || name !== 'org_type')}
        />
      </Form>
      {pending !== null && (
        <Action
          {...{ to: EDIT_PATH, label: 'Withdraw the new name' }}
          fields={typedOf(PROFILE, { ...kept, name: org.name })}
        />
      )}
    </Panel>
  )
}

function DomainBody({ visitor, state, checked }: Shown & { checked: Checked | null }) {
  const { org, pending } = visitor
  const { domain, verifiedVia, verifiedAt } = org
  const mayManage = visitor.may('manage')
  const isVerified = org.verificationStatus === 'verified'
  return (
    <>
      {domain === null && (
        <Empty>
          <p>
            No domain yet. With a verified domain, buyers see that you're genuine, products sold or made under
            it are yours without a review, and your own agent can answer.
          </p>
        </Empty>
      )}
      {domain !== null && isVerified && (
        <p>
          <strong>{domain}</strong> is yours: verified {verifiedVia !== null && VIA[verifiedVia]}
          {verifiedAt !== null && (
            <>
              {' on '}
              <Day at={verifiedAt} />
            </>
          )}
          .
        </p>
      )}
      {isStuck(pending) && <p>{pending?.nextStep}</p>}
      {domain !== null && pending && pending.reason !== 'domain_taken' && mayManage && (
        <Proving org={org} domain={domain} checked={checked} />
      )}
      {pending?.reason === 'domain_unproved' && !mayManage && <p>{domain} isn't verified yet.</p>}
      {mayManage && <ChangeDomain org={org} state={state} />}
    </>
  )
}

function Proving({ org, domain, checked }: { org: Org; domain: string; checked: Checked | null }) {
  const places = proofPlaces({ domain, token: org.verificationToken })
  return (
    <>
      <p>
        Show that <strong>{domain}</strong> is yours in either of these ways, then check it. You can remove
        the record or file once your domain is verified.
      </p>
      <div class="side-by-side">
        <section class="fields" aria-labelledby="proof-dns">
          <h3 id="proof-dns">Add a DNS record</h3>
          <p class="soft">
            At your DNS provider, add a TXT record for {domain} (often written <code>@</code>). It can take a
            few minutes to show up.
          </p>
          <Copyable id="dns-record" label="TXT record value" text={places.dnsRecord} />
        </section>
        <section class="fields" aria-labelledby="proof-file">
          <h3 id="proof-file">Add a file to your website</h3>
          <p class="soft">Put a text file with this line at this address.</p>
          <Copyable id="file-url" label="File address" text={places.fileUrl} />
          <Copyable id="file-body" label="File contents" text={places.fileBody} />
        </section>
      </div>
      {checked && (
        <div class="aside" role="status">
          <p>
            <strong>Not found yet.</strong> We just looked in both places:
          </p>
          <ul class="plain-list">
            <li>DNS: {checked.dns}</li>
            <li>File: {checked.file}</li>
          </ul>
        </div>
      )}
      <Form action={VERIFY_PATH} label="Check now" />
    </>
  )
}

function ChangeDomain({ org, state }: { org: Org; state: FormState }) {
  const { domain } = org
  const field = (
    <Fields of={DOMAIN} state={{ ...state, values: { ...typedOf(DOMAIN, { domain }), ...state.values } }} />
  )
  if (org.verificationStatus !== 'verified')
    return (
      <Form
        action={DOMAIN_PATH}
        label={domain === null ? 'Save domain' : 'Change domain'}
        kind={domain === null ? 'primary' : 'plain'}
      >
        {field}
      </Form>
    )
  return (
    <Confirm ask="Change or remove the domain" open={state.errors.domain !== undefined}>
      <p>If you give up {domain}, this happens now:</p>
      <ul class="plain-list">
        <li>Your organization isn't verified until the new domain is.</li>
        <li>You need to claim the products you got through this domain again. Their offers stop showing.</li>
        <li>Your agent's card and secret are removed, so it gets no more requests.</li>
        <li>Another organization can verify {domain}.</li>
      </ul>
      <Form action={DOMAIN_PATH} label="Change domain" kind="danger">
        <Hidden name="gives_up" value={domain} />
        {field}
      </Form>
    </Confirm>
  )
}

const REGISTER = { ...PROFILE, domain: { ...DOMAIN.domain, label: 'Domain (optional)' } }

function registerPage({ actor: { user }, state }: PersonSeen<SignedInBrowser>): PersonPage {
  const own = user.email.slice(user.email.lastIndexOf('@') + 1)
  const hint = `Such as acme.example. If your email is at this domain (yours is at ${own}) and isn't a public email service, we verify it now. You can also add and verify it later.`
  return {
    title: 'Register an organization',
    lead: 'Then you can claim your products, publish offers and answer requests for quotes.',
    body: [
      user.emailVerified ? (
        <Form action={REGISTER_PATH} label="Register">
          <Fields
            of={{ ...REGISTER, domain: { ...REGISTER.domain, hint } }}
            state={{
              ...state,
              values: { org_type: 'retailer', ...(!isFreemail(own) && { domain: own }), ...state.values },
            }}
            only={['name', 'org_type', 'domain', 'website_url', 'shopify_shop']}
          />
        </Form>
      ) : (
        <section class="account-part">
          <h2>Confirm your email first</h2>
          <p>Open the link we sent to {user.email}, then come back to this page.</p>
          <Form action="/auth/verify" label="Resend email" kind="plain">
            <Hidden name="return_to" value={REGISTER_PATH} />
          </Form>
        </section>
      ),
      <p class="soft">Is your organization already on Souk? Ask an owner to invite you instead.</p>,
    ],
  }
}

function mountRegister(app: Hono<HttpEnv>, { site, ctx, config }: DashboardDeps): void {
  const pages = ownPages(app, { site, config, accounts: ctx }, () => REGISTER_PATH)
  pages.page(REGISTER_PATH, registerPage)
  pages.action(REGISTER_PATH, {
    schema: formOf(REGISTER, RegisterBody, WORDS),
    async act({ actor, visit, input }) {
      await registerOrg(ctx, { caller: actor, visit }, input)
      return `${START_PATH}?done=registered`
    },
  })
}

function mountSwitch(app: Hono<HttpEnv>, { site, ctx, config }: DashboardDeps): void {
  const paths = waysFor(() => true).flatMap(({ ways }) => ways.map(({ href }) => href))
  app.post(SWITCH_PATH, async (c) => {
    requireSameOrigin(c, config.baseUrl)
    const { org_id: orgId = '', at = '' } = await readForm(c)
    const back = paths.includes(at) ? at : DASHBOARD
    const browser = await findSignedIn(c, ctx)
    if (!browser) return c.redirect(onward('/auth/signin', back), 303)
    try {
      await selectOrganization(ctx, browser.actor, orgId)
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'not_found') throw error
      const page = {
        status: 404,
        title: 'Organization not found',
        text: "You don't belong to this organization. You still act for the same organization as before.",
        way: { href: DASHBOARD, label: 'Go to the dashboard' },
      }
      return sendPage(c, renderMessagePage(page, site), { status: 404 })
    }
    return c.redirect(back, 303)
  })
}
