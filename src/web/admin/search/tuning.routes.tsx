/**
 * /admin/tuning: synonyms, pins and boosts. A rule is tried first: what it does to a query, and to all judged queries, is
 * shown beside how it is now, and only then is it saved.
 */
import { z } from 'zod'
import { productPath } from '../../../catalog/profile.ts'
import type { Answer } from '../../../search/answer.ts'
import type { SearchResult } from '../../../search/search.schema.ts'
import {
  addRule,
  countJudgedQueries,
  type Effect,
  effectOnJudged,
  listRules,
  previewRule,
  RULE_KINDS,
  RuleInput,
  removeRule,
  type StoredRule,
} from '../../../search/tuning.service.ts'
import { MOST_BOOST } from '../../../search/tuning.ts'
import { countOf, formatCount } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { Form, type FormState, Hidden, UNTOUCHED } from '../../kit/fields.tsx'
import { Fields, type FormSpec, formOf } from '../../kit/form.tsx'
import { choice, column, defineList, optionsOf } from '../../kit/list.tsx'
import { Action, DataTable, Empty, LinkButton, Panel, TablePanel } from '../../kit/parts.tsx'
import { Hole } from '../../stream-page.tsx'
import type { Admin, AdminDeps } from '../guard.ts'
import { JUDGED, SEARCH_QUALITY, TUNING } from '../nav.ts'

const KIND_WORDS = { synonym: 'Synonyms', pin: 'Pin', boost: 'Boost' }
const LIST = defineList(TUNING, 'rule', {
  search: 'Words, product, brand or category',
  filters: { kind: choice('Kind', KIND_WORDS) },
})
const SAID = {
  added: 'Rule saved. It is in force on every node within seconds.',
  removed: 'Rule removed.',
}

const TRY = { kind: 'text', label: 'Try it with (optional)', max: 300 } as const
const FORMS: Record<StoredRule['kind'], { lead: string; fields: FormSpec }> = {
  synonym: {
    lead: 'Words that mean the same, such as “settee, couch”. Spelling variants and everyday synonyms are built in.',
    fields: {
      words: { kind: 'text', label: 'Words, with commas between', max: 300, required: true },
      strength: {
        ...{ kind: 'choice', label: 'A word counts' },
        options: optionsOf({ same: 'As the word itself', hint: 'Less than the word itself' }),
      },
      try_query: TRY,
    },
  },
  pin: {
    lead: 'A product that comes first for one query. Filters and what the query excludes still hold.',
    fields: {
      query: { kind: 'text', label: 'Query', max: 300, required: true },
      name: { kind: 'product', label: 'Product', max: 300, required: true },
      place: { kind: 'number', label: 'Place among the pins', min: 1, max: 20 },
    },
  },
  boost: {
    lead: 'A product, brand or category that counts for more, or with a number below 0 for less.',
    fields: {
      target: {
        ...{ kind: 'choice', label: 'What' },
        options: optionsOf({ product: 'Product', brand: 'Brand', category: 'Category' }),
      },
      name: { kind: 'text', label: 'Its slug, or the brand’s name', max: 300, required: true },
      weight: {
        ...{ kind: 'number', label: 'Points', min: -MOST_BOOST, max: MOST_BOOST, step: 0.1 },
        hint: `From ${-MOST_BOOST} to ${MOST_BOOST}. Good answers are often less than 1 apart.`,
      },
      query: { kind: 'text', label: 'Only for queries with these words (optional)', max: 300, empty: 'text' },
      try_query: TRY,
    },
  },
}
const RULE = RuleInput.and(z.object({ try_query: z.string().max(300).default('') }))
type Rule = z.output<typeof RULE>
const FORM_OF = Object.fromEntries(
  RULE_KINDS.map((kind) => [
    kind,
    formOf({ kind: { kind: 'text', label: 'Kind' }, ...FORMS[kind].fields }, RULE),
  ]),
)
/** Read with the fields of its kind, so that a problem is said by the label that people see. */
const RuleForm = z.record(z.string(), z.string()).transform((form, check): Rule => {
  const read = (FORM_OF[form.kind ?? ''] ?? FORM_OF.synonym)?.safeParse(form)
  if (read?.success) return read.data
  for (const { path, message } of read?.error.issues ?? [])
    check.issues.push({ code: 'custom', path, message, input: undefined })
  return z.NEVER
})
const RemoveForm = z.object({ id: z.string().max(40) })

