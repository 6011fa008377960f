/** The pages before somebody is signed in: sign up, sign in, a link by mail, a new password, and what mail to expect. */
import { NAME_MAX } from '../../accounts/accounts.schema.ts'
import { NarrowPage } from '../components/narrow-page.tsx'
import {
  EmailField,
  ErrorSummary,
  Field,
  ForAccount,
  Form,
  type FormState,
  Hidden,
  NewPasswordField,
} from '../kit/fields.tsx'
import { onward } from '../onward.ts'
import type { Site } from '../site.ts'

type AuthProps = { site: Site; state: FormState; returnTo: string | null }

export function renderSignUp({ site, state, returnTo }: AuthProps): string {
  return String(
    <NarrowPage
      site={site}
      title="Create an account"
      lead="Free. With it you save products, ask for quotes, connect an agent, or sell."
    >
      <ErrorSummary errors={state.errors} />
      <Form action="/auth/signup" label="Create account">
        <Hidden name="return_to" value={returnTo} />
        <Field state={state} name="name" label="Name (optional)" autocomplete="name" maxlength={NAME_MAX} />
        <EmailField state={state} />
        <NewPasswordField state={state} />
      </Form>
      <ul class="ways">
        <li>
          <a href={onward('/auth/magic', returnTo)}>Sign up without a password</a>
        </li>
        <li>
          You have an account? <a href={onward('/auth/signin', returnTo)}>Sign in</a>
        </li>
      </ul>
    </NarrowPage>,
  )
}

export function renderSignIn({ site, state, returnTo }: AuthProps): string {
  return String(
    <NarrowPage site={site} title="Sign in" lead="To your saved products, your quotes and your agents.">
      <ErrorSummary errors={state.errors} />
      <Form action="/auth/signin" label="Sign in">
        <Hidden name="return_to" value={returnTo} />
        <EmailField state={state} autocomplete="username" />
        <Field
          state={state}
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          required
        />
      </Form>
      <ul class="ways">
        <li>
          <a href={onward('/auth/magic', returnTo)}>Get a sign-in link by mail instead</a>
        </li>
        <li>
          <a href={onward('/auth/reset', returnTo)}>Forgot your password?</a>
        </li>
        <li>
          New here? <a href={onward('/auth/signup', returnTo)}>Create an account</a>
        </li>
      </ul>
    </NarrowPage>,
  )
}

export function renderAskLink({ site, state, returnTo }: AuthProps): string {
  return String(
    <NarrowPage
      site={site}
      title="Sign in by mail"
      lead="We send you a link that signs you in. If you have no account yet, it makes one."
    >
      <ErrorSummary errors={state.errors} />
      <Form action="/auth/magic" label="Send the link">
        <Hidden name="return_to" value={returnTo} />
        <EmailField state={state} />
      </Form>
      <ul class="ways">
        <li>
          <a href={onward('/auth/signin', returnTo)}>Sign in with a password</a>
        </li>
      </ul>
    </NarrowPage>,
  )
}

export function renderAskReset({ site, state, returnTo }: AuthProps): string {
  return String(
    <NarrowPage
      site={site}
      title="Choose a new password"
      lead="We send you a link for it. It works once, within an hour."
    >
      <ErrorSummary errors={state.errors} />
      <Form action="/auth/reset" label="Send the link">
        <Hidden name="return_to" value={returnTo} />
        <EmailField state={state} />
      </Form>
      <ul class="ways">
        <li>
          <a href={onward('/auth/signin', returnTo)}>Back to sign in</a>
        </li>
      </ul>
    </NarrowPage>,
  )
}

export function renderNewPassword(props: {
  site: Site
  state: FormState
  token: string
  email: string
}): string {
  const { site, state, token, email } = props
  return String(
    <NarrowPage
      site={site}
      title="Choose a new password"
      lead="You will be signed in here, and signed out everywhere else."
    >
      <ErrorSummary errors={state.errors} />
      <Form action="/auth/reset" label="Set the password">
        <Hidden name="token" value={token} />
        <ForAccount email={email} />
        <NewPasswordField state={state} label="New password" />
      </Form>
    </NarrowPage>,
  )
}

type CheckMailProps = {
  site: Site
  state: FormState
  /** Mails are kept on this machine, and a page shows them. */
  outbox: boolean
  /** Somebody is signed in whose address waits to be confirmed: it need not be typed again. */
  waiting: string | null
  returnTo: string | null
}

/** The same for every address and every kind of mail: it must not tell what is known about an address. */
export function renderCheckMail({ site, state, outbox, waiting, returnTo }: CheckMailProps): string {
  return String(
    <NarrowPage site={site} title="Check your mail" lead="We have sent a message to the address you gave.">
      <ErrorSummary errors={state.errors} />
      {outbox && (
        <p class="aside">
          No mail server is set up here, so mails are kept in the <a href="/dev/outbox">outbox</a>.
        </p>
      )}
      <p>Open the link in it to go on. It can take a minute; look in the spam folder too.</p>
      <section class="account-part">
        <h2>Nothing came?</h2>
        <p>If you have just signed up, have the mail sent again. Make sure that the address is right.</p>
        <Form action="/auth/verify" label="Send the mail again" kind="plain">
          <Hidden name="return_to" value={returnTo} />
          {waiting === null && <EmailField state={state} />}
        </Form>
      </section>
      <ul class="ways">
        <li>
          <a href={onward('/auth/magic', returnTo)}>Ask for another sign-in link</a>
        </li>
        <li>
          <a href={onward('/auth/reset', returnTo)}>Ask for another link for a new password</a>
        </li>
        <li>
          <a href={onward('/auth/signin', returnTo)}>Go to sign in</a>
        </li>
      </ul>
    </NarrowPage>,
  )
}

export type ConfirmProps = {
  site: Site
  purpose: 'verify' | 'magic'
  token: string
  email: string
  /** The address the browser is signed in with already. */
  signedInAs: string | null
  /** Somebody else may have signed up with the address, so going on drops the password that was chosen. */
  losesPassword: boolean
}

/** Shown in place of signing in at once where the request may be a scanner's, or not what the person wants. */
export function renderConfirmLink(props: ConfirmProps): string {
  const { site, purpose, token, email, signedInAs, losesPassword } = props
  return String(
    <NarrowPage
      site={site}
      title={purpose === 'verify' ? 'Confirm your address' : 'Sign in'}
      lead="One more press, so that nobody signs you in without your knowing."
    >
      {losesPassword && (
        <p>
          The account was made in another browser. Going on confirms that {email} is yours, removes the
          password that was chosen there and signs that browser out. Then you choose your own. If you signed
          up with a password you want to keep, open the link in the browser you used.
        </p>
      )}
      {signedInAs !== null && <p>You are signed in as {signedInAs}. Going on signs that account out here.</p>}
      <Form action={`/auth/${purpose}`} label={`Continue as ${email}`}>
        <Hidden name="token" value={token} />
      </Form>
    </NarrowPage>,
  )
}

export function renderNotice(props: {
  site: Site
  title: string
  text: string
  link: string
  label: string
}): string {
  const { site, title, text, link, label } = props
  return String(
    <NarrowPage site={site} title={title} lead={text}>
      <p>
        <a class="button" href={link}>
          {label}
        </a>
      </p>
    </NarrowPage>,
  )
}
