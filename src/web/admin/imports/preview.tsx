/** The first products of a file as they would come in, with their pictures and what was left out. */

import type { CatalogLook, LookedProduct } from '../../../catalog/import-files.schema.ts'
import type { CategoryChoice } from '../../../catalog/import-files.service.ts'
import { formatPriceRange } from '../../../lib/money.ts'
import { countOf, formatCount, sentence } from '../../format.ts'
import { DataTable, Panel, State, Stats } from '../../kit/parts.tsx'
import { webUrl } from '../../safe.ts'
import { amountWords, inPageWords } from './imports.words.ts'

type Props = { look: CatalogLook; choices: CategoryChoice[] }

export function Preview({ look, choices }: Props) {
  const made = choices.filter(({ ours }) => ours === null).length
  const ours = new Map(choices.map((choice) => [choice.path.join('\n'), choice]))
  return (
    <Panel
      title="How it comes in"
      lead={
        look.isWhole ? undefined : `By its first ${countOf(look.rows, 'row')}. The check reads all of it.`
      }
    >
      {look.problem !== null && (
        <p class="aside" role="alert">
          Nothing can be read yet. {sentence(inPageWords(look.problem))}
        </p>
      )}
      {look.rows > 0 && (
        <Stats
          items={[
            { label: 'Rows', value: `${formatCount(look.rows)}${look.isWhole ? '' : '+'}` },
            { label: 'Refused', value: formatCount(look.refused) },
            {
              label: 'Categories',
              value: `${formatCount(choices.length)}${look.otherCategories > 0 ? '+' : ''}`,
              note: made > 0 ? `${formatCount(made)} new` : 'all of them are there',
            },
            {
              label: 'Currency',
              value: Object.keys(look.currencies).join(', ') || '–',
              note: Object.keys(look.currencies).length === 0 ? 'no amounts found' : undefined,
            },
          ]}
        />
      )}
      {look.notices.length > 0 && (
        <ul class="import-notices">
          {look.notices.map((notice) => (
            <li>{notice}</li>
          ))}
        </ul>
      )}
      {look.products.length > 0 && (
        <div class="import-preview">
          <DataTable
            caption="The first products as they would come in"
            columns={[
              { label: 'Product' },
              { label: 'Category' },
              { label: 'Price' },
              { label: 'What about it' },
            ]}
            rows={look.products.map((product) => cellsOf(product, ours, look.format))}
          />
        </div>
      )}
    </Panel>
  )
}

function cellsOf(product: LookedProduct, ours: Map<string, CategoryChoice>, format: string | null) {
  if ('problem' in product)
    return [
      `Line ${formatCount(product.line)}`,
      '–',
      '–',
      <>
        <State tone="bad">Refused</State>
        <Words {...product} format={format} />
      </>,
    ]
  const { title, brand, path, image, variants, original, lowCents, highCents } = product
  // Under “Prices” it is said once.
  const notes = product.notes.filter(({ fix }) => !fix.includes('--rate'))
  const choice = ours.get(path.join('\n'))
  const dollars = formatPriceRange(lowCents, highCents)
  const photo = image === null ? null : webUrl(image)
  return [
    <span class="import-product">
      {photo === null ? (
        <span class="import-photo" aria-hidden="true" />
      ) : (
        <img
          class="import-photo"
          src={photo}
          alt=""
          width={56}
          height={56}
          loading="lazy"
          referrerpolicy="no-referrer"
        />
      )}
      <span>
        {title}
        <span class="row-note">
          {[brand, variants > 0 ? countOf(variants, 'variant') : null].filter(Boolean).join(', ') ||
            'No brand'}
        </span>
      </span>
    </span>,
    choice?.ours ? (
      <>
        {choice.ours.label}
        {choice.isMapped && <span class="row-note">in the file: {path.join(' › ')}</span>}
      </>
    ) : (
      <>
        {path.join(' › ')}
        <span class="row-note">New category</span>
      </>
    ),
    original === null ? (
      (dollars ?? '–')
    ) : (
      <>
        <span class="whole">{dollars ?? 'Left out'}</span>
        <span class="row-note whole">{amountWords(original)}</span>
      </>
    ),
    notes.length === 0 ? (
      <State tone={notes.length === product.notes.length ? 'good' : 'mixed'}>
        {notes.length === product.notes.length ? 'Comes in whole' : 'Comes in without its price'}
      </State>
    ) : (
      <>
        <State tone="mixed">Comes in</State>
        {notes.map((note) => (
          <Words {...note} format={format} />
        ))}
      </>
    ),
  ]
}

type WordsProps = { field: string | null; problem: string; fix: string; format: string | null }

function Words({ field, problem, fix, format }: WordsProps) {
  return (
    <span class="row-note">
      {sentence(`${field ?? 'the row'} ${problem}`)} {sentence(inPageWords(fix, { field, format }))}
    </span>
  )
}
