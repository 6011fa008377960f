/**
 * /saved: a person's saved products, and what has changed since. What is chosen stands in the address, so a view can be
 * bookmarked. Every form names the product and the list, never a row: an action only reaches the rows of the person who is
 * signed in.
 */
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { getProfile, getProfiles } from '../../catalog/catalog.service.ts'
import { canonicalSlug, type ProductProfile, priceRange, productPath } from '../../catalog/profile.ts'
import { ProductSlugInput } from '../../catalog/relationships.schema.ts'
import { findVariant } from '../../catalog/variants.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { readForm } from '../../http/form.ts'
import { rememberWish, takeWish } from '../../http/wish-cookie.ts'
import { AppError, conflict, invalid } from '../../lib/errors.ts'
import { centsToDollars, dollarsToCents } from '../../lib/money.ts'
import { cleanLine, cleanText } from '../../lib/text.ts'
import {
  DEFAULT_LIST,
  ListName,
  MAX_LISTS,
  MAX_SAVED,
  Note,
  type SavedEntry,
  TargetPrice,
  VariantName,
} from '../../saved/saved.schema.ts'
import {
  editSaved,
  findSavedPlaces,
  listSaved,
  type Owner,
  removeSaved,
  restoreSaved,
  type SavedContext,
  saveProduct,
} from '../../saved/saved.service.ts'
import { COMPARE_PATH } from '../components/compare-bar.tsx'
import { Day } from '../components/moment.tsx'
import { Picture } from '../components/picture.tsx'
import { SAVE_PATH } from '../components/save-button.tsx'
import { SignInWays } from '../components/sign-in-ways.tsx'
import type { PageDeps } from '../deps.ts'
import { capital, countOf, formatCount } from '../format.ts'
import { Form, type FormState, Hidden } from '../kit/fields.tsx'
import { Fields, formOf } from '../kit/form.tsx'
import { type Asked, defineList, type ListColumn, listHref, readAsked, sendListCsv } from '../kit/list.tsx'
import { Paging } from '../kit/paging.tsx'
import { Action, LinkButton, LinkLine, Submit } from '../kit/parts.tsx'
import {
  anybody,
  createPages,
  type FrameProps,
  ownPages,
  type PersonPage,
  type PersonSeen,
  Ways,
} from '../kit/person.tsx'
import { CATEGORIES_PATH, Layout } from '../layout.tsx'
import { sendPage, wantsJson } from '../page.http.ts'
import { renderMessagePage } from '../pages/message.tsx'
import { onward, type SignedInBrowser } from '../signed-in.ts'
import {
  COMPARE_FORM,
  Entry,
  entryId,
  FORM,
  fieldsOf,
  LISTS_ID,
  priceWhenSaved,
  SAVED_PATH,
  SINCE,
  type Since,
  typedEntry,
} from './saved.entry.tsx'
import { openRemoved, sealRemoved } from './saved.undo.ts'

type Deps = Pick<PageDeps, 'site' | 'config' | 'accounts' | 'search' | 'offers'>
type C = Context<HttpEnv>

const LIST = defineList(SAVED_PATH, 'saved product', {
  search: 'Product or note',
  pageSize: 20,
  filters: { list: 'text', changed: ['1'], since: ['7', '30'] },
})
type View = Asked<typeof LIST.filters>

const CSV_COLUMNS: ListColumn<SavedEntry>[] = [
  { label: 'Product', csv: ({ product }) => product.title },
  { label: 'product_slug', csv: ({ product }) => canonicalSlug(product) },
  { label: 'Variant', csv: ({ variant }) => variant?.name ?? null },
  { label: 'List', csv: ({ list }) => list },
  { label: 'Note', csv: ({ note }) => note },
  {
    label: 'Target price (USD)',
    csv: ({ targetPriceCents: cents }) => (cents === null ? null : centsToDollars(cents)),
  },
  { label: 'Saved', csv: ({ savedAt }) => savedAt },
]

