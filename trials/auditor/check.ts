/** What a check of the auditor is given, and what it answers with: one sentence for each breach, with what is needed to find it. */
import type pg from 'pg'
import type { Agents } from '../agents.ts'
import type { Journal } from '../journal.ts'
import type { MailServer } from '../mail-server.ts'
import type { People } from '../people.ts'

export type AuditContext = {
  pool: pg.Pool
  journal: Journal
  people: People
  /** Of every node; each of them is asked. */
  addresses: string[]
  mail: MailServer | null
  agents: Agents | null
  /** How often so far a node was killed or the database went away: what explains units of a quota that nobody used. */
  disturbances: number
  /** How long nodes may take to show what is committed and to give back what they do not need. */
  lagMs: number
}

export type Check = { name: string; run(ctx: AuditContext): Promise<string[]> }

export type Breach = { check: string; what: string }

/** One text a row; for checks that are one statement. */
export async function findTexts(pool: pg.Pool, sql: string, values: unknown[] = []): Promise<string[]> {
  const { rows } = await pool.query<{ text: string }>(sql, values)
  return rows.map(({ text }) => text)
}
