/** Every operation of the published description (interface, part 9), in the order that people read it in. */
import { BUNDLES_A_DAY, BundleResponse, MAX_PIECES } from '../../../bundles/bundles.schema.ts'
import { READ_OPERATIONS } from '../../../catalog/reads.operations.ts'
import type { Operation, Refusal } from '../../../http/operation.ts'
import { OFFER_OPERATIONS } from '../../../offers/offers.operations.ts'
import { INTEGRATION_OPERATIONS } from '../../../orgs/integration.operations.ts'
import { ORG_OPERATIONS } from '../../../orgs/orgs.operations.ts'
import { searchOperations } from '../../../search/search.operations.ts'

export const OPERATIONS: readonly Operation[] = [
  ...searchOperations({ answer: BundleResponse, aDay: BUNDLES_A_DAY, maxPieces: MAX_PIECES }),
  ...READ_OPERATIONS,
  ...OFFER_OPERATIONS.flatMap(({ published }) => published),
  ...[...ORG_OPERATIONS, ...INTEGRATION_OPERATIONS].flatMap(({ published }) => published),
].map(withFaults)

/**
 * A fault of ours can happen anywhere, and so can a moment in which nothing can be done. Where the operation refuses with
 * a line or a page, they are told in one as well.
 */
function withFaults(operation: Operation): Operation {
  const { refusals } = operation
  const form = refusals.find((refusal) => refusal.form !== undefined)?.form
  const away: Refusal = {
    status: 503,
    when: 'the database is away, or there is more to do than can be done; try again after `Retry-After` seconds',
    ...(form === undefined ? { words: 'at the moment' } : { form }),
  }
  const fault: Refusal = {
    status: 500,
    when: 'a fault on our side; quote `X-Request-Id` when you ask about it',
    ...(form === undefined ? { code: 'internal' } : { form }),
  }
  const faults = refusals.some(({ status }) => status === 500) ? [] : [fault]
  return { ...operation, refusals: [...refusals, away, ...faults] }
}
