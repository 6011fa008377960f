/**
 * The script of all pages, which also work without it. It adds copy buttons, progress on buttons, the count of products
 * to compare, live previews and click reports for ranking. In browsers with WebMCP (a W3C community draft) it offers an
 * agent two of the tool server's tools, which call public routes and need no account. Only its types are stripped, so it
 * imports nothing; script.ts puts the tools' descriptions in front of it.
 */

/** Written by the server: each tool's description for the model. */
declare const TOOLS: Record<
  'search_products' | 'get_product',
  { name: string; title: string; description: string; inputSchema: object; annotations: object }
>

/** The tool server's result format. The draft leaves it open, and models know this one. */
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

/** The draft moved it from the navigator to the document; browsers differ. */
function findModelContext(): ModelContext | undefined {
  const { document, navigator } = globalThis as {
    document?: { modelContext?: ModelContext }
    navigator?: { modelContext?: ModelContext }
  }
  return document?.modelContext ?? navigator?.modelContext
}

async function searchProducts(input: Input, signal: AbortSignal | null): Promise<Result> {
  const { query, limit, ...rest } = input
  const { category, brand, exclude_brands, specs, min_price, max_price, on_sale, available, ships_to } = rest
  const filters = {
    ...{ category, brand, exclude_brands, specs, min_price, max_price, on_sale },
    ...{ available, ships_to },
  }
  const response = await fetch('/api/search/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // Without the cookie the response never is a bundle.
    credentials: 'omit',
    body: JSON.stringify({ query, limit, filters }, leftOut),
    signal,
  })
  if (!response.ok) return refused(await refusalText(response))
  const { results, note, nearest = [] } = (await response.json()) as Answer
  const next = 'Next: call get_product with a result’s category and slug for its full profile.'
  const line = note === undefined ? [] : [oneLine(note)]
  const listed = results.map((found, at) => resultText(found, `${at + 1}.`, response.url))
  if (listed.length > 0) return said([...line, ...listed, next].join('\n\n'))
  const other = 'No results. Try other words, leave out category, or raise max_price.'
  if (nearest.length === 0) return said(other)
  const closest = nearest.map((found) => resultText(found, '-', response.url))
  return said(
    [other, ...line, 'Closest matches (they do not meet every requirement):', ...closest].join('\n\n'),
  )
}

/** Models send null for fields they leave open; the route does not accept null. */
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

/** Keeps a multi-line title from looking like several results. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

async function getProduct(input: Input, signal: AbortSignal | null): Promise<Result> {
  const [category, slug] = [String(input.category ?? '').trim(), String(input.slug ?? '').trim()]
  if (category === '' || slug === '')
    return refused('category and slug are required. search_products returns both with each result.')
  const bare = slug.startsWith(`${category}/`) ? slug.slice(category.length + 1) : slug
  const path = `/p/${encodeURIComponent(category)}/${encodeURIComponent(bare)}.md`
  const response = await fetch(path, { credentials: 'omit', signal })
  if (response.status === 404)
    return refused(`No product ${bare} in ${category}. Use search_products to find the category and slug.`)
  return response.ok ? said(await response.text()) : refused(await refusalText(response))
}

function said(text: string): Result {
  return { content: [{ type: 'text', text }] }
}

/** A result, because exceptions do not reach the model. */
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
  const what = body.error ?? `The server returned status ${response.status}.`
  const field = body.field === undefined ? '' : ` Field: ${body.field}.`
  const valid = body.valid === undefined ? '' : ` Valid values: ${body.valid.join(', ')}.`
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
          return refused('Could not reach the server. Try again in a moment.')
        }),
    })
  }
}

const MOST_COMPARED = 4
const COPIED_MS = 2_000
const TYPING_MS = 250

/** Copy buttons are hidden until the script can make them work. */
function offerCopying(page: Document): void {
  for (const button of page.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const from = page.getElementById(button.dataset.copy ?? '')
    if (!from || !navigator.clipboard) continue
    // Reported beside the button, so that screen readers announce it and the button keeps its name.
    const report = page.querySelector(`output[for="${from.id}"]`) ?? button
    const words = report.textContent
    const say = (said: string | null) => {
      report.textContent = said
      if (said !== words) setTimeout(() => say(words), COPIED_MS)
    }
    button.hidden = false
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(from.textContent ?? '').then(
        () => say('Copied'),
        () => say('Couldn’t copy'),
      )
    })
  }
}