const DAY_MS = 86_400_000
const ABOVE_THE_FOLD = 3

const FULL = `You've saved ${MAX_SAVED} products, which is the limit. Remove one to make room.`
const NO_MORE_LISTS = `You have ${MAX_LISTS} lists, which is the limit. Choose one of them.`
const SAID = {
  added: 'Saved.',
  already: "You'd saved it already.",
  changed: 'Changes saved.',
  restored: "It's back on your list.",
  gone: "It's no longer on that list.",
  full: FULL,
  lists: NO_MORE_LISTS,
  late: "It's too late to undo that. You can save the product again on its page.",
}

const SavedForm = z.object({
  list: z
    .string()
    .default('')
    .transform((typed) => cleanLine(typed) || DEFAULT_LIST)
    .pipe(ListName),
  note: z
    .string()
    .default('')
    .transform((typed) => cleanText(typed) || null)
    .pipe(Note.nullable()),
  target_price: TargetPrice.transform(dollarsToCents).nullable().default(null),
  variant: VariantName.nullable().default(null),
})
const WORDS = { target_price: 'Enter a price in US dollars, such as 49.50, up to 10 million.' }

/** An address or a form may hold anything: what it asks for is read as a view, and only a view is written. */
function viewOf(query: URLSearchParams | string): View {
  const asked = readAsked(LIST, typeof query === 'string' ? new URLSearchParams(query) : query)
  return { ...asked, filters: { ...asked.filters, list: cleanLine(asked.filters.list) } }
}
const hrefOf = (view: View, change: Record<string, string> = {}) => listHref(LIST, view, change)
const backOf = (view: View) => hrefOf(view).split('?')[1] ?? ''

type More = { another?: '1'; list?: string; variant?: string }

function addPath(profile: ProductProfile, more: More = {}): string {
  return `${SAVE_PATH}?${new URLSearchParams({ p: nameOf(profile), ...more })}`
}

function nameOf({ slug, category }: ProductProfile): string {
  return canonicalSlug({ slug, category: category.slug })
}

