/**
 * The one script of all pages. They are whole without it; it adds small things (copying, a sign that something is
 * under way, no more ticks than can be compared, a preview while one types, the click that tells ranking what was chosen) and, where the
 * browser lets pages offer tools to an agent (WebMCP, a W3C community draft), two of the tool server's: they call the
 * public routes, so that a person's own agent can shop without an account. It runs as it is, types taken away, so it
 * imports nothing; the words and schemas of the tools are put in front of it when it is served (script.ts), because
 * the tool server has them.
 */

/** As the server writes it: what the model reads of each tool. */
declare const TOOLS: Record<
  'search_products' | 'get_product',
  { name: string; title: string; description: string; inputSchema: object; annotations: object }
>

/** Text in the form of the tool server's results: the draft leaves the form open, and models know this one. */
type Result = { content: Array<{ type: 'text'; text: string }>; isError?: true }
type Input = Record<string, unknown>
type ModelContext = {
  registerTool(tool: {
    name: string
    title: string
    description: string
    inputSchema: object
    annotations: object
    execute(input: Input, options?: { signal?: AbortSignal }): Promise<Result>
  }): Promise<void> | undefined
}
type Found = {
  slug: string
  title: string
  category: string
  verdict: string | null
  price_range: string | null
  url: string
  reason: string
}

type Answer = { results: Found[]; note?: string; nearest?: Found[] }

/** The draft moved it from the navigator to the document; browsers of both ages are about. */
function findModelContext(): ModelContext | undefined {
  const { document, navigator } = globalThis as {
    document?: { modelContext?: ModelContext }
    navigator?: { modelContext?: ModelContext }
  }
  return document?.modelContext ?? navigator?.modelContext
}

async function searchProducts(input: Input, signal: AbortSignal | null): Promise<Result> {
  const { query, limit, category, brand, exclude_brands, specs, min_price, max_price, on_sale } = input
  const filters = { category, brand, exclude_brands, specs, min_price, max_price, on_sale }
  const response = await fetch('/api/search/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // Without the cookie the answer has the one regular form, whoever is signed in.
    credentials: 'omit',
    body: JSON.stringify({ query, limit, filters }, leftOut),
    signal,
  })
  if (!response.ok) return refused(await refusalText(response))
  const { results, note, nearest = [] } = (await response.json()) as Answer
  const next = 'Next: get_product with the category and slug of one for its whole profile.'
  const line = note === undefined ? [] : [oneLine(note)]
  const listed = results.map((found, at) => resultText(found, `${at + 1}.`, response.url))
  if (listed.length > 0) return said([...line, ...listed, next].join('\n\n'))
  const other = 'Nothing fits. Say it in other words, leave out category, or raise max_price.'
  if (nearest.length === 0) return said(other)
  const closest = nearest.map((found) => resultText(found, '-', response.url))
  return said([other, ...line, 'Closest, but not what was asked for:', ...closest].join('\n\n'))
}

/** Models say null for what they leave open; the route takes a field as meant when it is there. */
function leftOut(_name: string, value: unknown): unknown {
  return value ?? undefined
}

function resultText(found: Found, mark: string, base: string): string {
  const { title, price_range: price, category, slug, verdict, reason, url } = found
  return [
    `${mark} ${oneLine(title)}${price === null ? '' : `, ${price}`}`,
    `   category: ${category}, slug: ${slug}`,
    ...(verdict === null ? [] : [`   ${oneLine(verdict)}`]),
    ...(reason === '' ? [] : [`   Why: ${oneLine(reason)}`]),
    `   ${new URL(url, base).href}`,
  ].join('\n')
}

/** A title of several lines must not look like several results. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

async function getProduct(input: Input, signal: AbortSignal | null): Promise<Result> {
  const [category, slug] = [String(input.category ?? '').trim(), String(input.slug ?? '').trim()]
  if (category === '' || slug === '')
    return refused('category and slug are both needed. search_products gives them with each result.')
  const bare = slug.startsWith(`${category}/`) ? slug.slice(category.length + 1) : slug
  const path = `/p/${encodeURIComponent(category)}/${encodeURIComponent(bare)}.md`
  const response = await fetch(path, { credentials: 'omit', signal })
  if (response.status === 404)
    return refused(
      `There is no product ${bare} in ${category}. search_products gives the category and slug of what there is.`,
    )
  return response.ok ? said(await response.text()) : refused(await refusalText(response))
}

function said(text: string): Result {
  return { content: [{ type: 'text', text }] }
}

/** As a result, not as an exception: what a tool throws does not reach the model. */
function refused(text: string): Result {
  return { ...said(text), isError: true }
}

