/** The next step for visitors who need an account, or a verified email, to go on. Both lead back to `back`. */

import { Form, Hidden } from '../kit/fields.tsx'
import { LinkButton } from '../kit/parts.tsx'
import { onward } from '../signed-in.ts'

export function SignInWays({ back }: { back: string }) {
  return (
    <p class="line">
      <LinkButton to={onward('/auth/signin', back)} primary label="Sign in" />
      <LinkButton to={onward('/auth/signup', back)} label="Create an account" />
    </p>
  )
}

/** `then` ends the sentence: "…, then plan your bundle." */
export function VerifyEmail({ email, back, then }: { email: string; back: string; then: string }) {
  return (
    <>
      <p>
        Verify your email first. Open the link we sent to {email}, then {then}.
      </p>
      <Form action="/auth/verify" label="Resend email" kind="plain">
        <Hidden name="return_to" value={back} />
      </Form>
    </>
  )
}
