/**
 * Which of their organizations a person acts for right now, by name, for whoever has to be told: a person who is about to
 * let an app act for it, and a model that may believe it works for another one. By the same choice as every deed.
 */
import type { AccessTokenActor, SessionActor } from '../accounts/actor.ts'
import type { Db } from '../db/database.ts'
import { type ActingOrg, findActingOrg } from './producer.queries.ts'
import { chosenOrg } from './producer.ts'

export type { ActingOrg } from './producer.queries.ts'

/** Null for somebody who acts for none. */
export async function actingOrg(
  ctx: { db: Db },
  actor: SessionActor | AccessTokenActor,
): Promise<ActingOrg | null> {
  return findActingOrg(ctx.db, { userId: actor.user.id, ...chosenOrg(actor) })
}

/** Its name, when the person belongs to several; who has one need not be told. */
export async function actingFor(ctx: { db: Db }, actor: AccessTokenActor): Promise<string | null> {
  const acting = await actingOrg(ctx, actor)
  return acting?.several ? acting.name : null
}
