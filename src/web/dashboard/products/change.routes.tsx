/**
 * /dashboard/products/:category/:slug/change: proposes a change of a profile. The form is filled in with what the catalog
 * says, and only what was changed in it is proposed. The form carries a mark of each value as it was shown, so a
 * profile that changes meanwhile is not proposed to be changed back.
 */
import { z } from 'zod'
import type { ProductImage, Spec } from '../../../catalog/catalog.schema.ts'
import { listSpecNames } from '../../../catalog/catalog.service.ts'
import {
  fieldValue,
  ImageAlt,
  PROPOSABLE_FIELDS,
  SubmitEnrichment,
} from '../../../catalog/enrichment.schema.ts'
import { submitEnrichment } from '../../../catalog/enrichment.service.ts'
import { uploadPicture } from '../../../catalog/picture-upload.service.ts'
import { type ProductProfile, slugOf } from '../../../catalog/profile.ts'
import { sha256 } from '../../../lib/crypto.ts'
import { AppError } from '../../../lib/errors.ts'
import { parseInput } from '../../../lib/validate.ts'
import { LIMITS } from '../../../pictures/decoder.limits.ts'
import { FORMATS } from '../../../pictures/picture.formats.ts'
import type { Page } from '../../kit/console.tsx'
import { FileField, Form, Hidden } from '../../kit/fields.tsx'
import {
  FieldGroups,
  type FieldSpec,
  Fields,
  type FormSpec,
  formOf,
  inForm,
  typedOf,
} from '../../kit/form.tsx'
import { optionsOf } from '../../kit/list.tsx'
import { Empty, Panel } from '../../kit/parts.tsx'
import { availabilityWords, FIELD_WORDS, IMAGE_PARTS, PROFILE_FIELDS } from '../../kit/proposal-words.ts'
import type { Dashboard, DashboardDeps, VisitorSeen } from '../guard.tsx'
import { changePath, ownProductPath } from '../paths.ts'
import { plainLines, readProductForm } from './lines.ts'
import { PRODUCT_PATH, pathOf, requireOwn } from './product.routes.tsx'

const PATH = `${PRODUCT_PATH}/change`

export const SPECS_FIELD: FieldSpec = {
  ...PROFILE_FIELDS.specs,
  paste: 'One spec per line, such as Capacity: 1.7 l. A spec with the same name is replaced.',
}
const PHRASES_PASTE = 'One per line.'

/** What the profile has, by the names of the interface. */
const PROFILE: FormSpec = {
  ...PROFILE_FIELDS,
  description: { ...PROFILE_FIELDS.description, hint: 'Plain text.' },
  discontinued: {
    ...{ kind: 'choice', label: FIELD_WORDS.discontinued },
    options: optionsOf({ no: availabilityWords(false), yes: availabilityWords(true) }),
  },
  released: {
    ...PROFILE_FIELDS.released,
    hint: 'A year, a month or a day: 2025, 2025-03 or 2025-03-14.',
  },
  specs: SPECS_FIELD,
  best_for: { ...PROFILE_FIELDS.best_for, paste: PHRASES_PASTE },
  not_for: { ...PROFILE_FIELDS.not_for, paste: PHRASES_PASTE },
  where_to_buy: { ...PROFILE_FIELDS.where_to_buy, paste: 'One shop per line: name | address | price.' },
}

const FORM: FormSpec = {
  ...PROFILE,
  images: {
    ...{ kind: 'rows', label: 'New images', ordered: true },
    hint: 'They are added to the images the product has, in this order.',
    parts: IMAGE_PARTS,
    paste: 'One image per line: its address, then what it shows.',
  },
  evidence: {
    ...{ kind: 'texts', label: 'Evidence', paste: 'One address per line.' },
    hint: 'Up to 5 pages that confirm your changes, such as a data sheet.',
  },
  note: { kind: 'long', label: 'Note to the operator', max: 1_000 },
  confirms_profile: {
    ...{ kind: 'check' },
    label: 'As the manufacturer, we confirm that the whole profile is correct, including these changes',
  },
}

const GROUPS = {
  Basics: ['title', 'model', 'description', 'discontinued', 'released'],
  'What buyers compare': ['specs', 'best_for', 'not_for'],
  'Prices and shops': ['price_low', 'price_high', 'list_price', 'where_to_buy'],
  Identifiers: ['gtin', 'mpn', 'sku'],
  Images: ['images'],
  'For the operator': ['evidence', 'note'],
}

/** What the form is filled in with. */
function valuesOf(profile: ProductProfile): Record<string, string> {
  const said = Object.fromEntries(PROPOSABLE_FIELDS.map((name) => [name, fieldValue(name, profile)]))
  const { low, high } = (said.price ?? {}) as { low?: number; high?: number }
  const discontinued = profile.discontinued ? 'yes' : 'no'
  return typedOf(PROFILE, { ...said, discontinued, price_low: low, price_high: high })
}

