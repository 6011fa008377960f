/** What every page needs to know about where it is shown. Built once at start and handed to each render function. */
export type Site = {
  /** Public address without a trailing slash; canonical and alternate links are made from it. */
  baseUrl: string
  /** True while the fictional demo catalog is loaded. */
  demo: boolean
  /** Address of the stylesheet, with its hash. */
  stylesheet: string
  /** The same for the pages people work on, which have parts of their own. */
  consoleStylesheet?: string
  /** Address of the script, with its hash; every page is whole without it. */
  script?: string
  /** The same for the pages people work on, beside the other. */
  kitScript?: string
}
