/** Sharing a completed request: a form that makes a link, and the links that work now. */
import { SHARED_PATH } from '../../rfq/buyer.routes.ts'
import { MAX_SHARE_DAYS, type Share } from '../../rfq/share.service.ts'
import { Moment } from '../components/moment.tsx'
import { countOf } from '../format.ts'
import { Form, type FormState, Select } from '../kit/fields.tsx'
import { SharedLinks } from '../shared-links.tsx'
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
      <SharedLinks
        {...{ at, shares, class: 'rows', address: { baseUrl: site.baseUrl, path: SHARED_PATH } }}
        note={({ expiresAt }) => (
          <>
            Works until <Moment at={expiresAt} />
          </>
        )}
      />
    </section>
  )
}
