/** An organization with products that were shown, read, asked for and clicked, and browsers of its people. */
import { newId } from '../../src/lib/ids.ts'
import { createQueryLog } from '../../src/search/query-log.ts'
import { createBrowser } from '../accounts.ts'
import { createTestApp } from '../harness.ts'
import type { TestOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'

export async function createFiguresWorld(options: Parameters<typeof createTestApp>[0] = {}) {
  const souk = await createTestApp(options)
  const { pool, db } = souk.database
  const queries = createQueryLog({ db, log: souk.logged.log })
  let visits = 0
  return {
    ...souk,
    browserOf({ cookie }: { cookie: string }) {
      const browser = createBrowser(souk)
      browser.setCookie(cookie)
      return browser
    },
    product: (slug: string, title = 'Lamp', row: Record<string, unknown> = {}) =>
      addProduct(souk, { slug, category: 'lamps', title, ...row }),
    async search(query: string, productIds: string[], { times = 1, at = '2026-11-01T10:00:00Z' } = {}) {
      for (let n = 0; n < times; n++)
        queries.add({
          id: newId(),
          at: new Date(at),
          query,
          filters: {},
          sessionId: `visit-${++visits}`,
          face: 'tools',
          mode: 'semantic',
          productIds,
          offset: 0,
          ms: 1,
        })
      await queries.settled()
    },
    /** Under any name, as earlier versions counted it. */
    async read(productId: string, agent: string, times = 1) {
      await pool.query(
        `insert into product_reads as r (product_id, day, face, agent, reads) values ($1, $2, 'tools', $3, $4)
         on conflict (product_id, day, face, agent) do update set reads = r.reads + excluded.reads`,
        [productId, souk.clock.now().toISOString().slice(0, 10), agent, times],
      )
    },
    /** Prices by organization; the buyer chose the first of them. */
    async quoted(productId: string, prices: Array<[TestOrg, number]>, at = '2026-11-01T10:00:00Z') {
      const id = newId()
      await pool.query(
        `insert into rfqs (id, context_id, product_id, quantity, face, state, created_at, finished_at)
         values ($1, gen_random_uuid(), $2, 1, 'a2a', 'completed', $3, $3)`,
        [id, productId, at],
      )
      for (const [index, [org, price]] of prices.entries()) {
        await pool.query(
          `insert into rfq_attempts (rfq_id, org_id, try, kind, started_at, verdict)
           values ($1, $2, 1, 'agent', $3, 'quoted')`,
          [id, org.id, at],
        )
        await pool.query(
          `insert into rfq_quotes (id, rfq_id, org_id, answer, health, received_at, response_ms, rank, loss_reason)
           values ($1, $2, $3, $4, '{}', $5, 5, $6, $7)`,
          [
            newId(),
            id,
            org.id,
            JSON.stringify({ price_usd: price }),
            at,
            index + 1,
            index > 0 ? 'more expensive' : null,
          ],
        )
      }
      await pool.query(
        `update rfqs r set chosen_quote_id = q.id, chosen_at = r.created_at
         from rfq_quotes q where q.rfq_id = r.id and q.rank = 1 and r.id = $1`,
        [id],
      )
    },
    click: (org: TestOrg, productId: string, at = '2026-11-01T10:00:00Z') =>
      pool.query(
        `insert into link_clicks (id, at, kind, link_id, org_id, product_id) values ($1, $2, 'offer', $1, $3, $4)`,
        [newId(), at, org.id, productId],
      ),
    integrate: (org: TestOrg, { managed = false, status = 'active' } = {}) =>
      pool.query(
        `insert into agent_integrations (org_id, is_managed, agent_card_url, status) values ($1, $2, $3, $4)`,
        [org.id, managed, managed ? null : 'https://agent.example/card.json', status],
      ),
  }
}

/** What a page says, without its tags. */
export const wordsOf = (html: string) =>
  html
    .replaceAll(/<(script|style|title)\b[\s\S]*?<\/\1>/g, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')

export async function readPage(answer: Response | Promise<Response>) {
  const response = await answer
  const html = await response.text()
  return { status: response.status, headers: response.headers, html, words: wordsOf(html) }
}
