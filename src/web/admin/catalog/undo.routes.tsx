/** /admin/undo/:id: takes back what was done to the catalog, after saying what that is; and what all pages that edit it share. */
import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import { undoManaged, viewManagedAction } from '../../../catalog/manage-undo.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { Ago } from '../../components/moment.tsx'
import { countOf, formatCount, humanized } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { Field, Form, type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { type FormSpec, typedOf } from '../../kit/form.tsx'
import { Confirm, Facts, LinkButton, Panel } from '../../kit/parts.tsx'
import type { Admin, AdminDeps, AdminSeen } from '../guard.ts'
import { AUDIT, PRODUCTS, UNDO } from '../nav.ts'

const NAMED_FIRST = 20

export function UndoLink({ batch }: { batch: string }) {
  return <a href={`${UNDO}/${encodeURIComponent(batch)}`}>Undo</a>
}

/** What the page of one thing says after an edit that led to `editedAt`. */
export function editWords(c: Context) {
  const batch = c.req.query('batch')
  return {
    saved: <>Saved. {batch && <UndoLink batch={batch} />}</>,
    unchanged: 'Nothing to change: it has these values.',
  }
}

export function editedAt(page: string, batch: string | null): string {
  return `${page}?done=${batch === null ? 'unchanged' : `saved&batch=${batch}`}`
}

/** Of a page with the form of a thing and smaller ones: a refused one leaves the others as they are stored. */
export function twoForms(state: FormState, of: FormSpec, stored: Readonly<Record<string, unknown>>) {
  const isTyped = Object.keys(of).some((name) => state.values[name] !== undefined)
  return isTyped
    ? { isTyped, filled: state, other: UNTOUCHED }
    : { isTyped, filled: { values: typedOf(of, stored), errors: {} }, other: state }
}

/** Takes the name of the one that stays; `suggest` says what is found while somebody types. */
export function MergeInto(props: {
  to: string
  what: 'brand' | 'product'
  label: string
  state: FormState
  children?: Child
}) {
  const { to, what, label, state, children } = props
  const [list, suggest] = [`${what}s-found`, `${what}s`]
  return (
    <Confirm ask={`Merge into another ${what}`} open={state.errors.into !== undefined}>
      <p>{children}</p>
      <Form action={`${to}/merge`} kind="danger" label="Merge">
        <Field {...{ state, name: 'into', label, list, suggest }} autocomplete="off" required />
        <datalist id={list} />
      </Form>
    </Confirm>
  )
}

export function mountUndo(admin: Admin, { ctx }: AdminDeps): void {
  async function show({ id, c }: AdminSeen): Promise<Page> {
    const action = await viewManagedAction(ctx, id)
    if (!action) throw new AppError('not_found', 'There is nothing to undo here.')
    const { names, at } = action
    const [changed, kept] = [Number(c.req.query('changed')), Number(c.req.query('kept'))]
    return {
      title: 'Undo',
      at: AUDIT,
      said: {
        undone: `${formatCount(changed || 0)} changed back${kept > 0 ? `; ${formatCount(kept)} stay, because they are gone or were changed again` : ''}.`,
      },
      actions: <LinkButton to={PRODUCTS} label="All products" />,
      body: (
        <Panel title={humanized(action.action)}>
          <Facts
            facts={[
              ['When', <Ago at={at} now={ctx.clock.now()} />],
              ['What', countOf(names.length, 'thing')],
              ['Names', `${names.slice(0, NAMED_FIRST).join(', ')}${names.length > NAMED_FIRST ? ' …' : ''}`],
            ]}
          />
          <p class="soft">What was changed again since stays as it is.</p>
          <Form action={`${UNDO}/${id}`} label="Undo" />
        </Panel>
      ),
    }
  }
  admin.page(`${UNDO}/:id`, show)
  admin.action(`${UNDO}/:id`, {
    shows: true,
    async act({ id, operator: { by } }) {
      const { changed, kept } = await undoManaged(ctx, { by, batch: id })
      return `${UNDO}/${id}?done=undone&changed=${changed}&kept=${kept}`
    },
  })
}
