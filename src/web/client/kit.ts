/**
 * The script of the pages people work on. They are whole without it. It filters lists while somebody types, says what is
 * wrong beside a field, fills pickers with suggestions, and takes times in the reader's own zone. It runs as it is, types
 * taken away, so it imports nothing.
 */
const TYPED_MS = 250

/** Runs after the last of several calls. */
function later(run: () => Promise<void>): () => void {
  let timer: number | undefined
  return () => {
    clearTimeout(timer)
    // What fails now is tried again by the next key, or by the button.
    timer = setTimeout(() => run().catch(() => {}), TYPED_MS)
  }
}

/** Where it is sent; `form.action` is a field of that name, if it has one. */
const sentTo = (form: HTMLFormElement) => new URL(form.getAttribute('action') ?? '', location.href)

/** A filter form replaces the list below it and the address, without "Apply". */
function filterLists(page: Document): void {
  for (const form of page.querySelectorAll<HTMLFormElement>('form[data-live]')) {
    const id = form.dataset.live ?? ''
    let asking = new AbortController()
    const show = async () => {
      asking.abort()
      asking = new AbortController()
      const address = sentTo(form)
      for (const [name, value] of new FormData(form))
        if (value !== '') address.searchParams.set(name, String(value))
      const response = await fetch(address, { signal: asking.signal })
      if (!response.ok) return
      const found = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById(id)
      const list = page.getElementById(id)
      if (!found || !list) return
      list.replaceWith(found)
      history.replaceState(null, '', address)
    }
    const soon = later(show)
    form.addEventListener('input', soon)
  }
}

/** What the browser finds wrong with a field is said beside it as soon as somebody leaves it, and goes when it is right. */
function judgeFields(page: Document): void {
  const judge = (field: HTMLInputElement | HTMLTextAreaElement) => {
    const box = field.closest('.field')
    if (!box || !field.id || field.form?.noValidate) return
    const id = `${field.id}-error`
    const said = box.querySelector(`[id="${id}"]`)
    if (field.validity.valid) {
      said?.remove()
      field.removeAttribute('aria-invalid')
      return
    }
    const line = said ?? Object.assign(page.createElement('p'), { className: 'field-error', id })
    line.textContent = field.validationMessage
    if (!said) field.before(line)
    field.setAttribute('aria-invalid', 'true')
    field.setAttribute(
      'aria-describedby',
      [...new Set(`${field.getAttribute('aria-describedby') ?? ''} ${id}`.trim().split(' '))].join(' '),
    )
  }
  const isField = (target: EventTarget | null) =>
    target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement ? target : null
  // A line that appears while a button is being pressed would move the button away, and the press would be lost.
  let isPressed = false
  page.addEventListener('pointerdown', () => {
    isPressed = true
  })
  for (const end of ['pointerup', 'pointercancel'])
    page.addEventListener(end, () => {
      isPressed = false
    })
  page.addEventListener('change', ({ target }) => {
    const field = isField(target)
    if (!field) return
    if (isPressed) page.addEventListener('pointerup', () => setTimeout(judge, 0, field), { once: true })
    else judge(field)
  })
  page.addEventListener('input', ({ target }) => {
    const field = isField(target)
    if (field?.getAttribute('aria-invalid')) judge(field)
  })
}

type Suggested = { suggestions: Array<{ slug: string; text: string }> }

function suggest(page: Document): void {
  for (const field of page.querySelectorAll<HTMLInputElement>('input[data-suggest]')) {
    const soon = later(async () => {
      const query = new URLSearchParams({ q: field.value, kinds: field.dataset.suggest ?? '' })
      const response = await fetch(`/api/suggest/?${query}`)
      const { suggestions } = (await response.json()) as Suggested
      field.list?.replaceChildren(
        ...suggestions.map(({ slug, text }) =>
          Object.assign(page.createElement('option'), { value: slug, label: text }),
        ),
      )
    })
    field.addEventListener('input', soon)
  }
}

type Draft = { at: number; sent: boolean; values: Record<string, string> }
const DRAFT_DAYS_MS = 86_400_000
const NEVER_KEPT = new Set(['password', 'hidden', 'file'])

type Kept = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

const fieldsOf = (form: HTMLFormElement) =>
  ([...form.elements] as Kept[]).filter(
    (field) => field.matches('input, textarea, select') && field.name && !NEVER_KEPT.has(field.type),
  )

/**
 * What is typed into a form is kept in this tab until it was saved, so that a lost session, a closed laptop or a wrong
 * link loses nothing. Secrets are never kept, and signing out forgets everything.
 */
