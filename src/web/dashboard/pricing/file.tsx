/**
 * /dashboard/pricing/import: prices, stock and shipping of many products from a file. Its preview shows what would change.
 * Nothing of the file is kept: a small one is carried by the form that saves it, a larger one is chosen again.
 */
import { Readable } from 'node:stream'
import { z } from 'zod'
import { AppError } from '../../../lib/errors.ts'
import type { PricingContext } from '../../../pricing/pricing.service.ts'
import { MAX_FILE_BYTES, MAX_FILE_ROWS } from '../../../pricing/pricing-file.ts'
import { type ImportedPricing, importPricing } from '../../../pricing/pricing-import.service.ts'
import { countOf, formatCount, humanized, sentence } from '../../format.ts'
import type { Page, Seen } from '../../kit/console.tsx'
import { Check, Form, type FormState, Hidden, Labelled, UNTOUCHED } from '../../kit/fields.tsx'
import { Fields, type FormSpec, formOf } from '../../kit/form.tsx'
import { DataTable, Panel } from '../../kit/parts.tsx'
import type { Dashboard } from '../guard.ts'
import { type Visitor, WhoMay } from '../page.tsx'
import { PRICING_PATH, pricingPath } from '../paths.ts'

export const FILE_PATH = `${PRICING_PATH}/import`
const SAVE_PATH = `${PRICING_PATH}/import-save`

type Who = { visitor: Visitor }

export function mountFile(dashboard: Dashboard, ctx: PricingContext): void {
  dashboard.page(FILE_PATH, 'manage', ({ visitor, state }) => filePage(visitor, state))

  dashboard.action(FILE_PATH, {
    ...{
      page: ({ visitor, state }: Seen<Who>) => filePage(visitor, state),
      right: 'manage',
      schema: FileForm,
    },
    upload: { field: 'file', maxBytes: MAX_FILE_BYTES },
    async act({ act, visitor, input, file }) {
      if (!file) throw new AppError('invalid', 'Choose a file.', { field: 'file' })
      const dryRun = input.mode !== 'save'
      const content = file.pieces()
      const imported = await importPricing(ctx, act, { content, dryRun, confirmed: input.confirm })
      const small = dryRun && file.size <= CARRIED_BYTES ? (await file.bytes()).toString('utf8') : null
      return filePage(visitor, UNTOUCHED, imported, small)
    },
  })

  dashboard.action(SAVE_PATH, {
    ...{
      page: ({ visitor, state }: Seen<Who>) => filePage(visitor, state),
      right: 'manage',
      from: FILE_PATH,
    },
    schema: z.object({ content: z.string(), confirm: z.literal('on').optional() }),
    async act({ act, visitor, input: { content, confirm } }) {
      const bytes = Readable.from([Buffer.from(content)])
      const wish = { content: bytes, dryRun: false, confirmed: confirm === 'on' }
      return filePage(visitor, UNTOUCHED, await importPricing(ctx, act, wish))
    },
  })
}

/** A file of this size can be carried by the form that saves its preview. */
const CARRIED_BYTES = 20_000
const MOST_SHOWN = 200

const FILE: FormSpec = {
  mode: {
    ...{ kind: 'choice', label: 'What to do' },
    options: [
      ['', 'Show me what would change'],
      ['save', 'Save the changes'],
    ],
  },
  confirm: { kind: 'check', label: 'Save rows whose limits are above the price too' },
}
const FileForm = formOf(FILE, z.object({ mode: z.string().optional(), confirm: z.boolean() }))

