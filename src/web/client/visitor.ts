/**
 * What the script does for one visitor, on pages that are made once for everybody: times in their zone, prices in a
 * currency of their choice, saving without leaving the page, who is signed in, what they looked at before, sharing.
 * What it keeps stays in the browser. script.ts puts it behind souk.ts in one file, so names must differ from those
 * there.
 */

/** Null when storage is off, or holds what no version of this script wrote. */
function recall(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

function keep(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value))
  } catch {
    // Storage is full or off. The page works, and forgets.
  }
}

function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: Array<Node | string>
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

function findIn<Found extends HTMLElement>(root: Element, selector: string): Found[] {
  return [root, ...root.querySelectorAll<HTMLElement>(selector)].filter((one): one is Found =>
    one.matches(selector),
  )
}

/** The browser has compared signed words with those of the page; they stay as they are. */
const UNSIGNED = ':not([data-signed], [data-signed] *)'
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

function zoneTimes(root: Element): void {
  if (ZONE === 'UTC') return
  for (const time of findIn<HTMLTimeElement>(root, `time[datetime]${UNSIGNED}`)) {
    const at = new Date(time.dateTime)
    if (!time.textContent?.endsWith(' UTC') || Number.isNaN(at.getTime())) continue
    time.title = time.textContent
    time.textContent = at.toLocaleString('en-US', { dateStyle: 'long', timeStyle: 'short' })
  }
}

const CURRENCY = 'souk-currency'
/** US dollars for one unit, as the operator said, and when. */
type Rate = { usd: number; at: string }
type Chosen = Rate & { code: string }

const PRICES = `:is(.price, [data-usd])${UNSIGNED}`

let chosen: Chosen | null = null

/** Adds what a price in dollars is about in the chosen currency. Every amount counts in dollars. */
function showPrices(root: Element): void {
  if (!chosen) return
  const { code, usd, at } = chosen
  const day = new Date(at).toLocaleDateString('en-US', { dateStyle: 'long' })
  const title = `Approximate, at $${usd} for 1 ${code}, the rate of ${day}. The price in US dollars counts.`
  for (const price of findIn(root, PRICES)) {
    const own = [...price.childNodes].map((node) => (node instanceof Text ? node.data : '')).join('')
    const amounts = [...own.matchAll(/\$([\d,]+(?:\.\d+)?)/g)].map(([, digits = '']) =>
      approximate(Number(digits.replaceAll(',', '')) / usd, code),
    )
    if (amounts.length > 0)
      price.insertBefore(
        make('span', { className: 'approx', title }, ` ≈ ${amounts.join(' – ')}`),
        price.querySelector('s'),
      )
  }
}

/** Cents would claim more than a rate that somebody typed can say, except of small amounts. */
function approximate(amount: number, currency: string): string {
  const digits = amount < 20 ? {} : { maximumFractionDigits: 0 }
  return amount.toLocaleString('en-US', { style: 'currency', currency, ...digits })
}

function choose(next: Chosen | null): void {
  chosen = next
  for (const shown of document.querySelectorAll('.approx')) shown.remove()
  showPrices(document.body)
}

/** The last choice is shown at once, with its rate; the rates come when they are needed. */
function offerCurrencies(page: Document): void {
  const place = page.querySelector<HTMLElement>('[data-currencies]')
  if (!place || !page.querySelector(PRICES)) return
  const last = recall(CURRENCY) as Chosen | null
  if (last?.code && last.usd > 0) choose(last)
  const offer = async () => {
    const response = await fetch('/rates.json')
    const rates = Object.entries(((await response.json()) as { rates: Record<string, Rate> }).rates)
    const found = new Map(rates.map(([code, rate]) => [code, { code, ...rate }]))
    const now = found.get(chosen?.code ?? '') ?? null
    if (now?.usd !== chosen?.usd || now?.at !== chosen?.at) choose(now)
    if (found.size === 0) return
    const names = new Intl.DisplayNames('en', { type: 'currency' })
    const select = make('select', { ariaLabel: 'Also show prices in' })
    select.append(
      new Option('US dollars only', ''),
      ...[...found.keys()].sort().map((code) => new Option(`≈ ${names.of(code) ?? code}`, code)),
    )
    select.value = chosen?.code ?? ''
    select.addEventListener('change', () => {
      choose(found.get(select.value) ?? null)
      keep(CURRENCY, chosen)
    })
    place.append(' ', select)
  }
  // What fails is tried again by the next page.
  const run = () => void offer().catch(() => {})
  if (chosen) run()
  else whenNear(place, run)
}

/** Nobody asks for what is far below. */
function whenNear(place: Element, run: () => void): void {
  const observer = new IntersectionObserver(
    (seen) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      run()
    },
    { rootMargin: '200px' },
  )
  observer.observe(place)
}

/** The session's own cookie cannot be read here; this one says only that there is one. */
function isSignedIn(): boolean {
  return /(?:^|; )(?:__Host-)?souk_signed_in=/.test(document.cookie)
}

/** A stranger's form goes its way, which leads to sign-in. */
function saveInPlace(page: Document): void {
  page.addEventListener('submit', (event) => {
    const { target: form, submitter: button } = event
    if (!(form instanceof HTMLFormElement) || !(button instanceof HTMLButtonElement)) return
    if (form.id !== 'save' || !isSignedIn()) return
    event.preventDefault()
    const said = button.parentElement?.querySelector('output') ?? make('output', { className: 'saved-mark' })
    button.after(said)
    const fail = (words = 'Couldn’t save. Try again in a moment.') => {
      said.textContent = words
      button.removeAttribute('aria-busy')
    }
    save(form, button, said, fail).catch(() => fail())
  })
}

