/** Where the facts of a profile come from, and how fresh they are. */
import type { VerificationStatus } from '../../catalog/catalog.schema.ts'
import { type ProductProfile, provenanceBySource, sourceWords } from '../../catalog/profile.ts'
import { formatDate, isoDay } from '../format.ts'

const STATUS: Record<VerificationStatus, string> = {
  base: 'Not yet confirmed by the maker or a seller',
  producer_enriched: 'Added to by a verified seller',
  manufacturer_enriched: 'Added to by the maker',
  manufacturer_verified: 'Confirmed by the maker',
}

/** Where the field's own name, with spaces, is not what people say. */
const FIELD: Record<string, string> = {
  description: 'summary',
  themes: 'review themes',
  released: 'release date',
  discontinued: 'availability',
  images: 'pictures',
  gtin: 'GTIN',
  mpn: 'part number',
  sku: 'SKU',
}

export function ProvenanceList({ profile }: { profile: ProductProfile }) {
  const changed = isoDay(profile.updatedAt)
  return (
    <dl class="provenance">
      <div>
        <dt>Status</dt>
        <dd>{STATUS[profile.verificationStatus]}</dd>
      </div>
      <div>
        <dt>Last changed</dt>
        <dd>
          <time datetime={profile.updatedAt.toISOString()}>{formatDate(changed) ?? changed}</time>
        </dd>
      </div>
      {provenanceBySource(profile).map(({ source, verifiedAt, fields }) => (
        <div>
          <dt>
            {sourceWords(profile, source, verifiedAt !== null)}
            {verifiedAt !== null && `, verified ${formatDate(verifiedAt.slice(0, 10)) ?? verifiedAt}`}
          </dt>
          <dd>{fields.map(fieldName).join(', ')}</dd>
        </div>
      ))}
    </dl>
  )
}

export function verificationWords(status: VerificationStatus): string {
  return STATUS[status]
}

function fieldName(field: string): string {
  return Object.hasOwn(FIELD, field) ? (FIELD[field] ?? field) : field.replaceAll('_', ' ')
}
