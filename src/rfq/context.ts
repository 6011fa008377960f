/** What the RFQ engine works with; made once at start. */
import type { OfferLookup } from '../catalog/promoted-offer.ts'
import { createSecretBox, type SecretBox } from '../lib/crypto.ts'
import { createNews, type News } from '../lib/news.ts'
import type { OrgsContext } from '../orgs/context.ts'
import { PRICING_FLOORS } from '../pricing/pricing.service.ts'
import { createRfqLooks, type RfqLooks } from './looks.ts'
import { PUSH_SECRETS } from './pushes.service.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { createSigningKeys, type SigningKeys } from './signing-keys.service.ts'

export type RfqContext = OrgsContext & {
  rfqDeadlineMs: number
  signingKeys: SigningKeys
  /** Seals the floors of managed pricing. */
  pricingSecrets: SecretBox
  /** Seals what push notifications are sent with. */
  pushSecrets: SecretBox
  news: News
  looks: RfqLooks
  recorder: Recorder
  offers: OfferLookup
}

export function createRfqContext(
  orgs: OrgsContext,
  { secret, rfqDeadlineMs, offers }: { secret: string; rfqDeadlineMs: number; offers: OfferLookup },
): RfqContext {
  return {
    ...orgs,
    rfqDeadlineMs,
    signingKeys: createSigningKeys(orgs, secret),
    pricingSecrets: createSecretBox(secret, PRICING_FLOORS.purpose),
    pushSecrets: createSecretBox(secret, PUSH_SECRETS.purpose),
    news: createNews(),
    looks: createRfqLooks(),
    recorder: createRecorder(orgs.db),
    offers,
  }
}
