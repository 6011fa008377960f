/** Proposing a product that the catalog does not have. */
import { listCategories } from '../../../catalog/catalog.service.ts'
import { findNamedProduct } from '../../../catalog/relationships.service.ts'
import { getOwnSubmission, submitProduct } from '../../../catalog/submissions.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { hasRight } from '../../../orgs/producer.ts'
import { UNTOUCHED } from '../../kit/fields.tsx'
import { asSentences } from '../../kit/parts.tsx'
import { sendPage, wantsJson } from '../../page.http.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard } from '../guard.ts'
import { renderNotAllowed } from '../page.tsx'
import { NEW_PRODUCT_PATH, PRODUCTS_PATH } from '../paths.ts'
import { isNewField, NEW_LABELS, NewForm, valuesOf } from './new.form.ts'
import { renderNew } from './new.page.tsx'
import { forForm } from './words.ts'

export function mountNew(dashboard: Dashboard, deps: DashboardDeps): void {
  const { site, ctx } = deps

  dashboard.get(NEW_PRODUCT_PATH, 'edit', async (c, visitor) => {
    const from = c.req.query('from')
    const known = from === undefined ? null : await getOwnSubmission(ctx, visitor, { submissionId: from })
    const state = known ? { values: valuesOf(known), errors: {} } : UNTOUCHED
    const editing = known?.status === 'pending'
    const categories = await listCategories(ctx)
    return sendPage(c, renderNew({ site, visitor, categories, state, match: null, editing }))
  })

  dashboard.post(NEW_PRODUCT_PATH, {
    schema: NewForm,
    page: NEW_PRODUCT_PATH,
    async render({ visitor, state }) {
      if (!hasRight(visitor.role, 'edit')) return renderNotAllowed(site, visitor, 'edit')
      const categories = await listCategories(ctx)
      return renderNew({ site, visitor, categories, state, match: null, editing: false })
    },
    async act({ c, act, visitor, input: { request, values } }) {
      try {
        const { created, changed } = await submitProduct(ctx, act, request)
        const done = created ? 'proposed' : changed ? 'proposed_again' : 'proposed_same'
        return `${PRODUCTS_PATH}?done=${done}`
      } catch (error) {
        const [slug] = error instanceof AppError && error.kind === 'conflict' ? (error.valid ?? []) : []
        const match = slug === undefined ? null : await findNamedProduct(ctx, slug)
        if (!match || wantsJson(c)) throw inFormWords(error)
        const errors = asSentences({ '': 'the catalog has this product already, so nothing was proposed' })
        const categories = await listCategories(ctx)
        const state = { values, errors }
        return sendPage(c, renderNew({ site, visitor, categories, state, match, editing: false }), {
          status: 409,
        })
      }
    },
  })
}

/** A number of another product can be claimed or corrected here; the slug that the service speaks of has no field. */
function inFormWords(error: unknown): unknown {
  const placed = forForm(error, (field) => {
    const top = field.split('.')[0] ?? ''
    return isNewField(top) ? { name: top, label: NEW_LABELS[top] } : null
  })
  if (!(placed instanceof AppError) || placed.kind !== 'conflict') return placed
  const { kind, code, field, max } = placed
  return new AppError(kind, placed.message.replace(/, or give slug .*$/, ''), {
    code,
    field,
    max,
    cause: error,
  })
}
