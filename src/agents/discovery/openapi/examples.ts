/**
 * The examples of the description: requests that were really sent and answers that really came, kept in `examples.json`
 * by the test that asks for them. What differs from run to run has a stand-in there, and addresses of the service are
 * written with `{base_url}`, so that every operator's description shows their own.
 */
import fs from 'node:fs'
import { projectFile } from '../../../lib/paths.ts'

export const EXAMPLES_FILE = projectFile('src', 'agents', 'discovery', 'openapi', 'examples.json')
export const BASE_URL_WORD = '{base_url}'

export type Example = { summary: string; value: unknown }

/** By operation. Answers by status, then by media type, then by name. */
export type Examples = Record<
  string,
  {
    requests?: Record<string, Example>
    answers?: Record<string, Record<string, Record<string, Example>>>
  }
>

export function readExamples(baseUrl: string): Examples {
  // As it stands inside a JSON string.
  const address = JSON.stringify(baseUrl).slice(1, -1)
  return JSON.parse(fs.readFileSync(EXAMPLES_FILE, 'utf8').replaceAll(BASE_URL_WORD, address)) as Examples
}
