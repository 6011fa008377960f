/**
 * A market in which everybody outside means harm: for each hostile text there is a shop that is called so, sells a product
 * that says so, offers, proposes and imports it, has an agent that answers so, and a shopper who notes and asks it. All
 * of it goes in over HTTP. `unclean` then puts the texts back into the database as they were before they were
 * cleaned, so that what comes out is held by how it is written and not by how it was read.
 */

import { importCategories } from '../../src/catalog/categories.service.ts'
import { importProducts } from '../../src/catalog/import.service.ts'
import { newId } from '../../src/lib/ids.ts'
import { cleanLine, cleanText } from '../../src/lib/text.ts'
import { HOSTILE } from '../hostile-texts.ts'
import type { TestOrg } from '../orgs.ts'
import { withTools } from '../tools.world.ts'
import { createActions } from './injection.actions.ts'
import { type SourceName, textFor } from './injection.sources.ts'
import { answerWith, createRfqWorld, type ProducerPlan, type Respond } from './rfq.world.ts'

export type InjectionWorld = Awaited<ReturnType<typeof createInjectionWorld>>
export type Shop = { at: number; slug: string; org: TestOrg; token: string }

const NUMBERS = HOSTILE.map((_, at) => at)
export const CATEGORY = 'traps'
export const slugOf = (at: number) => `trap-${at}`

export async function createInjectionWorld() {
  const answer = (at: number): Respond => answering(at, () => rfqWorld.clock.now())
  const plans = NUMBERS.map((at): [string, ProducerPlan] => [`t${at}`, { respond: answer(at) }])
  const rfqWorld = await createRfqWorld(Object.fromEntries(plans))
  const world = withTools(rfqWorld)
  await bringProducts(rfqWorld)
  const does = createActions(world)
  const shops: Shop[] = []
  for (const at of NUMBERS) shops.push(await does.open(at))
  const [main, second, operator] = shops
  if (!main || !second || !operator) throw new Error('too few shops')
  await world.database.pool.query('update users set is_admin = true where id = $1', [operator.org.ownerId])
  for (const { at, slug } of shops) await does.sell(main, { at, slug })
  await world.searchRuntime.fill()
  await world.catchUp()
  const quoted = await world.ask({ quantity: 2 })
  const failed = await world.ask({ quantity: 3 })
  for (const { at, slug } of shops) {
    await does.shop(at < 20 ? main : second, { at, slug })
    // Nobody has room for all.
    await does.nameToken([main, second, operator][at % 3] ?? main, at)
    await does.search(at)
  }
  const broughtId = await does.bring(main)
  await does.invite(main)
  await does.rule(main)
  const ids = async (table: string) => {
    const { rows } = await world.database.pool.query<{ id: string }>(`select id from ${table} order by id`)
    return rows.map(({ id }) => id)
  }
  const { offers } = (await does.send(main.org, 'GET', '/api/offers/list/')) as {
    offers: Array<{ id: string }>
  }
  const readers = { owner: main.org.session, second: second.org.session, operator: operator.org.session }
  return {
    ...world,
    shops,
    main,
    readers,
    quoted,
    failed,
    broughtId,
    invitation: await does.mailbox.link('invited@people.example'),
    offerIds: offers.map(({ id }) => id),
    enrichmentIds: await ids('enrichments'),
    submissionIds: await ids('product_submissions'),
    does,
    unclean: () => unclean(rfqWorld),
  }
}

/** With terms, but for the second time, when it is a fault: a page of one's own, or fields that are none. */
function answering(at: number, now: () => Date): Respond {
  return (received, response, count) => {
    if (count !== 2) return answerWith(now, { terms: textFor('quote terms', at) })(received, response, count)
    const fault = textFor('agent fault', at)
    if (at % 2) return void response.writeHead(500, { 'Content-Type': 'text/html' }).end(fault)
    const body = { price_usd: fault, in_stock: fault, claim_url: fault, [fault]: fault }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  }
}

type Base = Awaited<ReturnType<typeof createRfqWorld>>

async function bringProducts({ ctx }: Base): Promise<void> {
  await importCategories(ctx, [{ slug: CATEGORY, label: 'Traps', description: 'Traps' }])
  const lines = NUMBERS.map((at) => {
    const text = (source: SourceName) => textFor(source, at)
    return JSON.stringify({
      category: CATEGORY,
      slug: slugOf(at),
      title: text('product title'),
      model: text('product model'),
      brand: text('product brand'),
      description: text('product description'),
      verdict: text('product verdict'),
      price: 5,
      list_price: 9,
      specs: { [text('spec name')]: text('spec value') },
      themes: [{ theme: text('theme'), sentiment: 'mixed', share: 0.5, summary: text('theme summary') }],
      best_for: [text('best for')],
      not_for: [text('not for')],
      where_to_buy: [{ name: text('shop'), url: `https://shop.example/(x)[y]|'*_${at}`, price: 5 }],
      images: [{ url: `https://pictures.example/(x)'|${at}.png`, alt: text('image alt') }],
    })
  })
  const bytes = (async function* () {
    yield Buffer.from(lines.join('\n'))
  })()
  const report = await importProducts(ctx, bytes, { format: 'jsonl', source: 'feed', fingerprint: newId() })
  if (NUMBERS.length !== report.created) throw new Error(JSON.stringify(report))
}

/** Every stored text that has a mark, as it was before it was cleaned; what the schema does not let in stays as it is. */
async function unclean({ database: { pool } }: Base): Promise<number> {
  const { rows: columns } = await pool.query<{ table: string; column: string; type: string }>(
    `select c.table_name as table, c.column_name as column, c.data_type as type
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
       and t.table_name not in (select relname from pg_class where relkind = 'p') and c.is_generated = 'NEVER'
       and (c.data_type in ('text', 'jsonb') or c.udt_name = '_text')`,
  )
  let changed = 0
  for (const { table, column, type } of columns) {
    const { rows } = await pool.query<{ ctid: string; value: unknown }>(
      `select ctid::text, "${column}" as value from "${table}" where "${column}"::text ~ 'zq[a-z]{2}[0-9]{2}z'`,
    )
    const written = rows.map(async ({ ctid, value }) => {
      const dirty = type === 'jsonb' ? JSON.stringify(dirtied(value)) : dirtied(value)
      const update = `update "${table}" set "${column}" = $1 where ctid = $2::tid`
      const done = await pool.query(update, [dirty, ctid]).catch(() => ({ rowCount: 0 }))
      return done.rowCount ?? 0
    })
    for (const count of await Promise.all(written)) changed += count
  }
  await pool.query(
    `insert into changes (product_id, category_id, aspect) select id, category_id, 'text' from products`,
  )
  return changed
}

function dirtied(value: unknown): unknown {
  if (typeof value === 'string') return dirtiedText(value)
  if (Array.isArray(value)) return value.map(dirtied)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, dirtied(one)]))
}

function dirtiedText(text: string): string {
  const [, code = '', at = ''] = /zq([a-z]{2})(\d\d)z/.exec(text) ?? []
  const mark = `zq${code}${at}z`
  const raw = HOSTILE[Number(at)]?.text(mark) ?? mark
  const kept = [raw, cleanText(raw), cleanLine(raw)].find((form) => text.includes(form))
  return text.replace(kept ?? mark, () => raw)
}