async function refusalText(response: Response): Promise<string> {
  const wait = response.headers.get('retry-after')
  const again = wait === null ? '' : ` Try again in ${wait} seconds.`
  const body = (await response.json().catch(() => ({}))) as {
    error?: string
    field?: string
    valid?: string[]
  }
  const what = body.error ?? `The shop answered with status ${response.status}.`
  const field = body.field === undefined ? '' : ` Field: ${body.field}.`
  const valid = body.valid === undefined ? '' : ` It may be: ${body.valid.join(', ')}.`
  return `${what}${field}${valid}${again}`
}

async function offerTools(context: ModelContext): Promise<void> {
  const runs = { search_products: searchProducts, get_product: getProduct }
  for (const [name, run] of Object.entries(runs)) {
    await context.registerTool({
      ...TOOLS[name as keyof typeof runs],
      execute: (input, options) =>
        run(input, options?.signal ?? null).catch((error: unknown) => {
          if (options?.signal?.aborted) throw error
          return refused('The shop could not be reached. Try again in a moment.')
        }),
    })
  }
}

const MOST_COMPARED = 4
const COPIED_MS = 2_000
const TYPING_MS = 250

/** Buttons that copy do nothing without a script, so they are hidden until there is one. */
function offerCopying(page: Document): void {
  for (const button of page.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const from = page.getElementById(button.dataset.copy ?? '')
    if (!from || !navigator.clipboard) continue
    // Beside the button, where a screen reader hears of it: the button's own name stays what it does.
    const told = page.querySelector(`output[for="${from.id}"]`) ?? button
    const words = told.textContent
    const say = (said: string | null) => {
      told.textContent = said
      if (said !== words) setTimeout(() => say(words), COPIED_MS)
    }
    button.hidden = false
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(from.textContent ?? '').then(
        () => say('Copied'),
        () => say('Not allowed here'),
      )
    })
  }
}

/** A page that grew while it was shown ends with other words than its title was written with. */
function retitle(page: Document): void {
  const words = page.querySelector<HTMLElement>('[data-page-title]')?.dataset.pageTitle
  if (words) page.title = words
}

/** The pressed button turns until the next page is there; coming back to this one, it stands still again. */
function showProgress(page: Document): void {
  page.addEventListener('submit', (event) => event.submitter?.setAttribute('aria-busy', 'true'))
  addEventListener('pageshow', () => {
    for (const busy of page.querySelectorAll('[aria-busy]')) busy.removeAttribute('aria-busy')
  })
}

function limitTicks(page: Document): void {
  const limit = (form: HTMLFormElement) => {
    const boxes = [...form.querySelectorAll<HTMLInputElement>('.compare-box input')]
    const full = boxes.filter(({ checked }) => checked).length >= MOST_COMPARED
    for (const box of boxes) box.disabled = full && !box.checked
  }
  page.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement && target.form) limit(target.form)
  })
  // Whoever comes back finds the ticks where they were, and nothing has changed then.
  addEventListener('pageshow', () => {
    for (const form of page.forms) limit(form)
  })
}

/** A form that can show what it would make does so while one types; an answer that is overtaken is not shown. */
function previewForms(page: Document): void {
  for (const form of page.querySelectorAll<HTMLFormElement>('form[data-preview]')) {
    const { preview = '', previewInto = '' } = form.dataset
    let timer: number | undefined
    let asking = new AbortController()
    const show = async () => {
      asking.abort()
      asking = new AbortController()
      const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]))
      const response = await fetch(preview, {
        method: 'POST',
        body,
        redirect: 'error',
        signal: asking.signal,
      })
      if (!response.ok) return
      const made = new DOMParser()
        .parseFromString(await response.text(), 'text/html')
        .getElementById(previewInto)
      if (made) page.getElementById(previewInto)?.replaceWith(made)
    }
    form.addEventListener('input', () => {
      clearTimeout(timer)
      // What cannot be shown now is shown after the next key, or by the button.
      timer = setTimeout(() => show().catch(() => {}), TYPING_MS)
    })
  }
}

/** Sent behind the page's back, so that the next one need not wait for it. */
function reportClicks(page: Document): void {
  const report = ({ target, button }: MouseEvent) => {
    // The third button opens a menu: nothing was chosen yet.
    if (button > 1) return
    const link = target instanceof Element ? target.closest<HTMLElement>('a[data-query-id]') : null
    if (!link) return
    const { queryId: query_id, slug } = link.dataset
    navigator.sendBeacon('/api/search/click', JSON.stringify({ query_id, slug }))
  }
  page.addEventListener('click', report)
  page.addEventListener('auxclick', report)
}

const page = globalThis.document as Document | undefined
if (page?.body)
  for (const add of [retitle, offerCopying, showProgress, limitTicks, previewForms, reportClicks]) add(page)

const modelContext = findModelContext()
// A page whose frame or browser forbids tools is a page without them: nothing for its reader to hear of.
if (modelContext) offerTools(modelContext).catch(() => {})

export {}
