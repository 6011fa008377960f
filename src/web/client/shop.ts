/**
 * The part of the script that helps people shop: suggestions while somebody types a search, keys that lead to the search
 * box, and lists that follow their filters without "Apply". Past searches are kept in this browser and never sent. Every
 * page is whole without it. It is served behind souk.ts in one file, so no name here is one there.
 */

type Suggestion = {
  kind: 'category' | 'brand' | 'product' | 'past'
  text: string
  url: string
  products?: number
  category?: { label: string }
  price_range?: string | null
  picture?: string
  matched: Array<[number, number]>
}

const KEYS_MS = 60
const PAST_KEY = 'souk.searches'
const MOST_PAST = 8
const PAST_BESIDE_OTHERS = 3
const GROUPS = { past: 'Past searches', category: 'Categories', brand: 'Brands', product: 'Products' }

/** Storage may be forbidden, or hold what somebody else wrote. */
function pastSearches(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(PAST_KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter((text) => typeof text === 'string').slice(0, MOST_PAST) : []
  } catch {
    return []
  }
}

function keepPast(searches: string[]): void {
  try {
    if (searches.length === 0) localStorage.removeItem(PAST_KEY)
    else localStorage.setItem(PAST_KEY, JSON.stringify(searches.slice(0, MOST_PAST)))
  } catch {
    // The next visit knows less.
  }
}

function pastLike(typed: string, most: number): Suggestion[] {
  const start = typed.toLowerCase()
  return pastSearches()
    .filter((text) => text.toLowerCase().startsWith(start) && text.toLowerCase() !== start)
    .slice(0, most)
    .map((text) => ({
      kind: 'past',
      text,
      url: `/search?${new URLSearchParams({ q: text })}`,
      matched: [[0, typed.length]],
    }))
}

/** The text with what was typed of it in bold. */
function marked(page: Document, { text, matched }: Suggestion): Node[] {
  const parts: Node[] = []
  let at = 0
  for (const [from, to] of matched) {
    const bold = page.createElement('b')
    bold.textContent = text.slice(from, to)
    parts.push(page.createTextNode(text.slice(at, from)), bold)
    at = to
  }
  return [...parts, page.createTextNode(text.slice(at))]
}

function beside({ kind, products, category, price_range }: Suggestion): string {
  if (kind === 'product') return price_range ?? category?.label ?? ''
  return products === undefined
    ? ''
    : `${products.toLocaleString('en-US')} product${products === 1 ? '' : 's'}`
}

function optionOf(page: Document, suggestion: Suggestion, id: string): HTMLElement {
  const option = Object.assign(page.createElement('div'), { id, role: 'option', ariaSelected: 'false' })
  option.dataset.url = suggestion.url
  if (suggestion.picture)
    option.append(
      Object.assign(page.createElement('img'), { src: suggestion.picture, alt: '', width: 40, height: 30 }),
    )
  const name = page.createElement('span')
  name.append(...marked(page, suggestion))
  const more = Object.assign(page.createElement('span'), {
    className: 'soft',
    textContent: beside(suggestion),
  })
  option.append(name, ' ', more)
  return option
}

