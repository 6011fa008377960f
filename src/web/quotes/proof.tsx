/** The signature of a quote, to keep and to check, on every page that shows signed quotes. */
import type { Child } from 'hono/jsx'

export const VERIFY_PATH = '/verify-quote'

type Props = { quote: { rank: number; signature: string }; name: string; children?: Child }

export function Proof({ quote, name, children }: Props) {
  return (
    <details class="proof">
      <summary>
        Signature<span class="hidden"> of the quote by {name}</span>
      </summary>
      <p class="soft">Keep it to prove what the seller promised.</p>
      {children}
      {/* It scrolls, so the keyboard must reach it. */}
      <section class="signature" aria-label={`Signature by ${name}`} tabindex={0}>
        <code id={`signature-${quote.rank}`}>{quote.signature}</code>
      </section>
      <form method="post" action={VERIFY_PATH}>
        <input type="hidden" name="quote" value={quote.signature} />
        <button class="plain" type="submit">
          Check signature<span class="hidden"> of the quote by {name}</span>
        </button>{' '}
        <button type="button" data-copy={`signature-${quote.rank}`} hidden>
          Copy
        </button>
      </form>
    </details>
  )
}