/** A photo that is gone from its host gives its room to the drawing, and no longer leads to its full size. */
function drawGonePhotos(page: Document): void {
  const draw = (image: HTMLImageElement) => {
    const instead = image.dataset.instead
    if (!instead) return
    image.closest('.full-size')?.replaceWith(image)
    image.srcset = ''
    image.className = 'picture'
    image.src = instead
    image.dataset.instead = ''
  }
  // Errors do not bubble. Those of other elements have no drawing.
  page.addEventListener('error', ({ target }) => draw(target as HTMLImageElement), true)
  for (const image of page.images) if (!image.naturalWidth && image.complete) draw(image)
}

/** A streamed page may end with another title than it started with. */
function retitle(page: Document): void {
  const words = page.querySelector<HTMLElement>('[data-page-title]')?.dataset.pageTitle
  if (words) page.title = words
}

/** Marks the pressed button as busy until the next page loads. `pageshow` resets it when the person comes back. */
function showProgress(page: Document): void {
  page.addEventListener('submit', (event) => event.submitter?.setAttribute('aria-busy', 'true'))
  addEventListener('pageshow', () => {
    for (const busy of page.querySelectorAll('[aria-busy]')) busy.removeAttribute('aria-busy')
  })
}

/** Limits how many products can be selected for comparison, and shows the count on the button. */
function countCompared(page: Document): void {
  const limit = (form: HTMLFormElement) => {
    const boxes = [...form.querySelectorAll<HTMLInputElement>('.compare-box input')]
    const count = boxes.filter(({ checked }) => checked).length
    for (const box of boxes) box.disabled = count >= MOST_COMPARED && !box.checked
    const button = form.querySelector('.compare-bar button')
    if (button) button.textContent = count > 1 ? `Compare ${count} products` : 'Compare selected'
  }
  page.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement && target.form) limit(target.form)
  })
  // The browser restores checkboxes without a change event.
  addEventListener('pageshow', () => {
    for (const form of page.forms) limit(form)
  })
}

/** Updates a form's preview while the person types. A newer request aborts an older one. */
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
      // A failed preview is retried by the next key press or the button.
      timer = setTimeout(() => show().catch(() => {}), TYPING_MS)
    })
  }
}

/** A box with `data-filter` hides the entries of a menu that lack what is typed, and opens the groups that have it. */
function filterMenus(page: Document): void {
  for (const box of page.querySelectorAll<HTMLInputElement>('input[data-filter]')) {
    const menu = page.getElementById(box.dataset.filter ?? '')
    box.addEventListener('input', () => {
      const words = box.value.toLowerCase().split(/\s+/)
      if (menu instanceof HTMLDetailsElement) menu.open = box.value !== ''
      for (const entry of menu?.querySelectorAll('li') ?? [])
        entry.hidden = !words.every((word) => entry.textContent?.toLowerCase().includes(word))
      for (const group of menu?.querySelectorAll('details') ?? []) {
        group.hidden = !group.querySelector('li:not([hidden])')
        group.open ||= !group.hidden
      }
    })
  }
}

/** Marks the section being read in the menu beside it. */
function markPlace(page: Document): void {
  const links = [...page.querySelectorAll<HTMLAnchorElement>('.docs-menu a[href^="#"]')]
  const observer = new IntersectionObserver(
    (seen) => {
      const { id } = seen.findLast(({ isIntersecting }) => isIntersecting)?.target ?? {}
      if (id === undefined) return
      for (const link of links) link.ariaCurrent = link.hash === `#${id}` ? 'location' : null
    },
    { rootMargin: '0px 0px -70%' },
  )
  for (const { hash } of links) {
    const section = page.getElementById(hash.slice(1))
    if (section) observer.observe(section)
  }
}

/** Uses a beacon, so that the next page does not wait for it. */
function reportClicks(page: Document): void {
  const report = ({ target, button }: MouseEvent) => {
    // The right button only opens a menu.
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
  for (const add of [
    retitle,
    offerCopying,
    drawGonePhotos,
    showProgress,
    countCompared,
    previewForms,
    filterMenus,
    markPlace,
    reportClicks,
  ])
    add(page)

const modelContext = findModelContext()
// A frame or browser may forbid tools; the page works without them.
if (modelContext) offerTools(modelContext).catch(() => {})

export {}
