/**
 * What the script of the dashboard and the operator's pages adds to the kit: the command palette, lists that follow what
 * happens while they are open, tables that take pasted cells, a box for all rows of a list, and the rows of a list field,
 * which are added, removed, moved and dragged. The pages are whole without it. script.ts puts it before kit.ts in one
 * file, so names must differ from those there.
 */
const ASK_AFTER_MS = 150

type Found = { label: string; items: Array<{ label: string; href: string; note?: string }> }

/** Ctrl-K finds pages and things of the console; the server decides what a reader may see. */
function openPalette(page: Document): void {
  const address = page.querySelector<HTMLElement>('.console[data-find]')?.dataset.find
  if (!address) return
  const create = (tag: string, values: Record<string, string>, ...children: Array<Node | string>) => {
    const made = page.createElement(tag)
    for (const [name, value] of Object.entries(values)) made.setAttribute(name, value)
    made.append(...children)
    return made
  }
  const box = create('input', {
    ...{ type: 'search', role: 'combobox', autocomplete: 'off', placeholder: 'Find …', 'aria-label': 'Find' },
    ...{ 'aria-controls': 'palette-found', 'aria-expanded': 'true', 'aria-autocomplete': 'list' },
  }) as HTMLInputElement
  const list = create('div', { id: 'palette-found', role: 'listbox', 'aria-label': 'Found' })
  const said = create('p', { class: 'soft', role: 'status' })
  const about = { class: 'palette', 'aria-label': 'Find', closedby: 'any' }
  const dialog = create('dialog', about, box, list, said) as HTMLDialogElement
  let options: HTMLElement[] = []
  let active = 0
  const mark = (next: number) => {
    active = options.length === 0 ? 0 : (next + options.length) % options.length
    for (const [at, option] of options.entries()) option.ariaSelected = String(at === active)
    options[active]?.scrollIntoView({ block: 'nearest' })
    box.setAttribute('aria-activedescendant', options[active]?.id ?? '')
  }
  const show = (groups: Found[]) => {
    options = []
    const shown = groups.map(({ label, items }) => {
      const links = items.map(({ label: name, href, note = '' }) => {
        const id = `palette-${options.length}`
        const beside = create('span', { class: 'row-note' }, note)
        const link = create('a', { href, id, role: 'option', tabindex: '-1' }, name, beside)
        options.push(link)
        return link
      })
      const head = create('p', { class: 'console-group', 'aria-hidden': 'true' }, label)
      return create('div', { role: 'group', 'aria-label': label }, head, ...links)
    })
    list.replaceChildren(...shown)
    said.textContent = options.length === 0 ? 'No results.' : ''
    mark(0)
  }
  let asking = new AbortController()
  const ask = async () => {
    asking.abort()
    asking = new AbortController()
    const query = new URLSearchParams({ q: box.value })
    const response = await fetch(`${address}?${query}`, { signal: asking.signal })
    if (!response.ok || response.redirected) said.textContent = 'Sign in again to search.'
    else show(((await response.json()) as { groups: Found[] }).groups)
  }
  const open = () => {
    if (!dialog.isConnected) page.body.append(dialog)
    if (!dialog.open) dialog.showModal()
    box.select()
    ask().catch(() => {})
  }
  let timer: number | undefined
  box.addEventListener('input', () => {
    clearTimeout(timer)
    // What fails now is tried again by the next key.
    timer = setTimeout(() => ask().catch(() => {}), ASK_AFTER_MS)
  })
  box.addEventListener('keydown', (event) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) mark(active + step)
    else if (event.key === 'Enter') options[active]?.click()
    else return
    event.preventDefault()
  })
  page.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event
    if (key.toLowerCase() !== 'k' || !(ctrlKey || metaKey) || altKey || shiftKey) return
    event.preventDefault()
    if (dialog.open) dialog.close()
    else open()
  })
  for (const button of page.querySelectorAll<HTMLElement>('[data-palette]')) {
    button.dataset.palette = 'ready'
    button.addEventListener('click', open)
  }
}