function marksOf(form: Record<string, string>): string {
  const { values, problems } = readProductForm(PROFILE, form)
  return Object.keys(PROFILE)
    .map((name) => `${name}:${markOf(values[name], problems[name])}`)
    .join(' ')
}

/** A problem that the catalog's own value has is part of the mark: only a new one is reported. */
function markOf(value: unknown, problem = ''): string {
  return sha256(JSON.stringify([plain(value) ?? '', problem]))
    .toString('hex')
    .slice(0, 12)
}

type Change = {
  /** As the interface has them, without specs. */
  fields: Record<string, unknown>
  /** All that the form holds; undefined when they were not changed. */
  specs: Spec[] | undefined
  images: ProductImage[]
  evidence: string[]
  note: string | null
  confirms: boolean
}

const ChangeForm = z.record(z.string(), z.string()).transform((form, check): Change => {
  const { values, problems } = readProductForm(FORM, form)
  const marks = new Map((form.was ?? '').split(' ').map((one) => one.split(':') as [string, string]))
  /** A form without marks states what it holds: then an empty field says nothing. */
  const isChanged = (name: string) => {
    if (!Object.keys(form).some((key) => key === name || key.startsWith(`${name}.`))) return false
    const [mark, problem] = [marks.get(name), problems[name]]
    if (mark !== undefined) return mark !== markOf(values[name], problem)
    return !isEmpty(values[name]) || problem !== undefined
  }
  const changed = Object.keys(PROFILE).filter(isChanged)
  const { price_low: low, price_high: high } = values as { price_low?: number; price_high?: number }
  const refuse = (name: string, message: string) =>
    check.issues.push({ code: 'custom', path: [name], message, input: undefined })
  for (const [name, message] of Object.entries(problems))
    if (!Object.hasOwn(PROFILE, name) || changed.includes(name)) refuse(name, message)
  if (changed.includes('title') && isEmpty(values.title)) refuse('title', 'Enter a title.')
  const repriced = changed.includes('price_low') || changed.includes('price_high')
  if (repriced && low !== undefined && high !== undefined && low > high)
    refuse('price_low', 'The lowest price is above the highest price.')

  const fields: Record<string, unknown> = {}
  for (const name of changed)
    if (name === 'price_low' || name === 'price_high')
      fields.price = low === undefined && high === undefined ? null : { low: low ?? high, high: high ?? low }
    else if (name === 'discontinued') fields.discontinued = values.discontinued === 'yes'
    else if (name !== 'specs') fields[name] = isEmpty(values[name]) ? null : plain(values[name])
  return {
    fields,
    specs: changed.includes('specs') ? (values.specs as Spec[]) : undefined,
    images: values.images as ProductImage[],
    evidence: values.evidence as string[],
    note: plainLines(form.note ?? '') || null,
    confirms: values.confirms_profile === true,
  }
})

function plain(value: unknown): unknown {
  return typeof value === 'string' ? plainLines(value) : value
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : value === undefined || plain(value) === ''
}

/** With the names that products of the category use, the most used first. */
async function suggestingSpecs(
  ctx: Pick<DashboardDeps['ctx'], 'db' | 'clock'>,
  category: string,
): Promise<FieldSpec> {
  const known = await listSpecNames(ctx, category)
  const { name, value } = PROFILE_FIELDS.specs.parts
  return { ...SPECS_FIELD, parts: { name: { ...name, known }, value } }
}

