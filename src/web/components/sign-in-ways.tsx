/** For whoever has to have an account to go on: both ways to one, and back here. */
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