export function mountSaved(app: Hono<HttpEnv>, deps: Deps): void {
  const { site, accounts, config } = deps
  const ctx: SavedContext = {
    ...{ db: accounts.db, clock: accounts.clock, search: deps.search.search, offers: deps.offers },
  }
  const open = createPages(app, deps, anybody(accounts))
  // A person who signs in first comes back to the product they wanted to save.
  const own = ownPages(app, deps, async (c) => {
    if (c.req.path.replace(/\/$/, '') !== SAVED_PATH) return SAVED_PATH
    const profile = await findNamed((await readForm(c)).p)
    return profile ? addPath(profile) : SAVED_PATH
  })

  // What a stranger pressed is saved when they come back, and only then: an address alone saves nothing.
  const pressed = ownPages(app, deps, async (c) => {
    const profile = await findNamed((await readForm(c)).p)
    if (!profile) return SAVED_PATH
    rememberWish(c, config.baseUrl, wishOf(profile))
    return addPath(profile)
  })

  open.page(SAVED_PATH, async ({ c, user }) => {
    if (user === null) return invitation()
    const view = viewOf(new URL(c.req.url).searchParams)
    const { list, changed, since } = view.filters
    const find = ({ limit, offset }: Pick<View, 'limit' | 'offset'>) =>
      listSaved(
        ctx,
        { userId: user.id },
        {
          ...(list !== '' && { list }),
          ...(since !== '' && { changedSince: new Date(ctx.clock.now().getTime() - Number(since) * DAY_MS) }),
          ...{ text: view.q, onlyChanged: changed === '1', limit, offset },
        },
      )
    if (c.req.query('format') === 'csv')
      return sendListCsv(c, LIST, view, async (part) => {
        const { entries: rows, total } = await find(part)
        return { rows, total, columns: CSV_COLUMNS }
      })
    const { entries, total, lists } = await find(view)
    const pages = Math.max(1, Math.ceil(total / view.limit))
    if (view.page > pages) return c.redirect(hrefOf({ ...view, page: pages }), 303)
    const ids = entries.map(({ product }) => product.id)
    const profiles = new Map((await getProfiles(ctx, ids)).map((profile) => [profile.id, profile]))
    const token = c.req.query('removed') ?? ''
    const removed = token === '' ? null : openRemoved(accounts, user.id, token)
    const added = entries.find(({ product }) => canonicalSlug(product) === c.req.query('added'))
    const all = lists.reduce((sum, { count }) => sum + count, 0)
    return {
      title: 'Saved products',
      lead: 'What you saved, and what has changed since. Only you can see this.',
      frame: SavedFrame,
      said: SAID,
      body: [
        removed && (
          <div class="done undo" role="status">
            <p>
              Removed <strong>{removed.title}</strong> from the list “{removed.list}”.
            </p>
            <Action to={`${SAVED_PATH}/undo`} label="Undo" fields={{ token, back: backOf(view) }} />
          </div>
        ),
        added && (
          <div class="done undo" role="status">
            <p>
              Saved <strong>{added.product.title}</strong> to the list “{added.list}”.
            </p>
            <Action
              to={`${SAVED_PATH}/remove`}
              label="Undo"
              fields={{ p: canonicalSlug(added.product), from: added.list, back: backOf(view) }}
            />
          </div>
        ),
        all > 0 && <Filters view={view} lists={lists} all={all} />,
        entries.length === 0 ? (
          <div id="list">
            <Nothing view={view} all={all} />
          </div>
        ) : (
          <>
            <p class="soft" id="list">
              {countOf(total, 'product')}
              {changed === '' ? ', last saved first' : ` changed ${SINCE[since].replace('it', 'them')}`}{' '}
              <a href={hrefOf({ ...view, page: 1, rows: null }, { format: 'csv' })} download>
                Download CSV
              </a>
            </p>
            <ul class="saved-list">
              {entries.map((entry, at) => (
                <Entry
                  {...{ entry, since, back: backOf(view), lazy: at >= ABOVE_THE_FOLD }}
                  profile={profiles.get(entry.product.id) ?? null}
                />
              ))}
            </ul>
            {entries.length > 1 && (
              <form id={COMPARE_FORM} class="line saved-compare" action={COMPARE_PATH}>
                <Submit>Compare selected</Submit>
                <span class="soft">Up to four side by side</span>
              </form>
            )}
            <ListNames lists={lists} />
          </>
        ),
        <Paging page={view.page} pages={pages} href={(page) => hrefOf({ ...view, page })} />,
      ],
    }
  })

  open.page(SAVE_PATH, async ({ c, user, state }) => {
    const profile = await findNamed(c.req.query('p'))
    if (!profile) return noSuchProduct(c)
    const another = c.req.query('another') === '1'
    const variant = findVariant(profile.variants, c.req.query('variant') ?? '')?.id
    if (user === null) {
      const more = { ...(another && { another: '1' as const }), ...(variant !== undefined && { variant }) }
      return c.redirect(onward('/auth/signin', addPath(profile, more)), 303)
    }
    if (takeWish(c, config.baseUrl, wishOf(profile))) {
      const owner = { userId: user.id, visit: visitOf(c, config) }
      return c.redirect(await saveAtOnce(owner, profile).then(placeOf, fullPath), 303)
    }
    const places = await findSavedPlaces(ctx, { userId: user.id }, profile.id)
    const asked = c.req.query('list')?.toLowerCase()
    const found = places.entries.find(({ list }) => list.toLowerCase() === asked) ?? places.entries[0]
    const entry = another ? null : (found ?? null)
    const values = typedEntry(entry)
    return formPage(
      profile,
      places,
      entry,
      { ...state, values: variant === undefined ? values : { ...values, variant } },
      '',
    )
  })

  /** The page of a refused form. */
  async function again({
    c,
    actor,
    state,
    form,
  }: PersonSeen<SignedInBrowser>): Promise<PersonPage | Response> {
    const profile = await findNamed(form.p)
    if (!profile) return noSuchProduct(c)
    const places = await findSavedPlaces(ctx, { userId: actor.user.id }, profile.id)
    const entry = places.entries.find(({ list }) => list === form.from) ?? null
    return formPage(profile, places, entry, state, backOf(viewOf(form.back ?? '')))
  }

  own.action(SAVED_PATH, {
    ...{ schema: formOf(FORM, SavedForm, WORDS), page: again },
    async act({ c, actor, visit, form, input: { list, note, target_price: targetPriceCents, variant } }) {
      const profile = await findNamed(form.p)
      if (!profile) return noSuchProduct(c)
      const owner = { userId: actor.user.id, visit }
      const named = { category: profile.category.slug, slug: profile.slug }
      const back = viewOf(form.back ?? '')
      const from = cleanLine(form.from ?? '')
      try {
        if (from !== '') {
          const edit = { ...named, list: from, to: list, note, targetPriceCents, variant }
          const entry = await editSaved(ctx, owner, edit)
          return shownAt(movedWith(back, from, entry), 'changed', entry)
        }
        const { entry, outcome } = await saveProduct(ctx, owner, {
          ...{ ...named, list },
          ...(note !== null && { note }),
          ...(targetPriceCents !== null && { targetPriceCents }),
          ...(variant !== null && { variant }),
        })
        if (outcome !== 'added') return shownAt(movedWith(back, from, entry), 'changed', entry)
        return shownAt(viewOf(new URLSearchParams({ list: entry.list })), 'added', entry)
      } catch (error) {
        if (error instanceof AppError && error.kind === 'not_found') return hrefOf(back, { done: 'gone' })
        throw inPageWords(error)
      }
    },
  })

  /** Saves to the first list what is on none; list and target price are edited afterwards. */
  async function saveAtOnce(owner: Owner, profile: ProductProfile): Promise<Pressed> {
    const { entries } = await findSavedPlaces(ctx, owner, profile.id)
    if (entries[0]) return { entry: entries[0], isNew: false }
    const { slug, category } = profile
    const saved = await saveProduct(ctx, owner, { slug, category: category.slug, list: DEFAULT_LIST })
    return { entry: saved.entry, isNew: saved.outcome === 'added' }
  }

  pressed.action(SAVE_PATH, {
    page: again,
    async act({ c, actor, visit, form }) {
      const profile = await findNamed(form.p)
      if (!profile) return noSuchProduct(c)
      const saved = await saveAtOnce({ userId: actor.user.id, visit }, profile).catch((error) => {
        throw inPageWords(error)
      })
      const { list } = saved.entry
      return wantsJson(c) ? c.json({ list, edit: addPath(profile, { list }) }) : placeOf(saved)
    },
  })

  own.action(`${SAVED_PATH}/remove`, {
    page: again,
    async act({ actor, visit, form }) {
      const back = viewOf(form.back ?? '')
      const owner = { userId: actor.user.id, visit }
      const { category, slug } = ProductSlugInput.safeParse(form.p ?? '').data ?? {}
      if (!category || !slug || !form.from) return hrefOf(back, { done: 'gone' })
      try {
        const { entries } = await removeSaved(ctx, owner, { category, slug, list: form.from })
        const [entry] = entries
        return hrefOf(back, entry ? { removed: sealRemoved(accounts, owner.userId, entry) } : {})
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== 'not_found') throw error
        return hrefOf(back, { done: 'gone' })
      }
    },
  })

  own.action(`${SAVED_PATH}/undo`, {
    page: again,
    async act({ actor, visit, form: { token = '', back: query = '' } }) {
      const back = viewOf(query)
      const owner: Owner = { userId: actor.user.id, visit }
      const removed = openRemoved(accounts, owner.userId, token)
      if (!removed) return hrefOf(back, { done: 'late' })
      try {
        return shownAt(back, 'restored', await restoreSaved(ctx, owner, removed))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (error.kind === 'not_found') return hrefOf(back, { done: 'late' })
        if (error.kind !== 'conflict') throw error
        // The removal can still be undone once there is room.
        return hrefOf(back, { done: error.max === MAX_LISTS ? 'lists' : 'full', removed: token })
      }
    },
  })

  async function findNamed(given: string | undefined): Promise<ProductProfile | null> {
    const named = ProductSlugInput.safeParse(given ?? '').data
    return named?.category ? getProfile(ctx, { category: named.category, slug: named.slug }) : null
  }

  function noSuchProduct(c: C): Promise<Response> {
    const text = "We can't find this product. It may have left the catalog, or the link is incomplete."
    const page = renderMessagePage({ status: 404, title: 'Product not found', text }, site)
    return sendPage(c, page, { status: 404 })
  }
}

