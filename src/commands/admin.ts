/** `souk admin …`: what only whoever runs the service may do. Each deed is written to the audit log as the operator's. */
import type { Config } from '../config.ts'
import { connectDatabase } from '../db/connect.ts'
import type { Db } from '../db/database.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { ORG_DEEDS } from './admin.orgs.ts'
import { RENAME_DEEDS } from './admin.renames.ts'
import { REVIEW_DEEDS } from './admin.review.ts'
import { RFQ_DEEDS } from './admin.rfq.ts'
import { SECRET_DEEDS } from './admin.secrets.ts'
import { SYSTEM_DEEDS } from './admin.system.ts'
import { USER_DEEDS } from './admin.users.ts'

type AdminContext = { db: Db; clock: Clock; config: Config }
export type AdminDeed = {
  usage: string
  takes: number
  run(ctx: AdminContext, args: string[]): Promise<void>
}

const DEEDS: Record<string, AdminDeed> = {
  ...USER_DEEDS,
  ...ORG_DEEDS,
  ...RENAME_DEEDS,
  ...REVIEW_DEEDS,
  ...RFQ_DEEDS,
  ...SECRET_DEEDS,
  ...SYSTEM_DEEDS,
}

export async function adminCommand(config: Config, [name = '', ...args]: string[]): Promise<number> {
  const deed = Object.hasOwn(DEEDS, name) ? DEEDS[name] : undefined
  if (!deed || args.length !== deed.takes) {
    const lines = Object.values(DEEDS).map(({ usage }) => `  npm run souk -- admin ${usage}\n`)
    process.stderr.write(`usage:\n${lines.join('')}`)
    return 2
  }
  const database = await connectDatabase(config, { role: 'command', log: createLog('error') })
  try {
    await deed.run({ db: database.db, clock: systemClock, config }, args)
    return 0
  } finally {
    await database.close()
  }
}
