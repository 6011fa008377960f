/**
 * The description that this service publishes, written once for the file and for the page about it: it takes longer than
 * anything else that a reader may wait for. One address is kept, because a service has one.
 */
import { type OpenApiDocument, writeOpenApi } from './document.ts'

let kept: { baseUrl: string; document: OpenApiDocument } | null = null

export function publishedOpenApi({ baseUrl }: { baseUrl: string }): OpenApiDocument {
  if (kept?.baseUrl !== baseUrl) kept = { baseUrl, document: writeOpenApi({ baseUrl }) }
  return kept.document
}
