/**
 * /saved: a person's saved products, and what has changed of them. Every form names the product and the list, never a row:
 * what is done is done among the rows of whoever is signed in, so there is nothing of others to name.
 */
import type { Context, Hono } from 'hono'
import type { AccountsContext } from '../../accounts/context.ts'
import { getProfile, getProfiles } from '../../catalog/catalog.service.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import { canonicalSlug } from '../../catalog/profile.ts'
import { ProductSlugInput } from '../../catalog/relationships.schema.ts'
import type { Config } from '../../config.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { type Form, readForm } from '../../http/form.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import { AppError } from '../../lib/errors.ts'
import { typedDollars } from '../../lib/money.ts'
import type { LiveOffers } from '../../offers/live-offers.ts'
import { DEFAULT_LIST, MAX_LISTS, type SavedEntry } from '../../saved/saved.schema.ts'
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
import type { Search } from '../../search/search.service.ts'
import { answerForm } from '../kit/answer-form.ts'
import type { FormState } from '../kit/fields.tsx'
import { onward } from '../onward.ts'
import { doneWords, sendPage } from '../page.http.ts'
import { renderMessagePage } from '../pages/message.tsx'
import { findSignedIn } from '../signed-in.ts'
import type { Site } from '../site.ts'
import { entryId } from './saved.entry.tsx'
import {
  addPath,
  EVERYTHING,
  filterQuery,
  PAGE_SIZE,
  readFilter,
  SAVED_PATH,
  type SavedFilter,
  savedPath,
  sinceMoment,
} from './saved.filter.ts'
import { renderSavedForm } from './saved.form.page.tsx'
import { SavedForm } from './saved.form.ts'
import { type Removed, renderSaved, renderSavedInvitation } from './saved.page.tsx'
import { openRemoved, sealRemoved } from './saved.undo.ts'
import { FULL, inPageWords, NO_MORE_LISTS } from './saved.words.ts'

type Deps = {
  site: Site
  config: Config
  accounts: AccountsContext
  search: { search: Search }
  offers: LiveOffers
}

type C = Context<HttpEnv>

const DONE: Record<string, string> = {
  added: 'Saved.',
  changed: 'Your changes were saved.',
  restored: 'It is back on your list.',
  gone: 'It was not on that list any more.',
  full: FULL,
  lists: NO_MORE_LISTS,
  late: 'It is too late to undo that. You can save the product again on its page.',
}

