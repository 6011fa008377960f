/** Sharing a completed request: a form that makes a link, and the links that work now. */
import { SHARED_PATH } from '../../rfq/buyer.routes.ts'
import { MAX_SHARE_DAYS, type Share } from '../../rfq/share.service.ts'
import { Moment } from '../components/moment.tsx'
import { countOf } from '../format.ts'
import { Form, type FormState, Select } from '../kit/fields.tsx'
import type { Site } from '../site.ts'
import { QUOTES_PATH } from './ask-form.tsx'

type Props = { rfqId: string; shares: Share[]; state: FormState; site: Pick<Site, 'baseUrl'> }

const DAYS = [1, 7, MAX_SHARE_DAYS].map((days) => [String(days), countOf(days, 'day')] as const)

export function SharePanel({ rfqId, shares, state, site }: Props) {
  const at = `${QUOTES_PATH}/${rfqId}/shares`
  return (
    <section class="share" id="share" aria-labelledby="share-title">
      <h3 id="share-title">Share these quotes</h3>
      <p>
        Make a link to show others that the ranking is fair. It shows the product, the quantity and the signed
        quotes. It doesn't show your place, your date, the sellers' terms or where to buy, and nobody can
        choose with it.
      </p>
      <Form action={at} label="Create link" kind="plain">
        <Select state={state} name="days" label="The link works for" options={DAYS} value="7" />
      </Form>
      {shares.length > 0 && (
        <ul class="rows" aria-label="Links that work now">
          {shares.map(({ id, expiresAt }, index) => (
            <li>
              <p class="share-link">
                <a id={`share-${index + 1}`} href={`${SHARED_PATH}/${id}`}>
                  {site.baseUrl}
                  {SHARED_PATH}/{id}
                </a>
                <span class="row-note">
                  Works until <Moment at={expiresAt} />
                </span>
              </p>
              <form class="line" method="post" action={`${at}/${id}/revoke`}>
                <button type="button" data-copy={`share-${index + 1}`} hidden>
                  Copy<span class="hidden"> link {index + 1}</span>
                </button>
                <button class="plain" type="submit">
                  Revoke<span class="hidden"> link {index + 1}</span>
                </button>
              </form>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
