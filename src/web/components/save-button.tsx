/**
 * The button that saves a product in one click. Pages are the same for everybody, so it says nothing of who looks: it
 * sends the one form of the page, which the layout has, because a form cannot stand within another.
 */
import { type ProductProfile, slugOf } from '../../catalog/profile.ts'

const SAVE_FORM = 'save'
export const SAVE_PATH = '/saved/add'

export function SaveForm() {
  return <form id={SAVE_FORM} method="post" action={SAVE_PATH} hidden />
}

export function SaveButton({ profile, kind }: { profile: ProductProfile; kind: 'button plain' | 'link' }) {
  return (
    <button class={kind} type="submit" form={SAVE_FORM} name="p" value={slugOf(profile)}>
      Save<span class="hidden"> {profile.title}</span>
    </button>
  )
}
