/**
 * A list that comes back as a file: brought or pasted, shown as what it would change, and saved once somebody agrees. The
 * rows stand in the form again, so what is wrong is put right there and nothing is typed twice. What is saved is what was
 * shown: a file that would do something else by then is shown anew.
 */
import { Readable } from 'node:stream'
import { z } from 'zod'
import { MAX_SHEET_BYTES, MAX_SHEET_ROWS } from '../../catalog/import/sheet.ts'
import { markOf, type SheetOutcome, type SheetWish } from '../../catalog/sheet-batch.ts'
import type { UploadedFile } from '../../http/upload.ts'
import { AppError } from '../../lib/errors.ts'
import { countOf, formatCount, humanized, many, sentence } from '../format.ts'
import type { Page } from './console.tsx'
import { Carried, Check, FileField, type FormState, Hidden, TextArea, UNTOUCHED } from './fields.tsx'
import { DataTable, Empty, LinkButton, Panel } from './parts.tsx'

export type CsvIn = {
  /** Of the page. */
  path: string
  /** The list, whose own file has the same columns. */
  list: string
  /** "offer" */
  noun: string
  title: string
  lead: string
  /** Each column with what goes in it. */
  columns: Readonly<Record<string, string>>
  maxRows?: number
  /** Where a changed row is looked at, by its name. */
  href?: (name: string) => string
  /** The label of a box that saves rows with warnings too. */
  confirm?: string
}

export type CsvWish = SheetWish & { content: AsyncIterable<Uint8Array>; confirmed: boolean }

export const CSV_UPLOAD = { field: 'file', maxBytes: MAX_SHEET_BYTES, roomForFields: MAX_SHEET_BYTES }

export const CsvForm = z.object({
  content: z.string().default(''),
  /** The mark of what was shown. */
  agreed: z.string().max(100).default(''),
  act: z.enum(['preview', 'save']).default('preview'),
  confirm: z.literal('on').optional(),
})

/** A file of at most this many bytes stands in the form; a larger one is chosen again. */
const MOST_CARRIED = 200_000
const MOST_SHOWN = 200

export async function takeCsv(
  spec: CsvIn,
  { content: pasted, agreed, act, confirm }: z.output<typeof CsvForm>,
  file: UploadedFile | null,
  run: (wish: CsvWish) => Promise<SheetOutcome>,
): Promise<Page> {
  if (!file && pasted.trim() === '')
    throw new AppError('invalid', 'Choose a file, or paste its rows.', { field: 'file' })
  const saves = act === 'save' && agreed !== ''
  const outcome = await run({
    content: file ? file.pieces() : Readable.from([Buffer.from(pasted)]),
    dryRun: !saves,
    agreed: saves ? agreed : null,
    confirmed: confirm === 'on',
  })
  const isLarge = file !== null && file.size > MOST_CARRIED
  const content = file === null ? pasted : isLarge ? '' : (await file.bytes()).toString('utf8')
  const values: Record<string, string> = outcome.dryRun ? { content, ...(confirm && { confirm }) } : {}
  return csvPage(spec, { values, errors: {} }, { outcome, isLarge, isLate: saves && outcome.dryRun })
}

type Shown = { outcome: SheetOutcome; isLate: boolean; isLarge: boolean }

