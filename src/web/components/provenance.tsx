/** Where a profile's facts come from, and when it last changed. */
import type { VerificationStatus } from '../../catalog/catalog.schema.ts'
import { type ProductProfile, provenanceBySource, sourceWords } from '../../catalog/profile.ts'
import { formatDate } from '../format.ts'
import { Fact } from './fact.tsx'
import { Day } from './moment.tsx'

const STATUS: Record<VerificationStatus, string> = {
  base: 'Not verified yet',
  producer_enriched: 'Details added by a verified seller',
  manufacturer_enriched: 'Details added by the manufacturer',
  manufacturer_verified: 'Verified by the manufacturer',
}

/** Fields whose everyday name differs from the field name. */
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
  return (
    <dl class="provenance">
      <Fact name="Status">{STATUS[profile.verificationStatus]}</Fact>
      <Fact name="Last updated">
        <Day at={profile.updatedAt} />
      </Fact>
      {provenanceBySource(profile).map(({ source, verifiedAt, fields }) => (
        <div>
          <dt>
            {sourceWords(profile, source, verifiedAt !== null)}
            {verifiedAt !== null && `, approved ${formatDate(verifiedAt)}`}
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
