/**
 * The fields an organization is described by, as the page that registers one and the page that changes one have them, and
 * how they are read: by the schemas of the API, with an empty field standing for none.
 */
import { z } from 'zod'
import type { Org, OrgType } from '../../../orgs/orgs.schema.ts'
import { EditBody, NAME_MAX, RegisterBody } from '../../../orgs/orgs.schema.ts'
import { Field, type FormState, Select } from '../../kit/fields.tsx'

export const TYPE_WORDS: Record<OrgType, string> = {
  manufacturer: 'Manufacturer',
  retailer: 'Retailer',
  distributor: 'Distributor',
}

export const RegisterForm = fromForm(RegisterBody)

/** The domain has a form of its own: changing it takes away what hung on the old one. */
export const ProfileForm = fromForm(EditBody.omit({ domain: true }))
export const DomainForm = fromForm(
  EditBody.pick({ domain: true }).required().extend({
    /** The proved domain that the form said would be given up. */
    gives_up: z.string().nullish(),
  }),
)

function fromForm<Output>(schema: z.ZodType<Output>) {
  return z.record(z.string(), z.string()).transform((form, check): Output => {
    const given = Object.fromEntries(
      Object.entries(form).map(([name, text]) => [name, text.trim() === '' && name !== 'name' ? null : text]),
    )
    const read = schema.safeParse(given)
    if (read.success) return read.data
    for (const issue of read.error.issues)
      check.addIssue({ code: 'custom', path: [...issue.path], message: wordsFor(issue) })
    return z.NEVER
  })
}

function wordsFor(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small') return 'Enter a name.'
  if (issue.code === 'too_big') return `Use at most ${issue.maximum} characters.`
  if (issue.code === 'invalid_value') return 'Choose one of these.'
  return issue.code === 'invalid_type' ? 'Fill this in.' : issue.message
}

export function NameField({ state, org }: { state: FormState; org?: Org }) {
  return (
    <Field
      state={state}
      name="name"
      label="Name"
      hint="As buyers know you."
      autocomplete="organization"
      maxlength={NAME_MAX}
      value={org?.name}
      required
    />
  )
}

export function TypeField({ state, org }: { state: FormState; org?: Org }) {
  return (
    <Select
      state={state}
      name="org_type"
      label="What you are"
      options={Object.entries(TYPE_WORDS)}
      value={org?.orgType ?? 'retailer'}
    />
  )
}

export function DomainField({ state, org, hint }: { state: FormState; org?: Org; hint: string }) {
  return (
    <Field
      state={state}
      name="domain"
      label={org === undefined ? 'Domain (optional)' : 'Domain'}
      hint={hint}
      autocomplete="off"
      value={org?.domain ?? undefined}
    />
  )
}

export function PlaceFields({ state, org }: { state: FormState; org?: Org }) {
  return (
    <>
      <Field
        state={state}
        name="website_url"
        label="Website (optional)"
        type="url"
        hint="For example https://www.acme.example"
        autocomplete="url"
        value={org?.websiteUrl ?? undefined}
      />
      <Field
        state={state}
        name="shopify_shop"
        label="Shopify shop (optional)"
        hint="For example acme.myshopify.com"
        autocomplete="off"
        value={org?.shopifyShop ?? undefined}
      />
    </>
  )
}