export function csvPage(spec: CsvIn, state: FormState, shown: Shown | null = null): Page {
  const { path, list, noun, title, lead, columns, maxRows = MAX_SHEET_ROWS } = spec
  const outcome = shown?.outcome
  const waits = outcome?.dryRun === true && outcome.changed.length > 0
  const confirms = spec.confirm !== undefined && outcome?.failed.some(({ field }) => field === 'confirm')
  return {
    title,
    lead,
    actions: <LinkButton to={list} label={`All ${many(noun)}`} />,
    body: [
      shown && <Outcome spec={spec} {...shown} />,
      <Panel
        title={waits ? 'Rows' : 'Choose a file'}
        lead="One row each. An empty cell leaves a value as it is, and the word none clears it."
      >
        <form class="fields" method="post" action={path} enctype="multipart/form-data">
          <Carried />
          <FileField
            {...{ state, label: 'File', accept: '.csv,.tsv,.txt,text/csv' }}
            hint={`CSV or TSV, up to ${CSV_UPLOAD.maxBytes / 1024 ** 2} MB and ${formatCount(maxRows)} rows.`}
          />
          <TextArea
            {...{ state, name: 'content', label: 'Or its rows', rows: 8 }}
            hint="The first line names the columns."
          />
          {confirms && <Check state={state} name="confirm" label={spec.confirm} />}
          <Hidden name="agreed" value={waits ? markOf(outcome) : null} />
          <p class="line">
            <button class={waits ? 'button plain' : 'button'} type="submit" name="act" value="preview">
              {waits ? 'Preview again' : 'Preview'}
            </button>
            {waits && (
              <button class="button" type="submit" name="act" value="save">
                Save {countOf(outcome.changed.length, 'row')}
              </button>
            )}
          </p>
        </form>
        <p class="soft">
          You can <a href={`${list}?format=csv`}>download your {many(noun)}</a>, change them and bring the
          file back.
        </p>
      </Panel>,
      <Panel title="Columns">
        <DataTable
          caption="Columns of the file"
          columns={['Column', 'What goes in it']}
          rows={Object.entries(columns).map(([name, words]) => [<code>{name}</code>, words])}
        />
      </Panel>,
    ],
  }
}

function Outcome({ spec, outcome, isLate, isLarge }: Shown & { spec: CsvIn }) {
  const { dryRun, changed, unchanged, failed, columns } = outcome
  const unread = columns.filter(({ field }) => field === null).map(({ name }) => name)
  return (
    <Panel title={dryRun ? 'Preview' : 'Saved'} id="outcome">
      {isLate && (
        <p class="aside">
          Nothing was saved, because it would do something else than what you saw. This is what it would do
          now.
        </p>
      )}
      <p role="status">
        {dryRun
          ? `${countOf(changed.length, 'row')} would change something. Nothing is saved yet.`
          : `${countOf(changed.length, 'row')} saved.`}
        {unchanged > 0 && ` ${countOf(unchanged, 'row')} already had these values.`}
        {failed.length > 0 && ` ${countOf(failed.length, 'row')} can’t be used.`}
        {unread.length > 0 && ` We didn’t use these columns: ${unread.slice(0, 20).join(', ')}.`}
      </p>
      {failed.length > 0 && (
        <DataTable
          caption="Rows that can’t be used"
          columns={['Line', 'Row', 'Problem']}
          rows={failed
            .slice(0, MOST_SHOWN)
            .map(({ line, name, field, problem }) => [
              String(line),
              name ?? '–',
              field === null || field === 'confirm' ? sentence(problem) : `${humanized(field)}: ${problem}`,
            ])}
        />
      )}
      {changed.length > 0 && (
        <DataTable
          caption={dryRun ? 'Rows that would change something' : 'Rows that changed something'}
          columns={['Line', 'Row', 'Changes']}
          rows={changed
            .slice(0, MOST_SHOWN)
            .map(({ line, name, what }) => [
              String(line),
              spec.href ? <a href={spec.href(name)}>{name}</a> : name,
              what.map((one) => humanized(one.replace(/_usd$/, ''))).join(', '),
            ])}
        />
      )}
      {Math.max(changed.length, failed.length) > MOST_SHOWN && (
        <p class="soft">We show the first {formatCount(MOST_SHOWN)}.</p>
      )}
      {dryRun && isLarge && changed.length > 0 && <p>To save, choose the file again and press “Save”.</p>}
    </Panel>
  )
}

/** The page of a form that was refused keeps the rows that were pasted; a file has to be chosen again. */
export function csvAgain(spec: CsvIn, state: FormState, { mayBring = true } = {}): Page {
  const { title, lead, list, noun } = spec
  if (!mayBring) {
    const body = <Empty>Nothing can be brought here now.</Empty>
    return { title, lead, actions: <LinkButton to={list} label={`All ${many(noun)}`} />, body }
  }
  return csvPage(
    spec,
    state === UNTOUCHED ? state : { ...state, values: { content: state.values.content ?? '' } },
  )
}
