/**
 * The frame of every page: head, header, footer, and the one notice that tells an invented catalog from a real one.
 * Nothing here is inline style or script, because the content security policy refuses both; the one script file only
 * adds to what is there. Navigation names only what exists.
 */
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { DEMO_NOTICE } from '../catalog/profile.markdown.ts'
import { shorten } from '../lib/text.ts'
import { SearchBox } from './components/search-box.tsx'
import { ARCH } from './mark.ts'
import { PREVIEW_SIZE, SOUK_PREVIEW, SOUK_PREVIEW_ALT } from './previews/preview-path.ts'
import { scriptJson } from './safe.ts'
import type { Site } from './site.ts'

export const CATEGORIES_PATH = '/#categories'

type LayoutProps = {
  site: Site
  title: string
  description: string
  /** The page's own path; null for pages that are no place, such as errors, which are then kept out of indexes. */
  path: string | null
  /** `console`: a page people work on; it has another stylesheet and another header. */
  kind?: 'website' | 'product' | 'console'
  /** The picture for links to this page: a path of previews/preview-path.ts. */
  image?: string | null
  alternates?: Array<{ type: 'text/markdown' | 'application/ld+json'; path: string }>
  /** JSON text, embedded as a data block. */
  jsonLd?: string
  /** What the search box at the top holds; null for a page that has its own. */
  search?: string | null
  children: Child
}

const DESCRIPTION_LENGTH = 200
const ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#2347c5" d="${ARCH}"/></svg>`,
)}`

export function Layout(props: LayoutProps) {
  const { site, children, search = props.path === '/' ? null : '' } = props
  return (
    <>
      {raw('<!doctype html>')}
      <html lang="en">
        <Head {...props} />
        <body>
          <a class="skip" href="#main">
            Skip to content
          </a>
          {props.kind === 'console' ? <ConsoleHeader /> : <Header search={search} />}
          {site.demo && (
            <aside class="notice" aria-label="About this catalog">
              <p class="wrap">{DEMO_NOTICE}</p>
            </aside>
          )}
          <main id="main" class="wrap" tabindex={-1}>
            {children}
          </main>
          <Footer />
        </body>
      </html>
    </>
  )
}

function Head({ site, title, description, path, kind = 'website', image, alternates, jsonLd }: LayoutProps) {
  const summary = shorten(description.replace(/\s+/g, ' ').trim(), DESCRIPTION_LENGTH)
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title}</title>
      <meta name="description" content={summary} />
      {path === null && <meta name="robots" content="noindex" />}
      <meta name="color-scheme" content="light dark" />
      <meta property="og:site_name" content="Souk" />
      <meta property="og:type" content={kind === 'product' ? 'product' : 'website'} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={summary} />
      {path !== null && <meta property="og:url" content={`${site.baseUrl}${path}`} />}
      <LinkPicture image={image ?? null} title={title} baseUrl={site.baseUrl} />
      {path !== null && <link rel="canonical" href={`${site.baseUrl}${path}`} />}
      {alternates?.map((form) => (
        <link rel="alternate" type={form.type} href={`${site.baseUrl}${form.path}`} />
      ))}
      {path !== null && (
        <link rel="ard" type="application/json" href={`${site.baseUrl}/.well-known/ard.json`} />
      )}
      {path === '/' && <WholeSite baseUrl={site.baseUrl} />}
      <link rel="icon" type="image/svg+xml" href={ICON} />
      <link
        rel="stylesheet"
        href={(kind === 'console' ? site.consoleStylesheet : undefined) ?? site.stylesheet}
      />
      {site.script !== undefined && <script type="module" src={site.script} />}
      {kind === 'console' && site.kitScript !== undefined && <script type="module" src={site.kitScript} />}
      {jsonLd !== undefined && <script type="application/ld+json">{raw(scriptJson(jsonLd))}</script>}
    </head>
  )
}

/** What other sites show beside a link. Without a picture of the page's own it is the one of the whole site. */
function LinkPicture({ image, title, baseUrl }: { image: string | null; title: string; baseUrl: string }) {
  return (
    <>
      <meta property="og:image" content={`${baseUrl}${image ?? SOUK_PREVIEW}`} />
      <meta property="og:image:type" content="image/png" />
      <meta property="og:image:width" content={String(PREVIEW_SIZE.width)} />
      <meta property="og:image:height" content={String(PREVIEW_SIZE.height)} />
      <meta property="og:image:alt" content={image === null ? SOUK_PREVIEW_ALT : title} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  )
}

/** What stands for all of it and not for one page: said where a crawler starts. */
function WholeSite({ baseUrl }: { baseUrl: string }) {
  return (
    <>
      <link rel="alternate" type="text/plain" href={`${baseUrl}/llms.txt`} />
      <link rel="sitemap" type="application/xml" href={`${baseUrl}/sitemap.xml`} />
      <link rel="service-desc" type="application/json" href={`${baseUrl}/openapi.json`} />
      <link rel="service-doc" type="text/html" href={`${baseUrl}/docs`} />
    </>
  )
}

function Header({ search }: { search: string | null }) {
  return (
    <header class="site-header">
      <div class="wrap">
        <SiteName />
        {search !== null && <SearchBox value={search} />}
        <nav class="site-nav" aria-label="Main">
          <a href={CATEGORIES_PATH}>Categories</a>
          <a href="/bundle">Sets</a>
          <a href="/connect">Connect</a>
          <a href="/saved">Saved</a>
          <a href="/account">Account</a>
        </nav>
      </div>
    </header>
  )
}

function ConsoleHeader() {
  return (
    <header class="site-header">
      <div class="wrap">
        <SiteName />
        <nav class="site-nav" aria-label="Main">
          <a href="/dashboard">Dashboard</a>
          <a href={CATEGORIES_PATH}>Catalog</a>
          <a href="/docs">Docs</a>
          <a href="/account">Account</a>
        </nav>
      </div>
    </header>
  )
}

function SiteName() {
  return (
    <a class="site-name" href="/">
      <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
        <path d={ARCH} fill="currentColor" />
      </svg>
      Souk
    </a>
  )
}

function Footer() {
  return (
    <footer class="site-footer">
      <div class="wrap">
        <p>
          <strong>Souk</strong> is an open-source product catalog for people who shop and for the agents that
          shop for them.
        </p>
        <nav aria-label="Footer">
          <a href={CATEGORIES_PATH}>Categories</a>
          <a href="/compare">Compare</a>
          <a href="/verify-quote">Check a quote</a>
          <a href="/connect">Connect an agent</a>
          <a href="/dashboard">For sellers</a>
          <a href="/docs">For developers</a>
        </nav>
      </div>
    </footer>
  )
}