function shownAt(view: View, done: string, entry: SavedEntry): string {
  return `${hrefOf(view, { done })}#${entryId(entry)}`
}

type Pressed = { entry: SavedEntry; isNew: boolean }

function placeOf({ entry, isNew }: Pressed): string {
  const view = viewOf(new URLSearchParams({ list: entry.list }))
  if (!isNew) return shownAt(view, 'already', entry)
  return `${hrefOf(view, { added: canonicalSlug(entry.product) })}#${entryId(entry)}`
}

function fullPath(error: unknown): string {
  if (!(error instanceof AppError) || error.kind !== 'conflict') throw error
  return hrefOf(viewOf(''), { done: error.max === MAX_LISTS ? 'lists' : 'full' })
}

function wishOf(profile: ProductProfile): string {
  return `save ${nameOf(profile)}`
}

/** A person who looks at one list and moves an entry goes with it, else they would not see what they did. */
function movedWith(view: View, from: string, { list }: SavedEntry): View {
  const moved = view.filters.list !== '' && from.toLowerCase() !== list.toLowerCase()
  return moved ? viewOf(new URLSearchParams({ list })) : view
}

/** What the service refused: it speaks to agents in the words of their tools. */
function inPageWords(error: unknown): unknown {
  if (error instanceof AppError && error.field === 'variant')
    return invalid('variant', 'Choose one of the variants.')
  if (!(error instanceof AppError) || error.kind !== 'conflict') return error
  const { field, max } = error
  const limits: Record<number, string> = { [MAX_SAVED]: FULL, [MAX_LISTS]: NO_MORE_LISTS }
  const message = limits[max ?? -1] ?? "It's already on that list. Choose another list."
  return conflict(message, { field, max })
}