const POLL_MS = 15_000

/** A list that is open is asked for again when the server says that it has changed; nobody is disturbed in it. */
function followChanges(page: Document): void {
  const live = page.querySelector<HTMLElement>('[data-changes]')
  const address = live?.dataset.changes
  if (!live || !address) return
  let known: string | null = null
  let isStale = false
  let source: EventSource | null = null
  let timer: number | undefined
  // What is picked or opened there, and where the keyboard is, stays until the reader leaves it.
  const isBusy = () => live.querySelector(':focus, :checked[type=checkbox], details[open]') !== null
  const refresh = async () => {
    if (!isStale || isBusy()) return
    isStale = false
    const response = await fetch(location.href)
    if (!response.ok || response.redirected) return
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById(live.id)
    if (!fresh) return
    isStale = isBusy()
    if (isStale) return
    const partsOf = (whole: HTMLElement) => ['#above', '#list'].map((id) => whole.querySelector(id))
    const next = partsOf(fresh)
    const now = partsOf(live)
    if (now.some((part, at) => !part !== !next[at])) live.replaceChildren(...fresh.childNodes)
    else for (const [at, part] of now.entries()) part?.replaceWith(next[at] ?? '')
  }
  const again = () => void refresh().catch(() => {})
  const hear = (version: string) => {
    isStale ||= known !== null && version !== known
    known = version
    again()
  }
  const poll = async () => {
    const response = await fetch(address)
    if (response.ok && !response.redirected) hear(((await response.json()) as { version: string }).version)
  }
  const pollOn = () => {
    poll().catch(() => {})
    timer = setTimeout(pollOn, POLL_MS)
  }
  const start = () => {
    source?.close()
    clearTimeout(timer)
    // A page that nobody sees takes no connection.
    if (page.visibilityState === 'hidden') return
    if (typeof EventSource === 'undefined') return pollOn()
    const stream = new EventSource(address)
    source = stream
    stream.addEventListener('message', ({ data }) => hear(String(data)))
    stream.addEventListener('error', () => {
      // It comes back by itself unless the server refused it.
      if (stream.readyState === EventSource.CLOSED) pollOn()
    })
  }
  for (const left of ['focusout', 'change', 'toggle'])
    live.addEventListener(left, () => setTimeout(again), true)
  page.addEventListener('visibilitychange', start)
  start()
}

/** Text as spreadsheets copy it: one cell goes in as usual, several fill the table from here on, to the right and down. */
function pasteCells(page: Document): void {
  const help = page.querySelector('form[id=price-table] [role=status]')
  const cellsOf = (row: Element) => [...row.querySelectorAll<HTMLInputElement>('input[data-cell]')]
  page.addEventListener('paste', (event) => {
    const start = event.target instanceof HTMLInputElement && event.target.dataset.cell ? event.target : null
    const text = (event.clipboardData?.getData('text/plain') ?? '').replace(/\r?\n$/, '')
    const table = start?.closest('tbody')
    if (!start || !table || !/[\t\n]/.test(text)) return
    event.preventDefault()
    const rows = [...table.rows].map(cellsOf)
    const lines = text.split(/\r?\n/).map((line) => line.split('\t'))
    const [from, first] = [
      rows.findIndex((row) => row.includes(start)),
      rows.find((row) => row.includes(start)),
    ]
    // Lines that begin with a product's address go to that product, in whatever order they come.
    const named = new Map(rows.map((row) => [row[0]?.dataset.cell ?? '', row]))
    const byName = lines.some(([name = '']) => named.has(name.trim()))
    let left = 0
    for (const [down, line] of lines.entries()) {
      const row = byName ? named.get((line[0] ?? '').trim()) : rows[from + down]
      const across = byName ? 0 : (first?.indexOf(start) ?? 0)
      const values = byName ? line.slice(1) : line
      if (!row) left++
      else
        for (const [index, value] of values.entries()) {
          const cell = row[across + index]
          if (!cell) continue
          cell.value = value.trim()
          cell.dispatchEvent(new Event('input', { bubbles: true }))
        }
    }
    if (help)
      help.textContent =
        left === 0
          ? `Pasted ${lines.length} rows. Nothing is saved until you press the button.`
          : `Pasted ${lines.length - left} rows. ${left} match no product on this page. Nothing is saved until you press the button.`
  })
}

