/** The next step for visitors who need an account, or a verified email, to go on. Both lead back to `back`. */
import { Form, Hidden } from '../kit/fields.tsx'
import { onward } from '../onward.ts'

export function SignInWays({ back }: { back: string }) {
  return (
    <p class="line">
      <a class="button" href={onward('/auth/signin', back)}>
        Sign in
      </a>
      <a class="button plain" href={onward('/auth/signup', back)}>
        Create an account
      </a>
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
