/** A page with one narrow column, for forms and decisions. Kept out of search engines. */
import type { Child } from 'hono/jsx'
import { Layout } from '../layout.tsx'
import type { Site } from '../site.ts'

type PageProps = { site: Site; title: string; lead?: string; extraScript?: string; children?: Child }

export function NarrowPage({ site, title, lead, extraScript, children }: PageProps) {
  return (
    <Layout
      site={site}
      title={`${title} · Souk`}
      description={lead ?? title}
      path={null}
      extraScript={extraScript}
    >
      <div class="narrow">
        <header class="account-head">
          <h1>{title}</h1>
          {lead && <p class="soft">{lead}</p>}
        </header>
        {children}
      </div>
    </Layout>
  )
}
