/** `souk demo remove`: ends the demo and leaves what is real. */
import type { Config } from '../config.ts'
import { LOCKS, withAdvisoryLock } from '../db/advisory-lock.ts'
import { type DemoRemoved, previewRemoval, removeDemo } from '../demo/remove.service.ts'
import { systemClock } from '../lib/clock.ts'
import { counted } from '../lib/words.ts'
import { OPERATOR } from './admin.action.ts'
import { readArguments, say, showUsage } from './terminal.ts'
import { withDatabase } from './with-database.ts'

const HELP = `usage: npm run souk -- demo remove [--dry-run]

Removes the demo sellers with their offers, claims, prices and history, the demo accounts, and the products and categories
of the demo catalog that nothing real uses. Real products, accounts, organizations and requests stay. The demo does not come
back at the next start.

  --dry-run   count what would be removed, and change nothing
`
const SHOWN = 20

export async function demoCommand(config: Config, args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { flags: ['dry-run'] })
  if (values.help || positionals.length !== 1 || positionals[0] !== 'remove') return showUsage(HELP, values)
  return withDatabase(config, async ({ db, pool }) => {
    if (values['dry-run']) {
      tell('Would remove', await previewRemoval({ db }))
      return 0
    }
    const removed = await withAdvisoryLock(pool, LOCKS.demoCatalog, () =>
      removeDemo({ db, clock: systemClock }, OPERATOR),
    )
    tell('Removed', removed)
    for (const { slug, why } of removed.kept.slice(0, SHOWN)) say(`  ${slug} was kept: ${why}`)
    if (removed.kept.length > SHOWN) say(`  … and ${removed.kept.length - SHOWN} more were kept`)
    say('Restart running nodes, so that their pages no longer say demo.')
    return 0
  })
}

function tell(done: string, removed: Omit<DemoRemoved, 'categories' | 'kept'> & Partial<DemoRemoved>): void {
  const { sellers, sellersKept, requests, accounts, products, categories } = removed
  const parts = [
    counted(sellers, 'demo seller'),
    counted(requests, 'request'),
    counted(accounts, 'demo account'),
    counted(products, 'product'),
    ...(categories === undefined ? [] : [counted(categories, 'category')]),
  ]
  say(`${done}: ${parts.join(', ')}.`)
  if (sellersKept > 0)
    say(`${counted(sellersKept, 'demo seller')} stay deactivated, because real buyers hold their quotes.`)
}
