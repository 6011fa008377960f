/** The page on which one product is saved, or what is saved of it changed; a refused form comes back to it. */
import { canonicalSlug, type ProductProfile, priceRange, productPath } from '../../catalog/profile.ts'
import type { ListCount, SavedEntry } from '../../saved/saved.schema.ts'
import { Day } from '../components/moment.tsx'
import { NarrowPage } from '../components/narrow-page.tsx'
import { Picture } from '../components/picture.tsx'
import { ErrorSummary, Form, type FormState, Hidden } from '../kit/fields.tsx'
import type { Site } from '../site.ts'
import { ListNames, SavedFields } from './saved.fields.tsx'
import { addPath, SAVED_PATH } from './saved.filter.ts'
import { priceWhenSaved } from './saved.words.ts'

export type FormPage = {
  site: Site
  profile: ProductProfile
  /** Where it is saved already. */
  entries: SavedEntry[]
  /** The one of them that the form changes; null for one more. */
  entry: SavedEntry | null
  lists: ListCount[]
  state: FormState
  /** The view of the list to go back to. */
  back: string
}

export function renderSavedForm(page: FormPage): string {
  const { site, profile, entries, entry, lists, state, back } = page
  const named = canonicalSlug({ slug: profile.slug, category: profile.category.slug })
  return String(
    <NarrowPage site={site} title={entry ? 'Change what you saved' : 'Save this product'}>
      <ErrorSummary errors={state.errors} />
      <div class="saved-product">
        <div class="saved-picture">
          <Picture profile={profile} decorative />
        </div>
        <p>
          <a href={productPath(profile)}>{profile.title}</a>
          <span class="row-note">{priceRange(profile) ?? 'Price unknown'}</span>
        </p>
      </div>
      {entry ? <SavedAlready entry={entry} /> : <Elsewhere entries={entries} />}
      <Form action={SAVED_PATH} label={entry ? 'Save changes' : 'Save'}>
        <Hidden name="p" value={named} />
        <Hidden name="from" value={entry?.list} />
        <Hidden name="back" value={back} />
        <SavedFields state={state} />
      </Form>
      <ul class="ways">
        {entry && (
          <li>
            <a href={addPath(named, { another: '1' })}>Save it to another list too</a>
          </li>
        )}
        <li>
          <a href={SAVED_PATH}>Your saved products</a>
        </li>
      </ul>
      <ListNames names={lists.map(({ name }) => name)} />
    </NarrowPage>,
  )
}

function SavedAlready({ entry }: { entry: SavedEntry }) {
  const then = priceWhenSaved(entry)
  return (
    <p class="aside">
      You saved it <Day at={entry.savedAt} /> on the list “{entry.list}”{then !== null && `, at ${then}`}.
    </p>
  )
}

function Elsewhere({ entries }: { entries: SavedEntry[] }) {
  if (entries.length === 0) return null
  return <p class="aside">It is on {entries.map(({ list }) => `“${list}”`).join(', ')} already.</p>
}
