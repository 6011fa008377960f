/** What the account's pages are made of, and what other features may add to them. */
import type { Child } from 'hono/jsx'
import type { Person } from '../../accounts/actor.ts'
import type { AccountsContext } from '../../accounts/context.ts'
import type { Config } from '../../config.ts'
import type { LiveOffers } from '../../offers/live-offers.ts'
import type { Search } from '../../search/search.service.ts'
import type { Site } from '../site.ts'

export type AccountDeps = {
  config: Config
  site: Site
  accounts: AccountsContext
  search: { search: Pick<Search, 'index'> }
  offers: LiveOffers
  /** Further parts of the account page, such as the apps somebody has connected. */
  accountSections?: AccountSection[]
}

/** A part of the account page that another feature brings. */
export type AccountSection = (user: Person) => Promise<Child>