/** One box selects all rows of a list. */
function pickAll(page: Document): void {
  for (const head of page.querySelectorAll<HTMLElement>('thead .pick')) {
    const boxes = () => head.closest('table')?.querySelectorAll<HTMLInputElement>('tbody .pick input') ?? []
    const box = Object.assign(page.createElement('input'), {
      type: 'checkbox',
      ariaLabel: 'Select all on this page',
    })
    box.checked = [...boxes()].every(({ checked }) => checked)
    box.addEventListener('change', () => {
      for (const one of boxes()) one.checked = box.checked
    })
    head.replaceChildren(box)
  }
}

/** Rows are numbered in order, as the server reads them. */
function renumber(editor: HTMLElement): void {
  for (const [row, line] of editor.querySelectorAll('.row-edit').entries()) {
    for (const input of line.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')) {
      input.name = input.name.replace(/\.\d+\./, `.${row}.`)
      input.ariaLabel = (input.ariaLabel ?? '').replace(/(?<!\d)\d+$/, String(row + 1))
    }
    for (const button of line.querySelectorAll('button'))
      button.value = button.value.replace(/(?<!\d)\d+$/, String(row))
    const number = line.querySelector('.row-number')
    if (number) number.textContent = String(row + 1)
  }
}

function editRows(page: Document): void {
  page.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>('button') : null
    const editor = button?.closest<HTMLElement>('.row-editor')
    if (!button || !editor || !button.name.startsWith('_')) return
    event.preventDefault()
    const lines = editor.querySelectorAll('.row-edit')
    const last = lines[lines.length - 1]
    const line = button.closest('.row-edit')
    if (button.name === '_up' || button.name === '_down') {
      const isUp = button.name === '_up'
      const other = isUp ? line?.previousElementSibling : line?.nextElementSibling
      if (line && other?.matches('.row-edit')) other[isUp ? 'before' : 'after'](line)
      button.focus()
    } else if (button.name === '_add' && last) {
      const added = last.cloneNode(true) as Element
      added.querySelector('img')?.remove()
      for (const said of added.querySelectorAll('.field-error')) said.remove()
      for (const input of added.querySelectorAll('input')) {
        input.value = ''
        for (const name of ['id', 'aria-invalid', 'aria-describedby']) input.removeAttribute(name)
      }
      last.after(added)
      added.querySelector('input')?.focus()
    } else if (lines.length === 1) for (const input of editor.querySelectorAll('input')) input.value = ''
    else line?.remove()
    renumber(editor)
  })
}

/** Rows whose order counts are dragged by the number before their fields; the buttons do the same by keyboard. */
function dragRows(page: Document): void {
  let row: HTMLElement | null = null
  const at = ({ target }: Event, part: string) => (target as Element).closest<HTMLElement>(part)
  page.addEventListener('dragstart', (event) => {
    row = at(event, '.row-grip') && at(event, '.row-edit')
    // Without data, some browsers begin no drag.
    if (row) event.dataTransfer?.setData('text/plain', '')
  })
  page.addEventListener('dragover', (event) => {
    const over = at(event, '.row-edit')
    if (!row || over?.parentElement !== row.parentElement) return
    event.preventDefault()
    if (row.compareDocumentPosition(over) === Node.DOCUMENT_POSITION_FOLLOWING) over.after(row)
    else if (over !== row) over.before(row)
  })
  page.addEventListener('dragend', () => {
    const editor = row?.parentElement
    if (editor) renumber(editor)
  })
}

const consolePage = globalThis.document as Document | undefined
if (consolePage?.body)
  for (const add of [openPalette, followChanges, pasteCells, pickAll, editRows, dragRows]) add(consolePage)

export {}