export function mountSaved(app: Hono<HttpEnv>, deps: Deps): void {
  const { site, config, accounts } = deps
  const ctx: SavedContext = {
    db: accounts.db,
    clock: accounts.clock,
    search: deps.search.search,
    offers: deps.offers,
  }

  app.get(SAVED_PATH, async (c) => {
    const browser = await findSignedIn(c, accounts)
    if (!browser) return sendPage(c, renderSavedInvitation(site))
    const userId = browser.actor.user.id
    const filter = readFilter(new URL(c.req.url).searchParams)
    const { list, onlyChanged, since, page } = filter
    const changedSince = sinceMoment(since, ctx.clock.now())
    const found = await listSaved(
      ctx,
      { userId },
      {
        ...(list !== null && { list }),
        ...(changedSince !== null && { changedSince }),
        onlyChanged,
        limit: PAGE_SIZE,
        offset: (page - 1) * PAGE_SIZE,
      },
    )
    const last = Math.max(1, Math.ceil(found.total / PAGE_SIZE))
    if (page > last) return c.redirect(savedPath({ ...filter, page: last }), 303)
    const ids = found.entries.map(({ product }) => product.id)
    const profiles = new Map((await getProfiles(ctx, ids)).map((profile) => [profile.id, profile]))
    const done = doneWords(DONE, c.req.query('done'))
    const removed = removedOf(userId, c.req.query('removed'))
    return sendPage(c, renderSaved({ site, found, profiles, filter, done, removed }))
  })

  app.get(`${SAVED_PATH}/add`, async (c) => {
    const profile = await findNamed(c.req.query('p'))
    if (!profile) return noSuchProduct(c)
    const browser = await findSignedIn(c, accounts)
    const another = c.req.query('another') === '1'
    if (!browser)
      return c.redirect(
        onward('/auth/signin', addPath(nameOf(profile), another ? { another: '1' } : {})),
        303,
      )
    const places = await findSavedPlaces(ctx, { userId: browser.actor.user.id }, profile.id)
    const asked = c.req.query('list')?.toLowerCase()
    const entry = another
      ? null
      : (places.entries.find(({ list }) => list.toLowerCase() === asked) ?? places.entries[0] ?? null)
    const state = { values: valuesOf(entry), errors: {} }
    return sendPage(c, renderSavedForm({ site, profile, ...places, entry, state, back: '' }))
  })

  app.post(SAVED_PATH, async (c) =>
    own(c, async (owner, form) => {
      const profile = await findNamed(form.p)
      if (!profile) return noSuchProduct(c)
      const named = { category: profile.category.slug, slug: profile.slug }
      const back = filterOf(form.back)
      const render = async (state: FormState) => {
        const places = await findSavedPlaces(ctx, owner, profile.id)
        const entry = places.entries.find(({ list }) => list === form.from) ?? null
        return renderSavedForm({ site, profile, ...places, entry, state, back: filterQuery(back) })
      }
      return answerForm(c, form, {
        schema: SavedForm,
        render,
        act: async ({ list, note, target_price: targetPriceCents, from }) => {
          const saved = async (): Promise<{ entry: SavedEntry; added: boolean }> => {
            if (from !== '') {
              const edit = { ...named, list: from, to: list, note, targetPriceCents }
              return { entry: await editSaved(ctx, owner, edit), added: false }
            }
            const { entry, outcome } = await saveProduct(ctx, owner, {
              ...{ ...named, list },
              ...(note !== null && { note }),
              ...(targetPriceCents !== null && { targetPriceCents }),
            })
            return { entry, added: outcome === 'added' }
          }
          try {
            const { entry, added } = await saved()
            const view = added ? { ...EVERYTHING, list: entry.list } : movedWith(back, from, entry)
            const done = added ? 'added' : 'changed'
            return c.redirect(`${savedPath(view, { done })}#${entryId(entry)}`, 303)
          } catch (error) {
            if (error instanceof AppError && error.kind === 'not_found')
              return c.redirect(savedPath(back, { done: 'gone' }), 303)
            throw inPageWords(error)
          }
        },
      })
    }),
  )

  app.post(`${SAVED_PATH}/remove`, async (c) =>
    own(c, async (owner, form) => {
      const back = filterOf(form.back)
      const named = ProductSlugInput.safeParse(form.p ?? '').data
      if (!named?.category || !form.from) return c.redirect(savedPath(back, { done: 'gone' }), 303)
      try {
        const { category, slug } = named
        const { entries } = await removeSaved(ctx, owner, { category, slug, list: form.from })
        const [entry] = entries
        return c.redirect(
          savedPath(back, entry ? { removed: sealRemoved(accounts, owner.userId, entry) } : {}),
          303,
        )
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== 'not_found') throw error
        return c.redirect(savedPath(back, { done: 'gone' }), 303)
      }
    }),
  )

  app.post(`${SAVED_PATH}/undo`, async (c) =>
    own(c, async (owner, form) => {
      const back = filterOf(form.back)
      const { token = '' } = form
      const removed = openRemoved(accounts, owner.userId, token)
      if (!removed) return c.redirect(savedPath(back, { done: 'late' }), 303)
      try {
        const entry = await restoreSaved(ctx, owner, removed)
        return c.redirect(`${savedPath(back, { done: 'restored' })}#${entryId(entry)}`, 303)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (error.kind === 'not_found') return c.redirect(savedPath(back, { done: 'late' }), 303)
        if (error.kind !== 'conflict') throw error
        // It can still be taken back once there is room.
        const done = error.max === MAX_LISTS ? 'lists' : 'full'
        return c.redirect(savedPath(back, { done, removed: token }), 303)
      }
    }),
  )

  /** For signed-in people, and from our own pages only. Others sign in first, and come back to the product. */
  async function own(c: C, act: (owner: Owner, form: Form) => Promise<Response>): Promise<Response> {
    requireSameOrigin(c, config.baseUrl)
    const form = await readForm(c)
    const browser = await findSignedIn(c, accounts)
    if (browser) return act({ userId: browser.actor.user.id, visit: visitOf(c, config) }, form)
    const profile = c.req.path.replace(/\/$/, '') === SAVED_PATH ? await findNamed(form.p) : null
    return c.redirect(onward('/auth/signin', profile ? addPath(nameOf(profile)) : SAVED_PATH), 303)
  }

  async function findNamed(given: string | undefined): Promise<ProductProfile | null> {
    const named = ProductSlugInput.safeParse(given ?? '').data
    return named?.category ? getProfile(ctx, { category: named.category, slug: named.slug }) : null
  }

  function noSuchProduct(c: C): Promise<Response> {
    const text = 'There is no such product. It may have left the catalog, or its address is not complete.'
    return sendPage(c, renderMessagePage({ status: 404, title: 'Product not found', text }, site), {
      status: 404,
    })
  }

  function removedOf(userId: string, token: string | undefined): Removed | null {
    const removed = token ? openRemoved(accounts, userId, token) : null
    return removed && token ? { title: removed.title, list: removed.list, token } : null
  }
}

function nameOf({ slug, category }: ProductProfile): string {
  return canonicalSlug({ slug, category: category.slug })
}

function filterOf(back: string | undefined): SavedFilter {
  return readFilter(new URLSearchParams(back ?? ''))
}

/** Whoever looks at one list and moves an entry goes with it, else they would not see what they did. */
function movedWith(view: SavedFilter, from: string, entry: SavedEntry): SavedFilter {
  const moved = view.list !== null && from.toLowerCase() !== entry.list.toLowerCase()
  return moved ? { ...EVERYTHING, list: entry.list } : view
}

function valuesOf(entry: SavedEntry | null): Record<string, string> {
  return {
    list: entry?.list ?? DEFAULT_LIST,
    note: entry?.note ?? '',
    target_price: entry?.targetPriceCents ? typedDollars(entry.targetPriceCents) : '',
  }
}
