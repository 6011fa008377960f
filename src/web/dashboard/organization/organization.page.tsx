/** What the organization says of itself, its domain, and the form that changes what it says. */
import { Day } from '../../components/moment.tsx'
import { type FormState, Hidden } from '../../kit/fields.tsx'
import { Panel } from '../../kit/parts.tsx'
import { webUrl } from '../../safe.ts'
import type { Site } from '../../site.ts'
import { ActionForm, DashboardPage, type Visitor, WhoMay } from '../page.tsx'
import { ORGANIZATION_PATH, REGISTER_PATH } from '../paths.ts'
import { type Checked, DomainPanel } from './domain.panel.tsx'
import { NameField, PlaceFields, TYPE_WORDS, TypeField } from './organization.fields.tsx'

export const EDIT_PATH = `${ORGANIZATION_PATH}/edit`

type OrganizationPage = {
  site: Site
  visitor: Visitor
  state: FormState
  /** What was found when the domain was looked at just now. */
  checked?: Checked | null
  done?: string | null
}

export function renderOrganization({ site, visitor, state, checked = null, done }: OrganizationPage): string {
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="Profile and domain"
      lead={`What buyers and other organizations are told of ${visitor.org.name}.`}
      at={ORGANIZATION_PATH}
      done={done}
      errors={state.errors}
      actions={
        <a class="button plain" href={REGISTER_PATH}>
          Register another organization
        </a>
      }
    >
      <Profile visitor={visitor} />
      <DomainPanel visitor={visitor} state={state} checked={checked} />
      {visitor.may('manage') && <EditPanel visitor={visitor} state={state} />}
    </DashboardPage>,
  )
}

function Profile({ visitor }: { visitor: Visitor }) {
  const { org } = visitor
  const website = org.websiteUrl === null ? null : webUrl(org.websiteUrl)
  return (
    <Panel title="Profile">
      <table class="specs">
        <caption class="hidden">The organization</caption>
        <tbody>
          <tr>
            <th scope="row">Name</th>
            <td>
              {org.name}
              <NewName visitor={visitor} />
            </td>
          </tr>
          <tr>
            <th scope="row">Type</th>
            <td>{TYPE_WORDS[org.orgType]}</td>
          </tr>
          <tr>
            <th scope="row">Website</th>
            <td>
              {website === null ? (
                'None'
              ) : (
                <a href={website} rel="noopener nofollow">
                  {website}
                </a>
              )}
            </td>
          </tr>
          <tr>
            <th scope="row">Shopify shop</th>
            <td>{org.shopifyShop ?? 'None'}</td>
          </tr>
          <tr>
            <th scope="row">Registered</th>
            <td>
              <Day at={org.createdAt} />
            </td>
          </tr>
          <tr>
            <th scope="row">Id</th>
            <td>
              <code>{org.id}</code>
            </td>
          </tr>
        </tbody>
      </table>
      <WhoMay visitor={visitor} right="manage" />
    </Panel>
  )
}

function NewName({ visitor: { rename } }: { visitor: Visitor }) {
  if (rename === null) return null
  if (rename.status === 'declined')
    return (
      <span class="row-note">
        The operator declined the new name “{rename.name}”: {rename.note}
      </span>
    )
  return (
    <span class="row-note">
      The new name “{rename.name}” waits for the operator of this service, since <Day at={rename.createdAt} />
      . Until then buyers see the old one.
    </span>
  )
}

function Withdraw({ visitor }: { visitor: Visitor }) {
  if (visitor.rename?.status !== 'pending') return null
  return (
    <ActionForm visitor={visitor} action={EDIT_PATH} label="Withdraw the new name" kind="plain">
      <Hidden name="name" value={visitor.org.name} />
    </ActionForm>
  )
}

function EditPanel({ visitor, state }: { visitor: Visitor; state: FormState }) {
  const { org } = visitor
  const typeStays = org.verificationStatus === 'verified'
  // Saving another field must not withdraw a name that waits.
  const named = visitor.rename?.status === 'pending' ? { ...org, name: visitor.rename.name } : org
  return (
    <Panel
      title="Change the profile"
      id="edit"
      lead={
        typeStays
          ? `${org.name} stays a ${TYPE_WORDS[org.orgType].toLowerCase()}, since it is verified as one. A new name waits for the operator of this service.`
          : undefined
      }
    >
      <ActionForm visitor={visitor} action={EDIT_PATH} label="Save">
        <NameField state={state} org={named} />
        {typeStays ? <Hidden name="org_type" value={org.orgType} /> : <TypeField state={state} org={org} />}
        <PlaceFields state={state} org={org} />
      </ActionForm>
      <Withdraw visitor={visitor} />
    </Panel>
  )
}
