/** A seller's lists that come back as a file. */
import type { SheetOutcome } from '../../catalog/sheet-batch.ts'
import type { Act, Right } from '../../orgs/producer.ts'
import type { Seen } from '../kit/console.tsx'
import { CSV_UPLOAD, CsvForm, type CsvIn, type CsvWish, csvAgain, takeCsv } from '../kit/csv-in.tsx'
import type { Dashboard } from './guard.ts'
import type { Visitor } from './page.tsx'

export function mountCsvIn(
  dashboard: Dashboard,
  spec: CsvIn & { right: Right },
  run: (act: Act, wish: CsvWish) => Promise<SheetOutcome>,
): void {
  const { path, right } = spec
  // A deactivated organization looks, and brings nothing.
  const page = ({ visitor, state }: Seen<{ visitor: Visitor }>) =>
    csvAgain(spec, state, { mayBring: visitor.may(right) })
  dashboard.page(path, right, page)
  dashboard.action(path, {
    ...{ schema: CsvForm, right, upload: CSV_UPLOAD, page },
    act: ({ act, input, file }) => takeCsv(spec, input, file, (wish) => run(act, wish)),
  })
}
