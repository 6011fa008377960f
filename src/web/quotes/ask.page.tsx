/** The form for quotes on a page of its own: filled in from a link, or shown again with what was wrong. */
import { type ProductProfile, productPath } from '../../catalog/profile.ts'
import { NarrowPage } from '../components/narrow-page.tsx'
import { SEARCH_PATH } from '../components/search-box.tsx'
import { ErrorSummary, type FormState } from '../kit/fields.tsx'
import type { Site } from '../site.ts'
import { AskForm } from './ask-form.tsx'

type AskPage = { site: Site; profile: ProductProfile | null; state: FormState }

export function renderAskPage({ site, profile, state }: AskPage): string {
  if (profile === null) return renderNoProduct({ site, state })
  return String(
    <NarrowPage site={site} title={`Ask for quotes: ${profile.title}`}>
      <ErrorSummary errors={state.errors} />
      <AskForm profile={profile} state={state} />
      <p>
        <a href={productPath(profile)}>Back to {profile.title}</a>
      </p>
    </NarrowPage>,
  )
}

function renderNoProduct({ site, state }: Pick<AskPage, 'site' | 'state'>): string {
  const named = state.values.product_slug?.trim()
  return String(
    <NarrowPage
      site={site}
      title="Ask for quotes"
      lead={
        named
          ? 'The product you asked about is not in the catalog. It may have been removed, or the link has a mistake.'
          : 'Quotes are asked for on the page of a product.'
      }
    >
      <p>Find the product, then ask everyone who sells it.</p>
      <p>
        <a class="button" href={SEARCH_PATH}>
          Find a product
        </a>
      </p>
    </NarrowPage>,
  )
}