export function mountChange(dashboard: Dashboard, { ctx, pictures }: DashboardDeps): void {
  async function show({ c, visitor, state }: VisitorSeen): Promise<Page> {
    const { profile, relationships } = await requireOwn(ctx, c, visitor)
    const slug = slugOf(profile)
    const verified = relationships.filter(({ status }) => status === 'verified')
    const isMaker = verified.some(({ type }) => type === 'manufactured_by')
    const today = valuesOf(profile)
    const values = 'was' in state.values ? state.values : { ...today, ...state.values }
    const operator = [...GROUPS['For the operator'], ...(isMaker ? ['confirms_profile'] : [])]
    return {
      title: 'Propose a change',
      lead: (
        <>
          To <a href={ownProductPath(slug)}>{profile.title}</a>. Change what is wrong or missing. We send only
          your changes, and the operator reviews them first.
        </>
      ),
      body:
        verified.length === 0 ? (
          <Empty>
            <p>Your claim to this product isn’t verified yet, so you can’t propose changes.</p>
            <p class="line">
              <a href={`${ownProductPath(slug)}#claims`}>See how to verify it</a>
            </p>
          </Empty>
        ) : (
          visitor.may('edit') && (
            <>
              <Panel title="Profile">
                <Form action={changePath(slug)} label="Send for review">
                  <Hidden name="was" value={state.values.was ?? marksOf(today)} />
                  <FieldGroups
                    of={{ ...FORM, specs: await suggestingSpecs(ctx, profile.category.slug) }}
                    state={{ ...state, values }}
                    groups={{ ...GROUPS, 'For the operator': operator }}
                  />
                </Form>
              </Panel>
              <Panel title="Upload an image" lead="We keep our own copy, without metadata such as places.">
                <Form
                  action={`${ownProductPath(slug)}/picture`}
                  enctype="multipart/form-data"
                  label="Upload and send for review"
                >
                  <FileField {...{ state, label: 'Image file', accept: ACCEPTED }} hint={FILE_HINT} />
                  <Fields of={UPLOAD} state={state} />
                </Form>
              </Panel>
            </>
          )
        ),
    }
  }

  dashboard.page(PATH, 'edit', show)

  dashboard.action(PATH, {
    schema: ChangeForm,
    async act({ c, act, visitor, input }) {
      const { profile } = await requireOwn(ctx, c, visitor)
      const { fields, specs, confirms, ...rest } = input
      try {
        const request = parseInput(SubmitEnrichment, {
          product_slug: slugOf(profile),
          fields: { ...fields, ...(specs && changedSpecs(specs, profile.specs)) },
          confirms_profile: confirms,
          ...rest,
        })
        const { created } = await submitEnrichment(ctx, act, request)
        return `${pathOf(c)}?done=${created ? 'proposed' : 'proposed_same'}`
      } catch (error) {
        throw inFormWords(error)
      }
    },
  })

  dashboard.action(`${PRODUCT_PATH}/picture`, {
    schema: UploadForm,
    page: show,
    right: 'edit',
    from: (c) => `${pathOf(c)}/change`,
    upload: { field: 'file', maxBytes: LIMITS.bytes },
    async act({ c, act, visitor, input, file }) {
      const { profile } = await requireOwn(ctx, c, visitor)
      if (!file) throw new AppError('invalid', 'Choose a file.', { field: 'file' })
      const { created } = await uploadPicture({ ...ctx, pictures }, act, {
        productSlug: { category: profile.category.slug, slug: profile.slug },
        bytes: await file.bytes(),
        alt: input.shows,
        field: 'file',
      })
      return `${pathOf(c)}?done=${created ? 'proposed' : 'proposed_same'}`
    },
  })
}

const ACCEPTED = FORMATS.map((format) => `image/${format}`).join()
const FILE_HINT = `JPEG, PNG, WebP, GIF or AVIF, up to ${LIMITS.bytes / 1024 ** 2} MB and ${LIMITS.pixels / 1_000_000} megapixels.`
const UPLOAD: FormSpec = { shows: { kind: 'text', label: 'What the image shows', max: 300 } }
const UploadForm = formOf(UPLOAD, z.object({ shows: ImageAlt }))

/**
 * Of the specs in the form, those that are new or say something else. A proposal adds and corrects specs by name, or
 * clears them all; it cannot remove a single one, so a form that does is refused.
 */
function changedSpecs(typed: Spec[], today: readonly Spec[]): { specs?: Record<string, string> | null } {
  if (typed.length === 0) return { specs: null }
  const key = ({ name }: Spec) => name.toLowerCase()
  const kept = new Set(typed.map(key))
  const gone = today.find((spec) => !kept.has(key(spec)))
  if (gone)
    throw new AppError(
      'invalid',
      `specs: “${gone.name}” is missing. You can add and correct specs here, or clear them all, but not remove just one. Put it back, and ask the operator in the note to remove it`,
      { field: 'specs' },
    )
  const known = new Map(today.map((spec) => [key(spec), spec.value]))
  const differing = typed.filter((spec) => known.get(key(spec)) !== spec.value)
  if (differing.length === 0) return {}
  return { specs: Object.fromEntries(differing.map(({ name, value }) => [name, value])) }
}

function inFormWords(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  if (error.field === 'fields')
    return new AppError('invalid', 'You haven’t changed anything yet.', { cause: error })
  if (error.code === 'no_verified_relationship')
    return new AppError(error.kind, 'Your claim doesn’t allow this. Verify it first.', {
      ...{ code: error.code, cause: error },
    })
  const place = (field: string) => field.replace(/^fields\./, '').split('.')[0] ?? ''
  return inForm(FORM, error, (field) => (place(field) === 'price' ? 'price_low' : place(field)))
}
