/**
 * The frame of every page: head, header, footer, and the notice that marks a demo catalog. The content security policy
 * forbids inline styles and scripts.
 */
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { DEMO_NOTICE } from '../catalog/profile.markdown.ts'
import { isLoopback } from '../lib/loopback.ts'
import { shorten } from '../lib/text.ts'
import { SaveForm } from './components/save-button.tsx'
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
  /** The canonical path. Null for pages such as errors, which search engines must not index. */
  path: string | null
  /** `console` pages have their own stylesheet and header. */
  kind?: 'website' | 'product' | 'console'
  /** The link preview image, a path from previews/preview-path.ts. */
  image?: string | null
  alternates?: Array<{ type: 'text/markdown' | 'application/ld+json'; path: string }>
  /** JSON text, embedded as a data block. */
  jsonLd?: string
  /** The text in the header's search box; null hides the box on pages with their own. */
  search?: string | null
  /** True for a page whose address is a secret: no other site learns it, and its forms are still known as ours. */
  secret?: boolean
  /** A script of this page alone, beside that of all pages. */
  extraScript?: string
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
          {props.kind === 'console' ? <ConsoleHeader site={site} /> : <Header site={site} search={search} />}
          {site.demo && (
            <aside class="notice" aria-label="About this catalog">
              <p class="wrap">{DEMO_NOTICE}</p>
            </aside>
          )}
          <main id="main" class="wrap" tabindex={-1}>
            {children}
          </main>
          <Footer prices={props.kind !== 'console'} />
        </body>
      </html>
    </>
  )
}

function Head(props: LayoutProps) {
  const { site, title, description, path, kind = 'website', image, alternates, jsonLd, extraScript } = props
  const summary = shorten(description.replace(/\s+/g, ' ').trim(), DESCRIPTION_LENGTH)
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title}</title>
      <meta name="description" content={summary} />
      {path === null && <meta name="robots" content="noindex" />}
      {props.secret && saysOnlyOrigin(site.baseUrl) && <meta name="referrer" content="same-origin" />}
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
      {kind === 'console' && site.consoleScript !== undefined && (
        <script type="module" src={site.consoleScript} />
      )}
      {extraScript !== undefined && <script type="module" src={extraScript} />}
      {jsonLd !== undefined && <script type="application/ld+json">{raw(scriptJson(jsonLd))}</script>}
    </head>
  )
}

/**
 * Over plain http browsers do not send Sec-Fetch-Site, and a page with `Referrer-Policy: no-referrer` posts with
 * `Origin: null`: its own forms would be taken for another site's. There the page names its address to itself.
 */
function saysOnlyOrigin(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === 'http:' && !isLoopback(hostname)
}

/** The image other sites show with a link: the page's own, or the site's. */
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

/** Links about the whole site, for crawlers that start at the home page. */
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

function Header({ site, search }: { site: Site; search: string | null }) {
  return (
    <header class="site-header">
      <div class="wrap">
        <SiteName />
        {search !== null && <SearchBox value={search} />}
        <nav class="site-nav" aria-label="Main">
          <a href={CATEGORIES_PATH}>Categories</a>
          <a href="/sets">Bundles</a>
          <a href="/connect">Connect</a>
          <a href="/quotes">Quotes</a>
          <a href="/saved">Saved</a>
          <a class="nav-sell" href={site.viewer?.isOperator ? '/admin' : '/dashboard'}>
            {site.viewer?.isOperator ? 'Admin' : 'Sell'}
          </a>
        </nav>
        <AccountLink {...site} />
        <SaveForm />
      </div>
    </header>
  )
}

/** Has one size for every name: the script writes a name here, and nothing may move. */
function AccountLink({ viewer }: Pick<Site, 'viewer'>) {
  return (
    <a class="nav-who" href="/account">
      <span aria-hidden="true">
        {viewer?.initials ?? (
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M8 8a3 3 0 100-6 3 3 0 000 6zM2 15a6 6 0 0112 0z" fill="currentColor" />
          </svg>
        )}
      </span>
      <span>{viewer?.name ?? 'Account'}</span>
    </a>
  )
}

function ConsoleHeader({ site }: { site: Site }) {
  return (
    <header class="site-header">
      <div class="wrap">
        <SiteName />
        <nav class="site-nav" aria-label="Main">
          {site.viewer?.isOperator && <a href="/admin">Operator</a>}
          <a href="/dashboard">Dashboard</a>
          <a href={CATEGORIES_PATH}>Catalog</a>
          <a href="/docs">Docs</a>
        </nav>
        <AccountLink {...site} />
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

function Footer({ prices }: { prices: boolean }) {
  return (
    <footer class="site-footer">
      <div class="wrap">
        <p>
          <strong>Souk</strong> is an open-source product catalog for shoppers and their AI agents.
        </p>
        <nav aria-label="Footer">
          <a href={CATEGORIES_PATH}>Categories</a>
          <a href="/compare">Compare</a>
          <a href="/verify-quote">Verify a quote</a>
          <a href="/connect">Connect an agent</a>
          <a href="/dashboard">For sellers</a>
          <a href="/docs">For developers</a>
        </nav>
        {prices && <p data-currencies="">Prices are in US dollars.</p>}
      </div>
    </footer>
  )
}
