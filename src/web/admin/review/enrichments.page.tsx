/** /admin/enrichments: what producers propose for products that are there, and one of these proposals by itself. */
import { ENRICHMENT_STATUSES, type EnrichmentStatus, partsOf } from '../../../catalog/enrichment.schema.ts'
import type { ReviewEntry } from '../../../catalog/enrichment-review.service.ts'
import { productPath } from '../../../catalog/profile.ts'
import { Address } from '../../components/address.tsx'
import { Ago, Moment } from '../../components/moment.tsx'
import { Check, Form, type FormState, Hidden, TextArea } from '../../kit/fields.tsx'
import { Paging } from '../../kit/paging.tsx'
import { Confirm, DataTable, Empty, Panel, State } from '../../kit/parts.tsx'
import { partWords, REVIEW_WORDS } from '../../kit/proposal-words.ts'
import type { Site } from '../../site.ts'
import type { Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { ENRICHMENTS, ORGANIZATIONS } from '../paths.ts'
import { After, Before, Images } from './changes.tsx'
import { Whose } from './whose.tsx'

export const PER_PAGE = 25

type ListProps = {
  site: Site
  operator: Operator
  status: EnrichmentStatus
  entries: ReviewEntry[]
  total: number
  page: number
  done: string | null
  now: Date
}

export function renderEnrichments(props: ListProps): string {
  const { site, operator, status, entries, total, page, done, now } = props
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title="Enrichments"
      lead="What producers propose for products that are in the catalog. Nothing of it is shown until you approve it."
      at={ENRICHMENTS}
      done={done}
    >
      <nav aria-label="By state">
        <ul class="chips">
          {ENRICHMENT_STATUSES.map((name) => (
            <li>
              <a
                class="chip"
                href={`${ENRICHMENTS}?status=${name}`}
                aria-current={name === status ? 'page' : undefined}
              >
                {REVIEW_WORDS[name].words}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {entries.length === 0 ? (
        <Empty>
          <p>{status === 'pending' ? 'Nothing waits for you.' : 'There are none.'}</p>
        </Empty>
      ) : (
        <DataTable
          caption="Proposals"
          columns={[{ label: 'Product' }, { label: 'Proposed by' }, { label: 'What' }, { label: 'When' }]}
          rows={entries.map((entry) => [
            <a href={`${ENRICHMENTS}/${entry.id}`}>{entry.product.title}</a>,
            <Whose org={entry.org} />,
            partsOf(entry).map(partWords).join(', '),
            <Ago at={entry.createdAt} now={now} />,
          ])}
        />
      )}
      <Paging
        page={page}
        pages={Math.ceil(total / PER_PAGE)}
        href={(number) => `${ENRICHMENTS}?status=${status}&page=${number}`}
      />
    </AdminPage>,
  )
}

type OneProps = {
  site: Site
  operator: Operator
  entry: ReviewEntry
  state: FormState
  done: string | null
}

export function renderEnrichment({ site, operator, entry, state, done }: OneProps): string {
  const { product, org } = entry
  const { tone, words } = REVIEW_WORDS[entry.status]
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title={product.title}
      lead={
        <>
          Proposed by <a href={`${ORGANIZATIONS}/${org.id}`}>{org.name}</a> on <Moment at={entry.createdAt} />{' '}
          · <a href={productPath(product)}>Public page</a>
        </>
      }
      at={ENRICHMENTS}
      done={done}
      errors={state.errors}
    >
      <Panel title="What is proposed" actions={<State tone={tone}>{words}</State>}>
        {entry.status === 'pending' ? <Decision entry={entry} state={state} /> : <Table entry={entry} />}
      </Panel>
      <Panel title="Why">
        <p>
          <Whose org={org} />
        </p>
        {entry.note !== null && <p class="long">{entry.note}</p>}
        {entry.evidence.length === 0 ? (
          <p class="soft">No evidence was given.</p>
        ) : (
          <ul class="plain-list">
            {entry.evidence.map((url) => (
              <li>
                <Address url={url} />
              </li>
            ))}
          </ul>
        )}
      </Panel>
      {entry.reviewNote !== null && (
        <Panel title="What the producer was told">
          <p class="long">{entry.reviewNote}</p>
        </Panel>
      )}
    </AdminPage>,
  )
}

/** What is approved is what was looked at: the form says which state of the product stood beside it. */
function Decision({ entry, state }: { entry: ReviewEntry; state: FormState }) {
  return (
    <>
      <form class="review" method="post" action={`${ENRICHMENTS}/${entry.id}/approve`}>
        <Hidden name="seen" value={entry.product.updatedAt.toISOString()} />
        <Table entry={entry} state={state} />
        <TextArea
          state={state}
          name="note"
          label="Note to the producer"
          hint="Optional. What you leave unticked is rejected, with this note."
          rows={2}
          maxlength={1000}
        />
        <p>
          <button class="button" type="submit">
            Approve what is ticked
          </button>
        </p>
      </form>
      <Confirm ask="Reject all of it">
        <Form action={`${ENRICHMENTS}/${entry.id}/reject`} label="Reject" kind="danger">
          <TextArea
            state={state}
            name="note"
            label="Why"
            hint="The producer reads this; say what would be accepted."
            rows={3}
            maxlength={1000}
            suffix="-reject"
          />
        </Form>
      </Confirm>
    </>
  )
}

/** Part, now, proposed; with boxes to tick where it waits for a decision. */
function Table({ entry, state }: { entry: ReviewEntry; state?: FormState }) {
  const part = (name: string) =>
    state ? <Check state={state} name={`part_${name}`} label={partWords(name)} checked /> : partWords(name)
  const rows = [
    ...entry.changes.map((change) => [
      part(change.field),
      <>
        <Before {...change} />
        <span class="row-note">
          {change.saidBy === null ? 'Said by nobody yet' : `Said by ${change.saidBy}`}
        </span>
      </>,
      <After {...change} />,
    ]),
    ...(entry.images.length > 0
      ? [
          [
            part('images'),
            <Images images={entry.product.additionalImages ?? []} otherwise="No images of producers yet" />,
            <Images images={entry.images} otherwise="None" />,
          ],
        ]
      : []),
    ...(entry.confirmsProfile
      ? [
          [
            part('confirms_profile'),
            entry.product.verificationStatus === 'manufacturer_verified' ? 'Confirmed' : 'Not confirmed',
            'Confirmed by its manufacturer',
          ],
        ]
      : []),
  ]
  return (
    <div class="review">
      <DataTable
        caption="What is there now beside what is proposed"
        columns={[{ label: 'Part' }, { label: 'Now' }, { label: 'Proposed' }]}
        rows={rows}
      />
    </div>
  )
}
