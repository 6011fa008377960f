/**
 * Between a mapping as the reader takes it (our field to their column, what differs from its guess) and the columns of a
 * sheet as people see them (each with what it is read as); pure. A column is read as '' (left out), as a field, or as
 * 'spec:Weight'. A column that no mapping can name stays as it was guessed.
 */
import { AppError } from '../lib/errors.ts'
import { cleanLine } from '../lib/text.ts'
import {
  COLUMN_FIELDS,
  type ColumnField,
  type ColumnPlan,
  columnNamed,
  planColumns,
} from './import/csv-columns.ts'
import type { Sample } from './import/csv-sample.ts'
import type { Mapping } from './import-drafts.schema.ts'

export const LEFT_OUT = ''
const SPEC = 'spec:'
/** Of the tool's own input, where a column is named and where a field is. */
const MAX_COLUMN_NAME = 200
const MAX_SPEC_NAME = 80

/** What each column is read as, by its name and by what the first rows hold. */
export function readingOf(header: readonly string[], mapping: Mapping, sample: Sample = []): string[] {
  const reading = header.map(() => LEFT_OUT)
  const plan = planOf(header, mapping, sample)
  for (const [field, columns] of plan?.fields ?? []) for (const column of columns) reading[column] = field
  for (const { name, column } of plan?.specs ?? []) reading[column] = `${SPEC}${name}`
  return reading
}

/** Null when nothing of it is understood, which is where somebody has to say what is what. */
function planOf(header: readonly string[], mapping: Mapping, sample: Sample): ColumnPlan | null {
  try {
    return planColumns(header, mapping, sample)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

/** Whether a mapping can speak of it: by a name that is a name and can be stored, and that no column before it has. */
export function canBeMapped(header: readonly string[], column: number): boolean {
  const name = header[column]?.trim() ?? ''
  if (name === '' || name.length > MAX_COLUMN_NAME || name.includes('\0')) return false
  return columnNamed(header, name) === column
}

/** The mapping that reads the columns so. `field` of an error is `column_<index>`. */
export function mappingFor(
  header: readonly string[],
  wanted: readonly string[],
  sample: Sample = [],
): Mapping {
  const guessed = readingOf(header, {}, sample)
  const reading = header.map((_, column) =>
    canBeMapped(header, column) ? (wanted[column] ?? guessed[column] ?? '') : (guessed[column] ?? ''),
  )
  const mapping: Mapping = {}
  const give = (ours: string, column: number) => {
    if (!canBeMapped(header, column)) return
    if (Object.hasOwn(mapping, ours)) throw refused(column, `another column is read as ${ours} already`)
    mapping[ours] = header[column]?.trim() ?? ''
  }
  for (const field of COLUMN_FIELDS) giveField(field)
  for (const [column, read] of reading.entries()) {
    if (read === guessed[column]) continue
    if (read === LEFT_OUT) give(`ignore:${column + 1}`, column)
    else if (read.startsWith(SPEC)) give(specKey(read, column), column)
    else if (!isField(read)) throw refused(column, `there is no field "${read.slice(0, 40)}"`)
  }
  return mapping

  function giveField(field: ColumnField): void {
    const columns = columnsOf(reading, field)
    if (columns.join() === columnsOf(guessed, field).join()) return
    for (const [index, column] of columns.entries()) {
      // "specs:2" would be the spec called 2.
      if (index > 0 && field === 'specs') throw refused(column, 'one column alone can be all specs')
      give(index === 0 ? field : `${field}:${index + 1}`, column)
    }
  }
}

function columnsOf(reading: readonly string[], field: string): number[] {
  return reading.flatMap((read, column) => (read === field ? [column] : []))
}

function isField(read: string): read is ColumnField {
  return (COLUMN_FIELDS as string[]).includes(read)
}

function specKey(read: string, column: number): string {
  const name = cleanLine(read.slice(SPEC.length))
  if (name === '') throw refused(column, 'give the spec a name')
  if (name.length > MAX_SPEC_NAME)
    throw refused(column, `a spec's name has at most ${MAX_SPEC_NAME} characters`)
  return `${SPEC}${name}`
}

function refused(column: number, problem: string): AppError {
  return new AppError('invalid', problem, { field: `column_${column}` })
}
