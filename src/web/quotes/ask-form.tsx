/** The form that asks every seller of a product, on its page. */
import { type ProductProfile, productPath } from '../../catalog/profile.ts'

export const QUOTES_PATH = '/quotes'

export function AskForm({ profile }: { profile: ProductProfile }) {
  return <p class="soft">{productPath(profile)}</p>
}
