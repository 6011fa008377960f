/**
 * What is wrong with a form's fields, each said with the label that people see: a schema knows its fields by the names
 * of the interface, and the summary of errors names them where no field stands beside.
 */
import { z } from 'zod'
import { invalidInput } from '../../lib/validate.ts'

/** By field; the first problem of each. */
export function labelledIssues(error: z.ZodError, labels: Record<string, string>): Record<string, string> {
  const problems: Record<string, string> = {}
  for (const issue of error.issues) {
    const name = String(issue.path[0] ?? '')
    const { field = '', message } = invalidInput(new z.ZodError([issue]))
    const problem = field ? message.slice(`${field}: `.length) : message
    problems[name] ??= labels[name] === undefined ? problem : `${labels[name]}: ${problem}`
  }
  return problems
}