function keepDrafts(page: Document): void {
  const store = globalThis.sessionStorage
  const done =
    new URL(page.location.href).searchParams.has('done') || page.querySelector('[data-answered]') !== null
  const all = Object.keys(store).filter((key) => key.startsWith('draft '))
  const read = (key: string): Draft | null => {
    try {
      return JSON.parse(store.getItem(key) ?? 'null') as Draft | null
    } catch {
      return null
    }
  }
  for (const key of all) {
    const draft = read(key)
    const path = key.split(' ')[2] ?? ''
    const isHere = [...page.forms].some((form) => sentTo(form).pathname === path)
    // Sent, and led on to another page than those to sign in and what follows it: it was saved.
    const isSaved =
      draft?.sent && (done || (!isHere && !/^\/(?:auth|unsaved)\//.test(page.location.pathname)))
    if (!draft || isSaved || Date.now() - draft.at > DRAFT_DAYS_MS) store.removeItem(key)
  }
  const forget = () => {
    for (const key of Object.keys(store)) if (key.startsWith('draft ')) store.removeItem(key)
  }
  page.addEventListener('submit', ({ target }) => {
    if (target instanceof HTMLFormElement && sentTo(target).pathname === '/auth/signout') forget()
  })
  // A way that gives up what was typed.
  page.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('[data-forget]')) forget()
  })
  for (const form of page.querySelectorAll<HTMLFormElement>('main form[method=post]')) {
    const owner = form.querySelector<HTMLInputElement>('input[name=org_id]')?.value ?? ''
    const [one, another] = fieldsOf(form)
    // Of forms with one field, those where somebody writes; they stand in many rows of a list, and what they are about
    // tells them apart.
    if (!one || (!another && !/^text|^url/.test(one.type))) continue
    const hidden = form.querySelectorAll<HTMLInputElement>('[type=hidden]')
    const about = another ? '' : [...hidden].map(({ value }) => value)
    const key = `draft ${owner} ${sentTo(form).pathname} ${about}`
    const draft = read(key)
    // What the server shows after a refusal is what was typed last.
    const isRefused = page.querySelector('.error-summary') !== null
    if (draft && !isRefused) addRows(form, Object.keys(draft.values))
    // With the rows that were added now.
    const fields = fieldsOf(form)
    const typedIn = (field: (typeof fields)[number]) =>
      field instanceof HTMLInputElement && field.type === 'checkbox'
        ? field.checked
          ? 'on'
          : ''
        : field.value
    const put = (field: (typeof fields)[number], value: string) => {
      if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = value === 'on'
      else field.value = value
    }
    const saved = new Map(fields.map((field) => [field.name, typedIn(field)]))
    const differs = Object.entries(draft?.values ?? {}).filter(
      ([name, value]) => saved.has(name) && saved.get(name) !== value,
    )
    if (draft && !isRefused && differs.length > 0) {
      for (const [name, value] of differs)
        for (const field of fields)
          if (field.name === name) {
            put(field, value)
            field.closest('details')?.setAttribute('open', '')
          }
      const said = Object.assign(page.createElement('p'), { className: 'aside' })
      said.setAttribute('role', 'status')
      const undo = Object.assign(page.createElement('button'), { type: 'button', className: 'button plain' })
      undo.textContent = 'Undo'
      undo.addEventListener('click', () => {
        for (const field of fields) put(field, saved.get(field.name) ?? '')
        store.removeItem(key)
        said.remove()
      })
      said.append('We restored what you typed here and had not saved. ', undo)
      form.prepend(said)
    }
    let sent = false
    const keep = () => {
      const values = Object.fromEntries(
        fieldsOf(form).flatMap((field) =>
          typedIn(field) === (saved.get(field.name) ?? '') ? [] : [[field.name, typedIn(field)]],
        ),
      )
      try {
        if (Object.keys(values).length === 0) store.removeItem(key)
        else store.setItem(key, JSON.stringify({ at: Date.now(), sent, values } satisfies Draft))
      } catch {
        // A full store keeps what it has.
      }
    }
    // Comes late, perhaps after the form was sent.
    const soon = later(async () => keep())
    for (const field of fields) {
      field.addEventListener('input', () => {
        sent = false
        soon()
      })
      // At once: the next click may lead away.
      field.addEventListener('change', keep)
    }
    form.addEventListener('submit', () => {
      sent = true
      keep()
    })
  }
}

/** Rows that somebody had added are there again before they are filled in. */
function addRows(form: HTMLFormElement, names: string[]): void {
  for (const name of names) {
    const list = /^(.+)\.\d+\.[^.]+$/.exec(name)?.[1]
    const editor =
      list === undefined ? null : form.querySelector(`.row-editor[data-rows="${CSS.escape(list)}"]`)
    const add = editor?.querySelector<HTMLButtonElement>('button[name=_add]')
    for (let left = 50; add && left > 0 && !form.elements.namedItem(name); left--) add.click()
  }
}

const pad = (part: number) => String(part).padStart(2, '0')

/** `datetime-local` of a moment, in the reader's zone. */
function localValue(at: Date): string {
  const day = [at.getFullYear(), pad(at.getMonth() + 1), pad(at.getDate())].join('-')
  return `${day}T${pad(at.getHours())}:${pad(at.getMinutes())}`
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** Fields are filled in and sent in UTC; with a script people see and type the time of their own zone. */
function zoneFields(page: Document): void {
  if (zone === 'UTC') return
  for (const field of page.querySelectorAll<HTMLInputElement>('input[type=datetime-local]')) {
    const hint = field.closest('.field')?.querySelector('.hint')
    if (!hint?.textContent?.includes('UTC')) continue
    hint.textContent = hint.textContent.replace('UTC', `your time zone (${zone})`)
    if (field.value !== '') field.value = localValue(new Date(`${field.value}Z`))
    field.form?.addEventListener('formdata', ({ formData }) => {
      const at = new Date(String(formData.get(field.name) ?? ''))
      if (!Number.isNaN(at.getTime())) formData.set(field.name, at.toISOString().replace(/\.000Z$/, 'Z'))
    })
  }
}

const kitPage = globalThis.document as Document | undefined
if (kitPage?.body) for (const add of [filterLists, judgeFields, suggest, zoneFields, keepDrafts]) add(kitPage)

export {}
