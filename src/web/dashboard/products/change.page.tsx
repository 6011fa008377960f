/** The form that proposes a change of a profile, filled in with what the catalog says today. */
import type { ProductProfile } from '../../../catalog/profile.ts'
import { slugOf } from '../../../catalog/profile.ts'
import type { Relationship } from '../../../catalog/relationships.service.ts'
import { Check, Field, type FormState, Hidden, Select, TextArea } from '../../kit/fields.tsx'
import { Empty, Panel } from '../../kit/parts.tsx'
import { availabilityWords } from '../../kit/proposal-words.ts'
import type { Site } from '../../site.ts'
import { ActionForm, DashboardPage, type Visitor } from '../page.tsx'
import { changePath, ownProductPath, PRODUCTS_PATH } from '../paths.ts'
import { CHANGE_LABELS, type ChangeField, labelOf, marksOf, todayOf } from './change.form.ts'

type ChangePage = {
  site: Site
  visitor: Visitor
  profile: ProductProfile
  relationships: Relationship[]
  state: FormState
}

export function renderChange({ site, visitor, profile, relationships, state }: ChangePage): string {
  const slug = slugOf(profile)
  const verified = relationships.filter(({ status }) => status === 'verified')
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="Propose a change"
      lead={
        <>
          Of <a href={ownProductPath(slug)}>{profile.title}</a>. Type over what is wrong or missing; only what
          you change is proposed, and the operator looks at it before anything changes.
        </>
      }
      at={PRODUCTS_PATH}
      errors={state.errors}
    >
      {verified.length === 0 ? (
        <Empty>
          <p>Your claim to this product is not proved yet, so nothing can be proposed.</p>
          <p class="line">
            <a href={`${ownProductPath(slug)}#claims`}>See what proves it</a>
          </p>
        </Empty>
      ) : (
        visitor.may('edit') && (
          <ChangeForm
            visitor={visitor}
            profile={profile}
            state={state}
            isMaker={verified.some(({ type }) => type === 'manufactured_by')}
          />
        )
      )}
    </DashboardPage>,
  )
}

type FormProps = Pick<ChangePage, 'visitor' | 'profile' | 'state'> & { isMaker: boolean }

function ChangeForm({ visitor, profile, state, isMaker }: FormProps) {
  const today = todayOf(profile)
  const slug = slugOf(profile)
  const of = (name: ChangeField) => ({ state, name, label: CHANGE_LABELS[name], value: today[name] })
  const line = (name: ChangeField) => ({ ...of(name), autocomplete: 'off' })
  return (
    <Panel title="The profile">
      <ActionForm visitor={visitor} action={changePath(slug)} label="Propose the change">
        <Hidden name="was" value={state.values.was ?? marksOf(today)} />
        <fieldset class="field-group">
          <legend>What it is</legend>
          <Field {...line('title')} maxlength={200} />
          <Field {...line('model')} maxlength={300} />
          <TextArea {...of('description')} rows={6} maxlength={5_000} hint="Plain text" />
          <Select
            {...of('discontinued')}
            options={[
              ['no', availabilityWords(false)],
              ['yes', availabilityWords(true)],
            ]}
          />
          <Field
            {...line('released')}
            maxlength={10}
            hint="A year, a month or a day: 2025, 2025-03 or 2025-03-14"
          />
        </fieldset>
        <fieldset class="field-group">
          <legend>What buyers compare</legend>
          <TextArea {...of('specs')} rows={8} hint="One a line, such as Capacity: 1.7 l" />
          <TextArea {...of('best_for')} rows={3} hint="One a line" />
          <TextArea {...of('not_for')} rows={3} hint="One a line" />
        </fieldset>
        <fieldset class="field-group">
          <legend>Prices and shops</legend>
          <Field {...line('price_low')} maxlength={20} />
          <Field {...line('price_high')} maxlength={20} hint="Empty where there is one price" />
          <Field {...line('list_price')} maxlength={20} />
          <TextArea {...of('where_to_buy')} rows={4} hint="One a line: shop | address | price" />
        </fieldset>
        <fieldset class="field-group">
          <legend>Numbers</legend>
          <Field {...line('gtin')} maxlength={30} />
          <Field {...line('mpn')} maxlength={300} />
          <Field {...line('sku')} maxlength={300} />
        </fieldset>
        <fieldset class="field-group">
          <legend>Images</legend>
          <TextArea
            state={state}
            name="images"
            label={labelOf('images')}
            rows={3}
            hint="One a line: an address that begins with https, then what it shows. They are added to those there are."
          />
        </fieldset>
        <fieldset class="field-group">
          <legend>For the operator</legend>
          <TextArea
            state={state}
            name="evidence"
            label={labelOf('evidence')}
            rows={2}
            hint="Addresses of pages that show it is so, such as the data sheet; one a line, at most 5"
          />
          <TextArea state={state} name="note" label={labelOf('note')} rows={3} maxlength={1_000} />
          {isMaker && (
            <Check
              state={state}
              name="confirms_profile"
              label="As its maker, we confirm that the whole profile is right, together with these changes"
            />
          )}
        </fieldset>
      </ActionForm>
    </Panel>
  )
}