/** The combobox pattern of ARIA: the box keeps the focus, arrows move through the list below it. */
function suggestIn(page: Document, box: HTMLInputElement, form: HTMLFormElement): void {
  const id = `${box.id}-suggestions`
  const list = Object.assign(page.createElement('div'), { id, role: 'listbox', ariaLabel: 'Suggestions' })
  const clear = Object.assign(page.createElement('button'), {
    type: 'button',
    className: 'clear',
    textContent: 'Clear past searches',
  })
  const panel = Object.assign(page.createElement('div'), { className: 'suggestions', hidden: true })
  panel.append(list, clear)
  form.append(panel)
  box.role = 'combobox'
  box.ariaAutoComplete = 'list'
  box.ariaExpanded = 'false'
  box.setAttribute('aria-controls', id)
  let options: HTMLElement[] = []
  let active = -1
  let timer: number | undefined
  let asking = new AbortController()

  const go = (option: HTMLElement | undefined) => location.assign(option?.dataset.url ?? form.action)
  const mark = (at: number) => {
    options[active]?.setAttribute('aria-selected', 'false')
    active = at
    const option = options[at]
    option?.setAttribute('aria-selected', 'true')
    option?.scrollIntoView({ block: 'nearest' })
    if (option) box.setAttribute('aria-activedescendant', option.id)
    else box.removeAttribute('aria-activedescendant')
  }
  const close = () => {
    asking.abort()
    clearTimeout(timer)
    mark(-1)
    panel.hidden = true
    box.ariaExpanded = 'false'
  }
  const show = (suggestions: Suggestion[]) => {
    mark(-1)
    const groups = new Map<string, HTMLElement>()
    options = suggestions.map((suggestion, at) => {
      const option = optionOf(page, suggestion, `${id}-${at}`)
      const name = GROUPS[suggestion.kind]
      const group =
        groups.get(name) ?? Object.assign(page.createElement('div'), { role: 'group', ariaLabel: name })
      groups.set(name, group)
      group.append(option)
      return option
    })
    list.replaceChildren(...groups.values())
    // In the order in which they are seen.
    options = [...list.querySelectorAll<HTMLElement>('[role=option]')]
    clear.hidden = !suggestions.some(({ kind }) => kind === 'past')
    panel.hidden = options.length === 0
    box.ariaExpanded = String(options.length > 0)
  }
  const ask = async () => {
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    const q = box.value.trim()
    if (q === '') return show(pastLike('', MOST_PAST))
    const response = await fetch(`/api/suggest/?${new URLSearchParams({ q })}`, { signal })
    if (!response.ok) return
    const { suggestions } = (await response.json()) as { suggestions: Suggestion[] }
    if (!signal.aborted) show([...pastLike(q, PAST_BESIDE_OTHERS), ...suggestions])
  }
  const askSoon = () => {
    clearTimeout(timer)
    // What fails now is tried again by the next key.
    timer = setTimeout(() => ask().catch(() => {}), box.value === '' ? 0 : KEYS_MS)
  }
  box.addEventListener('input', askSoon)
  box.addEventListener('focus', () => {
    if (box.value === '') askSoon()
  })
  box.addEventListener('keydown', (event) => {
    const { key } = event
    if (key === 'Escape' && !panel.hidden) close()
    else if (key === 'Enter' && active >= 0) go(options[active])
    else if (key === 'ArrowDown' || key === 'ArrowUp') {
      if (panel.hidden) askSoon()
      const count = options.length + 1
      if (!panel.hidden) mark(((active + 1 + (key === 'ArrowDown' ? 1 : -1) + count) % count) - 1)
    } else return
    event.preventDefault()
  })
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) close()
  })
  // A press must not take the focus from the box, which would close the list under it.
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', ({ target }) => {
    const option = target instanceof Element ? target.closest<HTMLElement>('[role=option]') : null
    if (option) go(option)
  })
  clear.addEventListener('click', () => {
    keepPast([])
    box.focus()
    askSoon()
  })
  form.addEventListener('submit', () => {
    const q = box.value.trim()
    if (q !== '') keepPast([q, ...pastSearches().filter((text) => text.toLowerCase() !== q.toLowerCase())])
  })
}

function helpSearching(page: Document): void {
  const boxes = [...page.querySelectorAll<HTMLInputElement>('.search-box input[type=search]')].filter(
    (box) => box.dataset.filter === undefined && !box.form?.querySelector('[name=category]'),
  )
  for (const box of boxes) if (box.form) suggestIn(page, box, box.form)
  page.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event
    const isTyping =
      target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
    const isAsked = (ctrlKey || metaKey ? key === 'k' : key === '/' && !isTyping) && !altKey
    const box = boxes.find((one) => one.offsetParent !== null)
    if (!isAsked || !box) return
    event.preventDefault()
    box.focus()
    box.select()
  })
}

/** Parts of a page that a filter changes. */
const LIVE_PARTS = ['search-head', 'found']
const LIVE_LINKS = '#found .facet a, #found .narrowing a'

