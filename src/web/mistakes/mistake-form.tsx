/**
 * The form by which readers report what is wrong with a product. It stands on the product's page, which is cached and the
 * same for everybody, so it holds nothing of its reader.
 */
import { MAX_MISTAKE, MISTAKE_KINDS, type MistakeKind } from '../../catalog/mistakes.schema.ts'
import { type ProductProfile, productPath } from '../../catalog/profile.ts'
import { Form, type FormState, UNTOUCHED } from '../kit/fields.tsx'
import { Fields, type FormSpec } from '../kit/form.tsx'

export const MISTAKE_WORDS: Record<MistakeKind, string> = {
  price: 'Price',
  spec: 'Spec',
  picture: 'Picture',
  wrong_product: 'Wrong product',
  discontinued: 'No longer sold',
  other: 'Something else',
}

const FORM: FormSpec = {
  kind: {
    ...{ kind: 'choice', label: 'What is wrong?' },
    options: MISTAKE_KINDS.map((kind) => [kind, MISTAKE_WORDS[kind]]),
  },
  text: {
    ...{ kind: 'long', label: 'Details', max: MAX_MISTAKE, required: true },
    hint: 'What should it say, and where can we check it?',
  },
  email: {
    ...{ kind: 'email', label: 'Email (optional)', max: 254, autocomplete: 'email' },
    hint: 'We use it only to answer you.',
  },
}

export function mistakesPath(profile: ProductProfile): string {
  return `${productPath(profile)}/mistakes`
}

export function MistakeForm({ profile, state = UNTOUCHED }: { profile: ProductProfile; state?: FormState }) {
  return (
    <Form action={mistakesPath(profile)} label="Send report">
      <Fields of={FORM} state={state} />
    </Form>
  )
}

export function ReportMistake({ profile }: { profile: ProductProfile }) {
  return (
    <details class="report-mistake">
      <summary>Report a mistake</summary>
      <MistakeForm profile={profile} />
    </details>
  )
}
