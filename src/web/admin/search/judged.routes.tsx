/** /admin/tuning/judged: the operator's own judged queries, by which a change of the search rules is measured. */
import fs from 'node:fs'
import { z } from 'zod'
import { productPath } from '../../../catalog/profile.ts'
import { projectFile } from '../../../lib/paths.ts'
import {
  addJudgements,
  type Judgement,
  listJudgements,
  removeJudgement,
} from '../../../search/tuning.service.ts'
import { formatCount } from '../../format.ts'
import { Form } from '../../kit/fields.tsx'
import { Fields, type FormSpec } from '../../kit/form.tsx'
import { choice, column, defineList, uncounted } from '../../kit/list.tsx'
import { Action, LinkButton, Panel } from '../../kit/parts.tsx'
import type { Admin, AdminDeps, Who } from '../guard.ts'
import { JUDGED, TUNING } from '../nav.ts'

const LIST = defineList(JUDGED, 'judgement', {
  search: 'Query or product',
  filters: { grade: choice('Grade', { '1': '1', '2': '2', '3': '3' }) },
})
const FORM: FormSpec = {
  lines: {
    ...{ kind: 'long', label: 'Queries and their good answers', required: true },
    hint: 'One per line: query | product | grade. The product is its slug; 3 is a perfect answer, 1 an acceptable one.',
  },
}
const LinesForm = z.object({ lines: z.string().max(2_000_000) })
const RemoveForm = z.object({ query: z.string().max(300), slug: z.string().max(100) })

export function mountJudged(admin: Admin, { ctx, config }: AdminDeps): void {
  const demo = projectFile('eval', 'queries.jsonl')
  const hasDemo = config.catalog === 'demo' && fs.existsSync(demo)
  admin.list<Judgement, typeof LIST.filters>(LIST, async ({ asked, state, c }) => {
    const { q, filters, limit, offset } = asked
    const grade = filters.grade === '' ? null : Number(filters.grade)
    const found = await listJudgements(ctx, { search: q || null, grade, limit: limit + 1, offset })
    return {
      title: 'Judged queries',
      lead: 'Queries whose good answers you know. Rules are measured by them before you save one.',
      said: {
        added: `${formatCount(Number(c.req.query('written')) || 0)} saved. Lines whose product isn’t in the catalog: ${formatCount(Number(c.req.query('unknown')) || 0)}.`,
        removed: 'Removed.',
      },
      actions: <LinkButton to={TUNING} label="Search tuning" />,
      ...uncounted(found, asked),
      order: 'By query',
      columns: [
        column.text('Query', 'query'),
        column.link('Product', 'title', ({ slug, category }) =>
          productPath({ slug, category: { slug: category } }),
        ),
        { label: 'Slug', csv: ({ slug }) => slug },
        column.count('Grade', 'grade'),
        column.actions('Remove', ({ query, slug }) => (
          <Action
            to={`${JUDGED}/remove`}
            label="Remove"
            about={`${query}: ${slug}`}
            fields={{ query, slug }}
          />
        )),
      ],
      empty: <p>No judged queries yet. Add those that matter most to your shoppers.</p>,
      below: (
        <Panel title="Add" lead={hasDemo && 'The demo catalog comes with judged queries of its own.'}>
          <Form action={JUDGED} label="Add">
            <Fields of={FORM} state={state} />
          </Form>
          {hasDemo && <Action to={`${JUDGED}/demo`} label="Add those of the demo catalog" />}
        </Panel>
      ),
    }
  })
  const add = async (by: Who['operator']['by'], lines: string) => {
    const { written, unknown } = await addJudgements(ctx, { by, lines })
    return `${JUDGED}?done=added&written=${written}&unknown=${unknown}`
  }

  admin.action(JUDGED, {
    ...{ schema: LinesForm },
    act: ({ operator, input: { lines } }) => add(operator.by, lines),
  })
  admin.action(`${JUDGED}/demo`, {
    act: async ({ operator }) => add(operator.by, hasDemo ? readDemo(demo) : ''),
  })
  admin.action(`${JUDGED}/remove`, {
    ...{ schema: RemoveForm, done: 'removed' },
    act: ({ operator: { by }, input }) => removeJudgement(ctx, { by, ...input }),
  })
}

/** As lines of the form. */
function readDemo(file: string): string {
  const judged = fs.readFileSync(file, 'utf8').trim().split('\n')
  return judged
    .flatMap((text) => {
      const { query, relevant } = JSON.parse(text) as { query: string; relevant: string[] }
      return relevant.map((slug) => `${query.replaceAll('|', ' ')} | ${slug} | 3`)
    })
    .join('\n')
}
