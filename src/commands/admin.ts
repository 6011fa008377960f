/** `souk admin …`: what only the operator may do. Each action is written to the audit log as the operator's. */
import type { Config } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import type { AdminActions } from './admin.action.ts'
import { ORG_ACTIONS, USER_ACTIONS } from './admin.people.ts'
import { REVIEW_ACTIONS } from './admin.reviews.ts'
import { SYSTEM_ACTIONS } from './admin.system.ts'
import { withDatabase } from './with-database.ts'

const ACTIONS: AdminActions = { ...USER_ACTIONS, ...ORG_ACTIONS, ...REVIEW_ACTIONS, ...SYSTEM_ACTIONS }

export async function adminCommand(config: Config, [name = '', ...args]: string[]): Promise<number> {
  const found = Object.entries(ACTIONS).find(([usage]) => {
    const [action, ...takes] = usage.replace(/ \(.*/, '').split(' ')
    return action === name && takes.length === args.length
  })
  if (!found) {
    const lines = Object.keys(ACTIONS).map((usage) => `  npm run souk -- admin ${usage}\n`)
    process.stderr.write(`usage:\n${lines.join('')}`)
    return 2
  }
  const [, run] = found
  await withDatabase(config, ({ db }) => run({ db, clock: systemClock, config }, ...args))
  return 0
}
