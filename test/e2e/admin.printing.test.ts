/** What strangers write reaches the operator's terminal as text and nothing else. */
import { beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { runAdmin } from '../admin-command.ts'
import { relate } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { createToolsWorld, type ToolsWorld } from '../tools.world.ts'

const NASTY = 'A\u001b[2J\u202eB\u009b31m\u2066\u007f\nC\tD\u{e0041}'
const SHOWN = 'A\\u001b[2J\\u202eB\\u009b31m\\u2066\\u007f\\u000aC\\u0009D\\udb40\\udc41'

let world: ToolsWorld

/** Past all cleaning, as from an older version or another way in. */
beforeAll(async () => {
  world = await createToolsWorld()
  const product = await addProduct(world, { slug: 'plain', category: 'kettles', title: 'Plain' })
  const other = await addProduct(world, { slug: 'other', category: 'kettles', title: 'Other' })
  const { org, userId } = await world.person({ producer: { name: 'Shop' } })
  if (!org) throw new Error('a producer has an organization')
  await relate(world, org, product)
  const claimed = await world.call({ token: await world.tokenFor(userId) }, 'claim_product', {
    product_slug: 'other',
    relationship_type: 'sells',
  })
  expect(claimed.isError, other).toBe(false)
  const { pool } = world.database
  await pool.query('update orgs set name = $2 where id = $1', [org.id, NASTY])
  await pool.query('update users set name = $2 where id = $1', [userId, NASTY])
  await pool.query(
    `insert into product_submissions (id, org_id, relationship_type, product, product_url, identity_key)
     values ($1, $2, 'sells', $3, $4, 'x')`,
    [newId(), org.id, { category: 'kettles', title: NASTY }, `https://us.example/${NASTY}`],
  )
  await pool.query(
    `insert into enrichments (id, org_id, product_id, fields, note, created_at) values ($1, $2, $3, $4, $5, now())`,
    [newId(), org.id, product, { title: NASTY }, NASTY],
  )
})

test.each(['submissions', 'enrichments', 'relationships', 'orgs', 'users'])(
  'admin %s prints no character that moves, hides or turns text, and each column in its place',
  async (list) => {
    const { out } = await runAdmin(world, list)
    expect(out).toContain(SHOWN)
    expect(out.replaceAll(/[\t\n]/g, '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
  },
)

test('what is listed as JSON is still JSON', async () => {
  const { out } = await runAdmin(world, 'submissions')
  const [, title] = /^\ttitle\t(.*)$/m.exec(out) ?? []
  expect(JSON.parse(title ?? '')).toBe(NASTY)
})
