/**
 * The saved products of one person, and what a stranger sees in their place. Everything that is chosen stands in the
 * address, so that a view can be kept as a bookmark and the way back works.
 */
import type { Child } from 'hono/jsx'
import type { ProductProfile } from '../../catalog/profile.ts'
import type { SavedPage } from '../../saved/saved.service.ts'
import { COMPARE_PATH } from '../components/compare-bar.tsx'
import { SignInWays } from '../components/sign-in-ways.tsx'
import { countOf, formatCount } from '../format.ts'
import { Hidden } from '../kit/fields.tsx'
import { Paging } from '../kit/paging.tsx'
import { CATEGORIES_PATH, Layout } from '../layout.tsx'
import type { Site } from '../site.ts'
import { COMPARE_FORM, Entry } from './saved.entry.tsx'
import { ListNames } from './saved.fields.tsx'
import {
  EVERYTHING,
  PAGE_SIZE,
  SAVED_PATH,
  type SavedFilter,
  SINCE,
  type Since,
  savedPath,
} from './saved.filter.ts'
import { capitalized, SINCE_WORDS } from './saved.words.ts'

/** What was just removed, and the sealed form of it that puts it back. */
export type Removed = { title: string; list: string; token: string }

type ListPage = {
  site: Site
  found: SavedPage
  profiles: Map<string, ProductProfile>
  filter: SavedFilter
  done: string | null
  removed: Removed | null
}

const ABOVE_THE_FOLD = 3

export function renderSaved(page: ListPage): string {
  const { site, found, profiles, filter, done, removed } = page
  const { entries, total, lists } = found
  const all = lists.reduce((sum, { count }) => sum + count, 0)
  return String(
    <Frame site={site}>
      <header class="page-head saved-head">
        <h1>Saved products</h1>
        <p class="lead">What you keep an eye on, and what has changed since. Only you see this.</p>
      </header>
      {done && (
        <p class="done" role="status">
          {done}
        </p>
      )}
      {removed && <RemovedNotice removed={removed} filter={filter} />}
      {all > 0 && <Filters {...page} all={all} />}
      {entries.length === 0 ? (
        <Empty filter={filter} all={all} />
      ) : (
        <>
          <p class="soft">{summary(total, filter)}</p>
          <ul class="saved-list">
            {entries.map((entry, at) => (
              <Entry
                entry={entry}
                profile={profiles.get(entry.product.id) ?? null}
                filter={filter}
                lazy={at >= ABOVE_THE_FOLD}
              />
            ))}
          </ul>
          {entries.length > 1 && <Compare />}
          <ListNames names={lists.map(({ name }) => name)} />
        </>
      )}
      <Paging
        page={filter.page}
        pages={Math.ceil(total / PAGE_SIZE)}
        href={(number) => savedPath({ ...filter, page: number })}
      />
    </Frame>,
  )
}

function Frame({ site, children }: { site: Site; children?: Child }) {
  return (
    <Layout
      site={site}
      title="Saved products · Souk"
      description="Keep products on lists of your own, and see what has changed since."
      path={null}
    >
      {children}
    </Layout>
  )
}

function summary(total: number, { onlyChanged, since }: SavedFilter): string {
  if (!onlyChanged) return `${countOf(total, 'product')}, last saved first`
  return `${countOf(total, 'product')} changed ${SINCE_WORDS[since].replace('it', 'them')}`
}

function RemovedNotice({ removed, filter }: { removed: Removed; filter: SavedFilter }) {
  return (
    <div class="done undo" role="status">
      <p>
        Removed <strong>{removed.title}</strong> from the list “{removed.list}”.
      </p>
      <form method="post" action={`${SAVED_PATH}/undo`}>
        <Hidden name="token" value={removed.token} />
        <Hidden name="back" value={savedPath(filter).split('?')[1]} />
        <button class="button plain" type="submit">
          Undo
        </button>
      </form>
    </div>
  )
}

function Filters({ found: { lists }, filter, all }: ListPage & { all: number }) {
  const chip = (name: string | null, label: string, count: number) => (
    <li>
      <a
        class="chip"
        href={savedPath({ ...filter, list: name, page: 1 })}
        aria-current={isSame(filter.list, name) ? 'true' : undefined}
      >
        {label} <span class="soft">{formatCount(count)}</span>
      </a>
    </li>
  )
  return (
    <div class="saved-filters">
      <nav aria-label="Your lists">
        <ul class="chips">
          {chip(null, 'All', all)}
          {lists.map(({ name, count }) => chip(name, name, count))}
        </ul>
      </nav>
      <form class="saved-since" action={SAVED_PATH}>
        <Hidden name="list" value={filter.list} />
        <label for="since">Changes</label>
        <select id="since" name="since">
          {(Object.keys(SINCE_OPTIONS) as Since[]).map((since) => (
            <option value={since} selected={since === filter.since}>
              {SINCE_OPTIONS[since]}
            </option>
          ))}
        </select>
        <label class="compare-box">
          <input type="checkbox" name="changed" value="1" checked={filter.onlyChanged} />
          Only what changed
        </label>
        <button class="button plain" type="submit">
          Show
        </button>
      </form>
    </div>
  )
}

const SINCE_OPTIONS: Record<Since, string> = {
  saved: 'Since I saved it',
  '7': `Last ${SINCE['7']} days`,
  '30': `Last ${SINCE['30']} days`,
}

function isSame(one: string | null, other: string | null): boolean {
  return one?.toLowerCase() === other?.toLowerCase()
}

function Compare() {
  return (
    <form id={COMPARE_FORM} class="line saved-compare" action={COMPARE_PATH}>
      <button class="button" type="submit">
        Compare what is ticked
      </button>
      <span class="soft">Up to four side by side</span>
    </form>
  )
}

function Empty({ filter, all }: { filter: SavedFilter; all: number }) {
  if (all === 0)
    return (
      <div class="aside">
        <h2>Nothing is saved yet</h2>
        <p>
          Choose Save on a product’s page, or ask your agent to save it. Here you then see when its price
          moves, a shop drops it, or it reaches the price you wait for.
        </p>
        <p class="line">
          <a class="button" href={CATEGORIES_PATH}>
            Browse the categories
          </a>
          <a href="/connect">Connect an agent</a>
        </p>
      </div>
    )
  const where = filter.list === null ? '' : ` on the list “${filter.list}”`
  return (
    <div class="aside">
      <h2>{filter.onlyChanged ? `Nothing has changed${where}` : `Nothing is saved${where}`}</h2>
      {filter.onlyChanged && (
        <p>{capitalized(SINCE_WORDS[filter.since].replace('it', 'them'))}, all is as it was.</p>
      )}
      <p>
        <a href={SAVED_PATH}>Show everything you saved</a>
      </p>
    </div>
  )
}

/** In the header for everybody, so it tells a stranger what it is for. */
export function renderSavedInvitation(site: Site): string {
  const back = savedPath(EVERYTHING)
  return String(
    <Frame site={site}>
      <header class="page-head saved-head">
        <h1>Saved products</h1>
        <p class="lead">Keep what you may want on lists of your own, and see what has changed since.</p>
      </header>
      <ul class="plain-list">
        <li>See at a glance which prices went down or up since you saved them.</li>
        <li>Name the price you wait for, and see when it is reached.</li>
        <li>Add notes, sort by list, and compare up to four side by side.</li>
        <li>Your agent sees and changes the same lists, once you connect it.</li>
      </ul>
      <SignInWays back={back} />
    </Frame>,
  )
}