async function save(
  form: HTMLFormElement,
  button: HTMLButtonElement,
  said: HTMLElement,
  fail: (words?: string) => void,
): Promise<void> {
  const response = await fetch(form.action, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ [button.name]: button.value }),
  })
  // The session has ended, and with it the cookie that speaks of it.
  if (response.status === 401 && !isSignedIn()) return form.requestSubmit(button)
  const answer = (await response.json()) as { error?: string; edit?: string }
  if (!response.ok) return fail(answer.error)
  const edit = make('a', { href: answer.edit ?? '/saved' }, 'Edit')
  said.replaceChildren('Saved · ', edit)
  button.remove()
  edit.focus()
}

type Me = { name: string; initials: string; is_seller: boolean; is_operator?: true; open_quotes: number }

/** Fills room that the header has for it, so nothing moves. */
async function showPerson(page: Document): Promise<void> {
  const header = page.querySelector('.site-header')
  if (!header || !isSignedIn()) return
  const me = (await (await fetch('/account/me.json')).json()) as Me | null
  if (!me) return
  const [initials, name] = header.querySelectorAll('.nav-who > span')
  if (initials && name) [initials.textContent, name.textContent] = [me.initials, me.name]
  const sell = header.querySelector<HTMLAnchorElement>('.nav-sell')
  // A narrow header has room for the shorter word only. From the operator's pages a way leads to the dashboard.
  const isWide = matchMedia('(min-width: 40rem)').matches
  if (sell && me.is_operator) {
    sell.href = '/admin'
    sell.textContent = isWide ? 'Operator' : 'Admin'
  } else if (sell && me.is_seller && isWide) sell.textContent = 'Dashboard'
  const quotes = header.querySelector<HTMLElement>('a[href="/quotes"]')
  if (!quotes || me.open_quotes === 0) return
  quotes.dataset.count = String(Math.min(me.open_quotes, 99))
  quotes.title = `${me.open_quotes} in progress`
}

const VIEWED = 'souk-viewed'
const MOST_VIEWED = 12
const STRIP = 6
type Viewed = { path: string; title: string; picture: string }

function recallViewed(): Viewed[] {
  const kept = recall(VIEWED)
  return (Array.isArray(kept) ? (kept as Viewed[]) : []).filter(({ path }) => path?.startsWith('/p/'))
}

/** Notes the product of this page, and shows those before it at the end of the page, below what can be seen. */
function showViewed(page: Document): void {
  const product = page.querySelector('article.product')
  if (!product && !page.querySelector('.home')) return
  const canonical = page.querySelector<HTMLLinkElement>('link[rel=canonical]')
  const path = new URL(canonical?.href ?? location.href).pathname
  const others = recallViewed().filter((one) => one.path !== path)
  if (product) {
    const title = product.querySelector('h1')?.textContent ?? ''
    const picture = product.querySelector<HTMLImageElement>('.picture')?.src ?? ''
    keep(VIEWED, [{ path, title, picture }, ...others].slice(0, MOST_VIEWED))
  }
  const main = page.querySelector('main')
  const footer = page.querySelector('.site-footer')
  // A short page would move its footer while somebody looks at it.
  if (others.length === 0 || !main || !footer || footer.getBoundingClientRect().top < innerHeight) return
  const clear = make('button', { type: 'button', className: 'link' }, 'Clear')
  const strip = make(
    'section',
    { className: 'viewed', ariaLabel: 'Recently viewed' },
    make('div', { className: 'section-head' }, make('h2', {}, 'Recently viewed'), clear),
    make('ul', {}, ...others.slice(0, STRIP).map(viewedItem)),
  )
  clear.addEventListener('click', () => {
    keep(VIEWED, [])
    strip.remove()
    main.focus()
  })
  main.append(strip)
}

function viewedItem({ path, title, picture }: Viewed): HTMLElement {
  const image = make('img', {
    ...{ className: 'picture', alt: '', width: 160, height: 120, loading: 'lazy' },
    referrerPolicy: 'no-referrer',
    src: picture,
  })
  // A picture may be gone from its host.
  image.onerror = () => image.remove()
  return make('li', {}, make('a', { href: path }, image, title))
}

const SAID_MS = 2_000

/** The button stays invisible where the browser can neither share nor copy. */
function offerSharing(page: Document): void {
  const button = page.querySelector<HTMLButtonElement>('button[data-share]')
  if (!button || !(navigator.share || navigator.clipboard)) return
  const words = button.textContent
  const say = (text: string | null) => {
    button.textContent = text
    if (text !== words) setTimeout(say, SAID_MS, words)
  }
  button.dataset.share = 'ready'
  button.addEventListener('click', () => {
    const { href: url } = page.querySelector<HTMLLinkElement>('link[rel=canonical]') ?? location
    const title = page.querySelector('h1')?.textContent ?? page.title
    // Closing the sheet is a change of mind, not an error.
    if (navigator.share) return void navigator.share({ title, url }).catch(() => {})
    navigator.clipboard.writeText(url).then(
      () => say('Link copied'),
      () => say('Couldn’t copy'),
    )
  })
}

const visited = globalThis.document as Document | undefined
if (visited?.body) {
  offerCurrencies(visited)
  zoneTimes(visited.body)
  // Lists and previews are replaced while somebody types.
  new MutationObserver((records) => {
    for (const { addedNodes } of records)
      for (const added of addedNodes)
        if (added instanceof Element) for (const show of [zoneTimes, showPrices]) show(added)
  }).observe(visited.body, { childList: true, subtree: true })
  for (const add of [saveInPlace, showViewed, offerSharing]) add(visited)
  // The header then says "Account", as it does without a script.
  showPerson(visited).catch(() => {})
}

export {}