export function mountTuning(admin: Admin, { ctx, search: { search } }: AdminDeps): void {
  const tuning = { ...ctx, search }
  admin.list<StoredRule, typeof LIST.filters>(LIST, async ({ asked, state }) => {
    const { q, filters, limit, offset } = asked
    const found = await listRules(ctx, { search: q || null, kind: filters.kind || null })
    return {
      title: 'Search tuning',
      lead: 'Rules change the order of results, never how similar a product is said to be.',
      said: SAID,
      actions: [
        <LinkButton to={SEARCH_QUALITY} label="Queries without a good answer" />,
        <LinkButton to={JUDGED} label="Judged queries" />,
      ],
      rows: found.slice(offset, offset + limit),
      total: found.length,
      columns: [
        column.text('Rule', (rule) => ruleWords(rule)),
        column.text('Kind', ({ kind }) => KIND_WORDS[kind]),
        column.text('Words or query', 'query'),
        column.ago('Since', 'createdAt', ctx.clock.now()),
        column.actions('Remove', (rule) => (
          <Action to={`${TUNING}/remove`} label="Remove" about={ruleWords(rule)} fields={{ id: rule.id }} />
        )),
      ],
      empty: <p>No rules yet. Search works without them; add one where a query finds the wrong things.</p>,
      below: <RuleForms state={state} />,
    }
  })

  admin.action(`${TUNING}/try`, {
    ...{ schema: RuleForm },
    async act({ input }) {
      const query = input.try_query || input.query || input.words.split(',')[0] || input.name
      const { before, after } = await previewRule(tuning, { input, query })
      const judged = await countJudgedQueries(ctx)
      const shownPage: Page = {
        title: 'Try a rule',
        lead: <>Results for “{query}”. Nothing is saved yet.</>,
        actions: <LinkButton to={TUNING} label="All rules" />,
        body: [
          <div class="side-by-side">
            <Results title="Now" answer={before} other={after} />
            <Results title="With the rule" answer={after} other={before} />
          </div>,
          <Form action={TUNING} label="Save rule">
            {Object.entries(input).map(([name, value]) => (
              <Hidden name={name} value={String(value)} />
            ))}
          </Form>,
          judged === 0 ? (
            <p class="soft">
              There are no <a href={JUDGED}>judged queries</a> to measure the rule by.
            </p>
          ) : (
            <Hole />
          ),
        ],
      }
      if (judged === 0) return shownPage
      return {
        ...shownPage,
        stream: async (write, gone) =>
          write(<EffectPanel effect={await effectOnJudged(tuning, input, gone)} />),
      }
    },
  })
  admin.action(TUNING, {
    ...{ schema: RuleForm, shows: true, done: 'added' },
    act: ({ input, operator: { by } }) => addRule(ctx, { by, input }),
  })
  admin.action(`${TUNING}/remove`, {
    ...{ schema: RemoveForm, shows: true, done: 'removed' },
    act: ({ input: { id }, operator: { by } }) => removeRule(ctx, { by, id }),
  })
}

function ruleWords({ kind, query, weight, product, brand, category }: StoredRule): string {
  if (kind === 'synonym') return query
  const what = product?.title ?? brand ?? category?.label ?? ''
  if (kind === 'pin') return `${what}: place ${weight} for “${query}”`
  return `${what}: ${weight > 0 ? '+' : ''}${weight}${query === '' ? '' : ` for queries with “${query}”`}`
}

/** A refused form keeps what was typed; the others are empty. */
function RuleForms({ state }: { state: FormState }) {
  return (
    <div class="side-by-side">
      {RULE_KINDS.map((kind) => {
        const own = state.values.kind === kind ? state : UNTOUCHED
        return (
          <Panel title={`Add: ${KIND_WORDS[kind].toLowerCase()}`} id={`add-${kind}`} lead={FORMS[kind].lead}>
            <Form action={`${TUNING}/try`} label="Preview" kind="plain">
              <Hidden name="kind" value={kind} />
              <Fields
                of={FORMS[kind].fields}
                state={own}
                suffix={state.values.kind === kind ? '' : `-${kind}`}
              />
            </Form>
          </Panel>
        )
      })}
    </div>
  )
}

function Results({ title, answer, other }: { title: string; answer: Answer; other: Answer }) {
  const placeIn = ({ slug }: SearchResult) => other.results.findIndex((one) => one.slug === slug)
  return (
    <Panel title={title}>
      {answer.results.length === 0 ? (
        <Empty>No results.</Empty>
      ) : (
        <DataTable
          caption={title}
          columns={['Product', 'Why']}
          rows={answer.results.map((result, place) => [
            <>
              {place + 1}.{' '}
              <a href={productPath({ slug: result.slug, category: { slug: result.category } })}>
                {result.title}
              </a>
              <span class="row-note">{movedWords(place, placeIn(result))}</span>
            </>,
            <code>
              {result.explain?.because
                .slice(0, 3)
                .map(({ feature, value }) => `${feature} ${value}`)
                .join(', ')}
            </code>,
          ])}
        />
      )}
    </Panel>
  )
}

function movedWords(place: number, other: number): string {
  if (other < 0) return 'Not on the other list'
  return other === place ? '' : `${other + 1}. on the other list`
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`

function EffectPanel({ effect: { queries, before, after, changed, left } }: { effect: Effect }) {
  return (
    <TablePanel
      title="Effect on judged queries"
      lead={`${countOf(queries, 'query')}: ${percent(before)} now, ${percent(after)} with the rule (mean NDCG of the first ten).${left > 0 ? ` ${formatCount(left)} more were left out.` : ''}`}
      none="None of them changes."
      columns={['Query', { label: 'Now', kind: 'number' }, { label: 'With the rule', kind: 'number' }]}
      rows={changed.slice(0, 50).map((line) => [line.query, percent(line.before), percent(line.after)])}
      total={changed.length}
    />
  )
}