function filePage(
  visitor: Visitor,
  state: FormState,
  imported: ImportedPricing | null = null,
  content: string | null = null,
): Page {
  const sample = `product_slug,${IMPORT_COLUMNS.join(',')}`
  return {
    title: 'Import prices and stock',
    lead: 'Set prices, stock and shipping of many products from a file. You see what would change before you save.',
    at: PRICING_PATH,
    actions: (
      <a class="button plain" href={PRICING_PATH}>
        Pricing
      </a>
    ),
    body: (
      <>
        {imported && <Imported imported={imported} content={content} />}
        <Panel
          title="Choose a file"
          lead="One product a row. An empty cell leaves a rule as it is, and the word none clears it. Limits can’t be in a file."
        >
          {visitor.may('manage') ? (
            <Form action={FILE_PATH} enctype="multipart/form-data" label="Read the file">
              <Labelled
                {...{ state, name: 'file', label: 'File' }}
                hint={`CSV or TSV, up to 2 MB and ${formatCount(MAX_FILE_ROWS)} rows. Columns such as ${sample}.`}
              >
                {(control) => <input type="file" accept=".csv,.tsv,.txt,text/csv" {...control} />}
              </Labelled>
              <Fields of={FILE} state={state} only={['mode']} />
              {imported?.failed.some(({ field }) => field === 'confirm') && (
                <Fields of={FILE} state={state} only={['confirm']} />
              )}
            </Form>
          ) : (
            <WhoMay visitor={visitor} right="manage" what="import prices" />
          )}
          <p class="soft">
            You can <a href={`${PRICING_PATH}?format=csv`}>download your prices</a>, change them and import
            the file.
          </p>
        </Panel>
      </>
    ),
  }
}

const IMPORT_COLUMNS = ['price_usd', 'stock', 'shipping_cost_usd', 'lead_time_days']

function Imported({ imported, content }: { imported: ImportedPricing; content: string | null }) {
  const { dryRun, changed, unchanged, failed, columns } = imported
  const unread = columns.filter(({ field }) => field === null).map(({ name }) => name)
  const needsConfirm = failed.some(({ field }) => field === 'confirm')
  return (
    <Panel title={dryRun ? 'Preview' : 'Saved'}>
      <p role="status">
        {dryRun
          ? `${countOf(changed.length, 'product')} would change. Nothing is saved yet.`
          : `${countOf(changed.length, 'product')} changed. New quotes use the new rules.`}
        {unchanged > 0 && ` ${countOf(unchanged, 'product')} already had these values.`}
        {failed.length > 0 && ` ${countOf(failed.length, 'row')} can’t be used.`}
        {unread.length > 0 && ` We didn’t use these columns: ${unread.slice(0, 20).join(', ')}.`}
      </p>
      {failed.length > 0 && (
        <DataTable
          caption="Rows that can’t be used"
          columns={['Line', 'Product', 'Problem']}
          rows={failed
            .slice(0, MOST_SHOWN)
            .map(({ line, product, field, problem }) => [
              String(line),
              product ?? '–',
              field === null || field === 'confirm' ? sentence(problem) : `${humanized(field)}: ${problem}`,
            ])}
        />
      )}
      {changed.length > 0 && (
        <DataTable
          caption={dryRun ? 'Products that would change' : 'Products that changed'}
          columns={['Product', 'Line', 'Changes']}
          rows={changed
            .slice(0, MOST_SHOWN)
            .map(({ productSlug, title, line, rules }) => [
              <a href={pricingPath(productSlug)}>{title}</a>,
              String(line),
              rules.map((name) => humanized(name.replace(/_usd$/, ''))).join(', '),
            ])}
        />
      )}
      {Math.max(changed.length, failed.length) > MOST_SHOWN && (
        <p class="soft">We show the first {formatCount(MOST_SHOWN)}.</p>
      )}
      {dryRun && (changed.length > 0 || needsConfirm) && content === null && (
        <p>To save, choose the file again below and choose “Save the changes”.</p>
      )}
      {dryRun && (changed.length > 0 || needsConfirm) && content !== null && (
        <Form action={SAVE_PATH} label="Save the changes">
          <Hidden name="content" value={content} />
          {needsConfirm && (
            <Check state={UNTOUCHED} name="confirm" label="Save rows whose limits are above the price too" />
          )}
        </Form>
      )}
    </Panel>
  )
}
