/** What a person sees when there is no page to show: what happened, in plain words, and a way on. */
import { CATEGORIES_PATH, Layout } from '../layout.tsx'
import type { Site } from '../site.ts'

export function renderMessagePage(
  { status, title, text }: { status: number; title: string; text: string },
  site: Site,
): string {
  return String(
    <Layout site={site} title={`${title} · Souk`} description={text} path={null}>
      <header class="page-head message">
        <p class="status">{status}</p>
        <h1>{title}</h1>
        <p class="lead">{text}</p>
        <p>
          <a class="button" href={CATEGORIES_PATH}>
            Browse the categories
          </a>
        </p>
      </header>
    </Layout>,
  )
}
