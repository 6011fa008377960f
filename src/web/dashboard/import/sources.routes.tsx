/**
 * /dashboard/sources: feeds that an organization lets us fetch on a schedule. Their rows become proposals, as those of an
 * imported file do. A source may begin with a file that was imported from its address, and then reads it the same way.
 */
import type { Context } from 'hono'
import { z } from 'zod'
import { DRAFT_SOURCES, type Draft } from '../../../catalog/import-drafts.schema.ts'
import { getDraft } from '../../../catalog/import-drafts.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { intervalWords, shownUrl } from '../../../sources/source-words.ts'
import { MOST_SOURCES, SourceInput, type SourceView } from '../../../sources/sources.schema.ts'
import {
  addSource,
  changeSource,
  getSource,
  listRuns,
  listSources,
  removeSource,
} from '../../../sources/sources.service.ts'
import {
  SOURCE_LIST,
  StepForm,
  sourceForm,
  sourcePage,
  sourceRows,
  takeStep,
} from '../../admin/sources/source-parts.tsx'
import type { Page } from '../../kit/console.tsx'
import { Hidden } from '../../kit/fields.tsx'
import { FormPanel, filledIn, formOf } from '../../kit/form.tsx'
import { Action, LinkButton } from '../../kit/parts.tsx'
import type { Dashboard, DashboardDeps, Visitor, VisitorSeen } from '../guard.tsx'
import { IMPORT_PATH, ORGANIZATION_PATH, SOURCES_PATH } from '../paths.ts'

const SOURCE_PATH = `${SOURCES_PATH}/:id`
const SAID = {
  added: 'Source added. It runs within a minute.',
  changed: 'Settings saved.',
  run: 'The source is running. Reload this page to see the result.',
  paused: 'Source paused.',
  resumed: 'Source resumed. It runs within a minute.',
  rejected: 'File rejected. Nothing was proposed.',
  removed: 'Source removed. What it proposed stays.',
}
const LIST = { ...SOURCE_LIST, path: SOURCES_PATH }
const FORM = sourceForm({ isSeller: true, isFile: false })
const NewSource = SourceInput.extend({ draft_id: z.string().max(40).nullable().default(null) })
const NEW_FORM = { ...FORM, draft_id: { kind: 'text', label: 'File', empty: 'null' } } as const

export function mountSellerSources(dashboard: Dashboard, { ctx, sources }: DashboardDeps): void {
  const whoOf = ({ caller }: Visitor) => ({ caller, visit: { ip: null, userAgent: null, requestId: null } })

  dashboard.list<SourceView, typeof LIST.filters>(LIST, 'edit', async (seen) => {
    const { c, visitor, state, asked } = seen
    const found = await listSources(sources, whoOf(visitor))
    const draft = await draftOf(visitor, state.values.draft_id ?? c.req.query('draft') ?? '')
    const now = ctx.clock.now()
    const isVerified = visitor.org.verificationStatus === 'verified'
    const filled = filledIn(state, FORM, { url: draft?.url ?? null, every_minutes: 1_440, auth: 'none' })
    return {
      title: 'Sources',
      lead: 'Give us the address of your product feed, and we read it on a schedule. What is new becomes a proposal, as with an import.',
      said: SAID,
      actions: <LinkButton to={IMPORT_PATH} label="Import a file" />,
      ...sourceRows(found, asked, { pathOf, whereWords, now }),
      empty: <p>No sources yet.</p>,
      below: isVerified ? (
        found.length < MOST_SOURCES.seller && (
          <FormPanel
            title="Add a source"
            lead={
              draft
                ? `We read it as you set up ${draft.fileName}.`
                : 'If your columns have unusual names, import the address once first and choose what they are.'
            }
            action={SOURCES_PATH}
            label="Add source"
            of={FORM}
            state={filled}
          >
            {draft && <Hidden name="draft_id" value={draft.id} />}
          </FormPanel>
        )
      ) : (
        <p class="aside">
          Sources are for organizations with a verified domain.{' '}
          <a href={ORGANIZATION_PATH}>Verify your domain</a>
        </p>
      ),
    }
  })
  dashboard.action(SOURCES_PATH, {
    schema: formOf(NEW_FORM, NewSource),
    async act({ act, visitor, input: { draft_id: draftId, ...input } }) {
      const draft = draftId === null ? null : await draftOf(visitor, draftId)
      const rules = draft ? { format: draft.source, mapping: draft.mapping } : {}
      return `${pathOf(await addSource(sources, act, { ...input, rules }))}?done=added`
    },
  })

  async function show({ c, visitor, state }: VisitorSeen): Promise<Page> {
    const id = idOf(c)
    const source = await getSource(sources, whoOf(visitor), id)
    const runs = await listRuns(sources, whoOf(visitor), id)
    return sourcePage({
      ...{ source, runs, at: SOURCES_PATH, where: whereWords(source), said: SAID, state, isSeller: true },
      now: ctx.clock.now(),
      labels: { check: 'Check without proposing', full: 'Read again in full' },
      remove: (
        <Action to={`${pathOf(id)}/delete`} ask="Remove this source" label="Remove source" kind="danger">
          <p>Removes its settings and its history. What it proposed stays.</p>
        </Action>
      ),
    })
  }
  /** For buttons beside the settings: what they send is not what is typed there. */
  const showAgain = ({ state: { errors }, ...seen }: VisitorSeen) =>
    show({ ...seen, state: { values: {}, errors } })

  dashboard.page(SOURCE_PATH, 'edit', show)
  dashboard.action(SOURCE_PATH, {
    schema: formOf(FORM, SourceInput),
    async act({ c, act, input }) {
      await changeSource(sources, act, idOf(c), input)
      return `${pathOf(idOf(c))}?done=changed`
    },
  })
  dashboard.action(`${SOURCE_PATH}/run`, {
    ...{ schema: StepForm, page: showAgain },
    async act({ c, act, input }) {
      return `${pathOf(idOf(c))}?done=${await takeStep(sources, act, idOf(c), input)}`
    },
  })
  dashboard.action(`${SOURCE_PATH}/delete`, {
    page: showAgain,
    done: `${SOURCES_PATH}?done=removed`,
    act: ({ c, act }) => removeSource(sources, act, { id: idOf(c) }),
  })

  /** A file that was imported from an address; null when it is gone, or was uploaded. */
  async function draftOf({ caller }: Visitor, id: string): Promise<Draft | null> {
    if (id === '') return null
    try {
      const { draft } = await getDraft(ctx, caller, id)
      return draft.url !== null && DRAFT_SOURCES.includes(draft.source) ? draft : null
    } catch (error) {
      if (error instanceof AppError && error.kind === 'not_found') return null
      throw error
    }
  }
}

function pathOf(id: string): string {
  return `${SOURCES_PATH}/${id}`
}

function idOf(c: Context): string {
  return c.req.param('id') ?? ''
}

function whereWords({ url, everyMinutes }: SourceView): string {
  return `${shownUrl(url ?? '')}, ${intervalWords(everyMinutes).toLowerCase()}`
}
