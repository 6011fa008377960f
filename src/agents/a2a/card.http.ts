/**
 * The card over HTTP: prepared once in each form, kept by caches for a few minutes and asked about after that. It can
 * change with the program and the configuration alone, so it is as old as the process. Clients that are given the
 * address of the endpoint look for the card below it.
 */
import type { AgentCard } from '@a2a-js/sdk'
import type { Context } from 'hono'
import type { HttpEnv } from '../../http/env.ts'
import { type Prepared, prepare } from '../../http/prepared.ts'
import { sendPrepared } from '../../http/send-prepared.ts'
import { type CardConfig, type CardForm, writeCard } from './card.ts'
import { readVersion } from './version.ts'

export const CARD_PATHS = ['', '/a2a'].flatMap((below) => [
  `${below}/.well-known/agent-card.json`,
  `${below}/.well-known/agent.json`,
])

const HEADERS = {
  'Cache-Control': 'public, max-age=300',
  Vary: 'A2A-Version, Accept-Encoding',
  'Access-Control-Allow-Origin': '*',
}

export function createCardSender(card: AgentCard, config: CardConfig, since: Date) {
  const write = (form: CardForm): Prepared =>
    prepare({
      body: JSON.stringify(writeCard(card, config, form)),
      contentType: 'application/json',
      lastModified: since,
      headers: HEADERS,
    })
  const forms = { hybrid: write('hybrid'), '1.0': write('1.0'), '0.3': write('0.3') }

  return (c: Context<HttpEnv>): Promise<Response> => {
    // A reader from the future finds in the card which versions there are.
    return sendPrepared(c, forms[readVersion(c.req.header('a2a-version')) ?? 'hybrid'])
  }
}
