/** /admin/undo/:id: takes back what was done to the catalog, after saying what that is. */
import { z } from 'zod'
import { undoManaged, viewManagedAction } from '../../../catalog/manage-undo.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { Ago } from '../../components/moment.tsx'
import { countOf, formatCount, humanized } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { Form } from '../../kit/fields.tsx'
import { Facts, LinkButton, Panel } from '../../kit/parts.tsx'
import type { Admin, AdminDeps, AdminSeen } from '../guard.ts'
import { AUDIT, PRODUCTS, UNDO } from '../nav.ts'

const NAMED_FIRST = 20

export function UndoLink({ batch }: { batch: string }) {
  return <a href={`${UNDO}/${encodeURIComponent(batch)}`}>Undo</a>
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
    ...{ schema: z.object({}), shows: true },
    async act({ id, operator: { by } }) {
      const { changed, kept } = await undoManaged(ctx, { by, batch: id })
      return `${UNDO}/${id}?done=undone&changed=${changed}&kept=${kept}`
    },
  })
}
