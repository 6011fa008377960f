/** The operator's lists that come back as a file. */
import type { AuditActor } from '../../accounts/audit.service.ts'
import type { SheetOutcome } from '../../catalog/sheet-batch.ts'
import { CSV_UPLOAD, CsvForm, type CsvIn, type CsvWish, csvAgain, takeCsv } from '../kit/csv-in.tsx'
import type { Admin } from './guard.ts'

export function mountCsvIn(
  admin: Admin,
  spec: CsvIn,
  run: (wish: CsvWish & { by: AuditActor }) => Promise<SheetOutcome>,
): void {
  admin.page(spec.path, ({ state }) => csvAgain(spec, state))
  admin.action(spec.path, {
    schema: CsvForm,
    page: ({ state }) => csvAgain(spec, state),
    upload: () => CSV_UPLOAD,
    act: ({ operator: { by }, input, file }) => takeCsv(spec, input, file, (wish) => run({ ...wish, by })),
  })
}