function SavedFrame({ site, title, lead, children }: FrameProps) {
  const description = 'Keep products on your own lists and see what has changed since.'
  return (
    <Layout site={site} title={`${title} · Souk`} description={description} path={null}>
      <header class="page-head saved-head">
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
      </header>
      {children}
    </Layout>
  )
}

type Lists = ReadonlyArray<{ name: string; count: number }>

function ListNames({ lists }: { lists: Lists }) {
  return (
    <datalist id={LISTS_ID}>
      {lists.map(({ name }) => (
        <option value={name} />
      ))}
    </datalist>
  )
}

function Filters({ view, lists, all }: { view: View; lists: Lists; all: number }) {
  const { list, changed, since } = view.filters
  return (
    <div class="saved-filters">
      <nav aria-label="Your lists">
        <ul class="chips">
          {[{ name: '', count: all }, ...lists].map(({ name, count }) => (
            <li>
              <a
                class="chip"
                href={hrefOf({ ...view, page: 1 }, { list: name })}
                aria-current={name.toLowerCase() === list.toLowerCase() ? 'true' : undefined}
              >
                {name || 'All'} <span class="soft">{formatCount(count)}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <form class="saved-since" action={SAVED_PATH}>
        <Hidden name="list" value={list} />
        <label for="q">Search</label>
        <input id="q" name="q" type="search" value={view.q} autocomplete="off" />
        <label for="since">Changes</label>
        <select id="since" name="since">
          {(['', '7', '30'] satisfies Since[]).map((value) => (
            <option value={value} selected={value === since}>
              {capital(SINCE[value])}
            </option>
          ))}
        </select>
        <label class="compare-box">
          <input type="checkbox" name="changed" value="1" checked={changed === '1'} />
          Only changed
        </label>
        <Submit kind="plain">Apply</Submit>
      </form>
    </div>
  )
}

function Nothing({ view, all }: { view: View; all: number }) {
  const { list, changed, since } = view.filters
  if (all === 0)
    return (
      <div class="aside">
        <h2>Nothing saved yet</h2>
        <p>
          Choose Save on a product page, or ask your agent to save it. You'll see here when its price changes,
          a shop drops it, or it reaches your target price.
        </p>
        <p class="line">
          <LinkButton to={CATEGORIES_PATH} primary label="Browse categories" />
          <a href="/connect">Connect an agent</a>
        </p>
      </div>
    )
  const where = list === '' ? '' : ` on the list “${list}”`
  return (
    <div class="aside">
      <h2>{changed === '' ? `Nothing saved${where}` : `Nothing has changed${where}`}</h2>
      {changed !== '' && <p>No changes {SINCE[since].replace('it', 'them')}.</p>}
      <LinkLine to={SAVED_PATH}>Show everything you saved</LinkLine>
    </div>
  )
}

/** The header leads everybody here, so strangers see what it is for. */
function invitation(): PersonPage {
  return {
    title: 'Saved products',
    lead: 'Keep products on your own lists and see what has changed since.',
    frame: SavedFrame,
    body: [
      <ul class="plain-list">
        <li>See which prices went up or down since you saved them.</li>
        <li>Set a target price and see when it's reached.</li>
        <li>Add notes, sort by list, and compare up to four side by side.</li>
        <li>Connect your agent to read and change the same lists.</li>
      </ul>,
      <SignInWays back={SAVED_PATH} />,
    ],
  }
}

/** Saves a product, or changes what is saved of it when there is an entry. */
function formPage(
  profile: ProductProfile,
  { entries, lists }: { entries: SavedEntry[]; lists: Lists },
  entry: SavedEntry | null,
  state: FormState,
  back: string,
): PersonPage {
  const then = entry && priceWhenSaved(entry)
  const ways: Array<[string, string]> = [[SAVED_PATH, 'Your saved products']]
  if (entry) ways.unshift([addPath(profile, { another: '1' }), 'Save it to another list too'])
  return {
    title: entry ? 'Edit saved product' : 'Save this product',
    body: [
      <div class="saved-product">
        <div class="saved-picture">
          <Picture profile={profile} decorative />
        </div>
        <p>
          <a href={productPath(profile)}>{profile.title}</a>
          <span class="row-note">{priceRange(profile) ?? 'Price unknown'}</span>
        </p>
      </div>,
      entry ? (
        <p class="aside">
          You saved it on <Day at={entry.savedAt} /> to the list “{entry.list}”{then && `, at ${then}`}.
        </p>
      ) : (
        entries.length > 0 && (
          <p class="aside">It's already on {entries.map(({ list }) => `“${list}”`).join(', ')}.</p>
        )
      ),
      <Form action={SAVED_PATH} label={entry ? 'Save changes' : 'Save'}>
        <Hidden name="p" value={nameOf(profile)} />
        <Hidden name="from" value={entry?.list} />
        <Hidden name="back" value={back} />
        <Fields of={fieldsOf(profile, entry)} state={state} />
      </Form>,
      <Ways ways={ways} />,
      <ListNames lists={lists} />,
    ],
  }
}
