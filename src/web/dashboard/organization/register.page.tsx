/** Registering an organization, for whoever is signed in. Who has not confirmed their address is told why that comes first. */
import type { Person } from '../../../accounts/actor.ts'
import { NarrowPage } from '../../components/narrow-page.tsx'
import { ErrorSummary, Form, type FormState, Hidden } from '../../kit/fields.tsx'
import type { Site } from '../../site.ts'
import { REGISTER_PATH } from '../paths.ts'
import { DomainField, NameField, PlaceFields, TypeField } from './organization.fields.tsx'

type RegisterPage = { site: Site; user: Person; state: FormState }

export function renderRegister({ site, user, state }: RegisterPage): string {
  return String(
    <NarrowPage
      site={site}
      title="Register an organization"
      lead="Then you can claim your products, publish offers, and answer requests for quotes."
    >
      <ErrorSummary errors={state.errors} />
      {user.emailVerified ? (
        <Form action={REGISTER_PATH} label="Register">
          <NameField state={state} />
          <TypeField state={state} />
          <DomainField state={state} hint={domainHint(user.email)} />
          <PlaceFields state={state} />
        </Form>
      ) : (
        <section class="account-part">
          <h2>Confirm your mail address first</h2>
          <p>
            We know {user.email} only as it was typed. Open the link in the mail we sent there, then come back
            to this page.
          </p>
          <Form action="/auth/verify" label="Send the mail again" kind="plain">
            <Hidden name="return_to" value={REGISTER_PATH} />
          </Form>
        </section>
      )}
      <p class="soft">
        Does your organization have an account here? Ask one of its owners to invite you instead.
      </p>
    </NarrowPage>,
  )
}

function domainHint(email: string): string {
  const own = email.slice(email.lastIndexOf('@') + 1)
  return `Such as acme.example. If your confirmed mail address is at this very domain (yours is at ${own}), that proves it at once, unless anybody can have an address there. You can also add and prove it later.`
}