/** A filter replaces the list and the address; back and forward do, too. A newer one aborts an older. */
function followFilters(page: Document): void {
  if (!page.getElementById('found')) return
  let asking = new AbortController()
  let shown = location.pathname + location.search
  const show = async (address: URL) => {
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    page.getElementById('found')?.setAttribute('aria-busy', 'true')
    const response = await fetch(address, { signal, headers: { accept: 'text/html' } })
    const made = new DOMParser().parseFromString(await response.text(), 'text/html')
    if (signal.aborted) return
    if (!response.ok || !made.getElementById('found')) throw new Error('not a list')
    shown = address.pathname + address.search
    replaceParts(page, made)
  }
  /** The browser goes there itself when the script cannot. */
  const follow = (address: URL, isNew: boolean) => {
    const asked = show(address)
    const { signal } = asking
    asked.then(
      () => {
        if (isNew && !signal.aborted) history.pushState(null, '', address)
      },
      () => {
        if (!signal.aborted) location.assign(address)
      },
    )
  }
  const followForm = (form: HTMLFormElement) => {
    const address = new URL(form.action)
    for (const [name, value] of new FormData(form))
      if (value !== '') address.searchParams.append(name, String(value))
    follow(address, true)
  }
  page.addEventListener('click', (event) => {
    const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>(LIVE_LINKS) : null
    if (!link || button > 0 || ctrlKey || metaKey || shiftKey || altKey) return
    event.preventDefault()
    follow(new URL(link.href), true)
  })
  const formOf = ({ target }: Event) => {
    const form = target instanceof HTMLFormElement ? target : (target as HTMLInputElement | null)?.form
    return form?.id === 'filter-form' ? form : null
  }
  for (const kind of ['change', 'submit'])
    page.addEventListener(kind, (event) => {
      const form = formOf(event)
      if (!form) return
      event.preventDefault()
      followForm(form)
    })
  addEventListener('popstate', () => {
    if (location.pathname + location.search !== shown) follow(new URL(location.href), false)
  })
  page.addEventListener('keydown', ({ key }) => {
    const sheet = page.querySelector<HTMLDetailsElement>('.filters > details[open]')
    if (key !== 'Escape' || !sheet || getComputedStyle(sheet).position !== 'fixed') return
    sheet.open = false
    sheet.querySelector('summary')?.focus()
  })
}

/** What a fold is called, whatever its numbers are now. */
function foldName(fold: HTMLDetailsElement): string {
  if (fold.parentElement?.matches('.filters')) return 'filters'
  return fold.querySelector('summary')?.textContent?.replace(/\d/g, '') ?? ''
}

/** What an element of a list is called: values are told apart by their facet and their own name. */
function elementName(element: Element): string {
  const facet = element.closest('.facet')?.querySelector('h3')?.textContent ?? ''
  return element.id || `${facet}\n${element.firstChild?.textContent?.trim()}`
}

/** Keeps the focus, what is unfolded and how far it is scrolled. */
function replaceParts(page: Document, made: Document): void {
  const within = (selector: string) => [...page.querySelectorAll<HTMLElement>(`#found ${selector}`)]
  const foldsNow = () => within('details') as HTMLDetailsElement[]
  const focused = within(':focus')[0]
  const name = focused && elementName(focused)
  const scrolled = page.querySelector('.sheet')?.scrollTop ?? 0
  const folds = new Map(foldsNow().map((fold) => [foldName(fold), fold.open]))
  for (const id of LIVE_PARTS) {
    const part = made.getElementById(id)
    if (part) page.getElementById(id)?.replaceWith(part)
  }
  for (const fold of foldsNow()) fold.open = folds.get(foldName(fold)) ?? fold.open
  page.querySelector('.sheet')?.scrollTo(0, scrolled)
  const heading = page.getElementById('results')
  const said = page.getElementById('live-said')
  if (said) said.textContent = heading?.textContent ?? ''
  if (name === undefined || !heading) return
  heading.tabIndex = -1
  const again = within('a, input, select, summary').find((element) => elementName(element) === name)
  const to = again ?? heading
  to.focus({ preventScroll: true })
}

const shopPage = globalThis.document as Document | undefined
if (shopPage?.body) for (const add of [helpSearching, followFilters]) add(shopPage)

export {}
