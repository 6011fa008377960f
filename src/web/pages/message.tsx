/** A page for errors and notices: what happened, and where to go next. */
import { LinkButton } from '../kit/parts.tsx'
import { CATEGORIES_PATH, Layout } from '../layout.tsx'
import type { Site } from '../site.ts'

type Way = { href: string; label: string }

const BROWSE: Way = { href: CATEGORIES_PATH, label: 'Browse categories' }

export function renderMessagePage(
  page: { status: number; title: string; text: string; way?: Way; also?: Way },
  site: Site,
): string {
  const { status, title, text, way = BROWSE, also } = page
  return String(
    <Layout site={site} title={`${title} · Souk`} description={text} path={null}>
      <header class="page-head message">
        {status >= 400 && <p class="status">{status}</p>}
        <h1>{title}</h1>
        <p class="lead">{text}</p>
        <p>
          <LinkButton to={way.href} primary label={way.label} />
          {also && (
            <>
              {' '}
              <LinkButton to={also.href} primary label={also.label} />
            </>
          )}
        </p>
      </header>
    </Layout>,
  )
}
