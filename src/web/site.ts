import type { Viewer } from './signed-in.ts'

/** What every page needs to render. Built once at start. */
export type Site = {
  /** Public address without a trailing slash. */
  baseUrl: string
  /** True while the fictional demo catalog is loaded. */
  demo: boolean
  stylesheet: string
  /** For the dashboard and the operator's pages. */
  consoleStylesheet?: string
  script?: string
  /** The same for the pages people work on, beside the other. */
  kitScript?: string
  /** For the dashboard and the operator's pages. */
  consoleScript?: string
  /** Of pages with shared quotes. */
  verifyScript?: string
  /** Who is signed in, on a page that is rendered for one person. */
  viewer?: Viewer
}
