/** get_catalog_issues on a real database: what is found, whose it is, filters, pages, and what others wrote. */
import { beforeAll, describe, expect, test } from 'vitest'
import { rejectSubmission } from '../../src/catalog/submissions-review.service.ts'
import { newId } from '../../src/lib/ids.ts'
import { relate } from '../orgs.ts'
import { HOSTILE, outsideFences } from '../skills.world.ts'
import { createIssuesWorld, type IssuesWorld, type Owner, type Row, rulesOf } from './issues.world.ts'

let souk: IssuesWorld
beforeAll(async () => {
  souk = await createIssuesWorld()
})

describe('get_catalog_issues', () => {
  test('tells what is wrong with the organization and all its products, worst first, each with its fix', async () => {
    const { issues, data, text } = await souk.found({ limit: 50 })
    expect(rulesOf(issues)).toEqual([
      ['kettles/whole', 'claim_without_evidence'],
      ['tents/dome', 'claim_without_evidence'],
      ['kettles/bare', 'no_quote_possible'],
      ['kettles/bare', 'image_missing'],
      ['kettles/bare', 'description_missing'],
      ['kettles/bare', 'identifier_missing'],
      ['kettles/bare', 'price_missing'],
      ['kettles/whole', 'offer_expired'],
      ['kettles/bare', 'specs_few'],
      ['kettles/bare', 'brand_domain_missing'],
      ['kettles/bare', 'no_live_offer'],
    ])
    expect(data).toMatchObject({
      total: 11,
      counts: { critical: 0, error: 3, warning: 5, suggestion: 3 },
      products_checked: 3,
      next_offset: null,
    })
    for (const { message, fix } of issues) {
      expect(text).toContain(message)
      expect(text).toContain(fix)
    }
  })

  test('severity narrows the list and its total, not the counts', async () => {
    const { issues, data } = await souk.found({ severity: 'suggestion', limit: 2, offset: 1 })
    expect(rulesOf(issues)).toEqual([
      ['kettles/bare', 'brand_domain_missing'],
      ['kettles/bare', 'no_live_offer'],
    ])
    expect(data).toMatchObject({ total: 3, next_offset: null, counts: { error: 3, warning: 5 } })
    expect((await souk.found({ severity: 'critical' })).text).toContain('No issues match')
  })

  test('pages fit together', async () => {
    const whole = (await souk.found({ limit: 50 })).issues
    const paged: Row[] = []
    for (let offset: unknown = 0; typeof offset === 'number'; ) {
      const { issues, data } = await souk.found({ limit: 4, offset })
      paged.push(...issues)
      offset = data.next_offset
    }
    expect(paged).toEqual(whole)
    expect((await souk.found({ offset: 500 })).text).toContain('there are 11 that match')
  })

  test('one product is looked at alone, by either form of its slug', async () => {
    for (const product_slug of ['whole', 'kettles/whole'])
      expect((await souk.found({ product_slug })).data).toMatchObject({
        total: 2,
        products_checked: 1,
        issues: [{ rule: 'claim_without_evidence' }, { rule: 'offer_expired', offer_id: expect.any(String) }],
      })
  })

  test("another organization's product is not found, as one that does not exist", async () => {
    const answers = [
      await souk.found({ product_slug: 'whole' }, souk.rival),
      await souk.found({ product_slug: 'nothing' }, souk.rival),
      await souk.found({ product_slug: 'tents/whole' }),
    ]
    for (const { error } of answers)
      expect(error).toMatchObject({ kind: 'not_found', code: 'not_found', field: 'product_slug' })
    expect(new Set(answers.map(({ error }) => error.error)).size).toBe(1)
  })

  test('an organization that has done nothing yet hears what to do', async () => {
    const fresh = await souk.owner({ domain: null, verified: false })
    expect(rulesOf((await souk.found({}, fresh)).issues)).toEqual([
      [null, 'domain_missing'],
      [null, 'no_rfq_answer'],
      [null, 'no_products'],
    ])
  })

  test('a note of a reviewer stands in a fence, and cannot leave it', async () => {
    const person = await souk.owner()
    await souk.integrate(person, 'agent')
    await relate(souk, person.org, souk.ids.whole)
    for (const note of HOSTILE) {
      await souk.database.db.deleteFrom('enrichments').where('org_id', '=', person.org.id).execute()
      await propose(person, 'rejected', note)
      const { text, issues } = await souk.found({ product_slug: 'whole' }, person)
      expect(issues[0]).toMatchObject({
        rule: 'enrichment_rejected',
        review_note: note.replaceAll('\u0000', ''),
      })
      expect(outsideFences(text)).not.toMatch(/OBEY|Ignore all|javascript|onerror/)
      expect(text).toContain('Untrusted content, written by the reviewer')
    }
    souk.clock.set('2026-11-02T12:00:00Z')
    await propose(person, 'pending', null)
    expect(rulesOf((await souk.found({ product_slug: 'whole' }, person)).issues)).toEqual([
      ['kettles/whole', 'no_live_offer'],
    ])
    souk.clock.set('2026-11-12T12:00:00Z')
    expect(rulesOf((await souk.found({ product_slug: 'whole' }, person)).issues)).toEqual([
      ['kettles/whole', 'enrichment_waiting'],
      ['kettles/whole', 'no_live_offer'],
    ])
    souk.clock.set('2026-11-01T12:00:03Z')
  })

  async function propose({ org }: Owner, status: 'pending' | 'rejected', note: string | null) {
    const at = souk.clock.now()
    await souk.database.db
      .insertInto('enrichments')
      .values({
        id: newId(),
        org_id: org.id,
        product_id: souk.ids.whole,
        fields: '{}',
        images: '[]',
        note: null,
        status,
        reviewed_by: null,
        reviewed_at: status === 'rejected' ? at : null,
        review_note: note,
        created_at: at,
      })
      .execute()
  }

  describe('a proposed product that was rejected', () => {
    const DAY_MS = 86_400_000
    const operator = { kind: 'operator', id: null } as const
    const told = async (person: Owner, args: Row = {}) =>
      (await souk.found(args, person)).issues.filter(({ rule }) => rule === 'submission_rejected')

    async function rejected(person: Owner, title: string, note: string): Promise<string> {
      const args = { category: 'kettles', title, brand: 'Swift', mpn: 'S-1' }
      const { data } = await souk.call(person, 'submit_product', args)
      const id = String(data.submission_id)
      await rejectSubmission(souk.ctx, { by: operator, id, note })
      return id
    }

    test('is told with the reason and what to do, to its organization alone, until it is proposed again', async () => {
      const person = await souk.owner()
      const id = await rejected(person, 'Swift Kettle', 'A blurry picture.')
      expect(await told(person)).toMatchObject([
        {
          severity: 'warning',
          product_slug: null,
          submission: { submission_id: id, title: 'Swift Kettle' },
          message: 'The product you proposed was rejected on 2026-11-01.',
          fix: expect.stringContaining('submit_product again'),
          review_note: 'A blurry picture.',
        },
      ])
      expect(await told(souk.rival)).toEqual([])
      await relate(souk, person.org, souk.ids.bare)
      expect(await told(person, { product_slug: 'bare' })).toEqual([])
      const mine = await souk.mine({}, person)
      expect(mine.data.submissions_rejected).toBe(1)
      expect(mine.text).toContain('Rejected: 1 proposed product; get_catalog_issues explains why.')

      souk.clock.set('2026-11-01T12:00:04Z')
      const again = await rejected(person, 'Swift Kettle, sharper', 'Still blurry.')
      expect(await told(person)).toMatchObject([{ submission: { submission_id: again } }])
      souk.clock.set('2026-11-01T12:00:05Z')
      await souk.call(person, 'submit_product', {
        category: 'kettles',
        title: 'Swift',
        brand: 'SWIFT',
        mpn: 's1',
      })
      expect(await told(person)).toEqual([])
      expect((await souk.mine({}, person)).data).toMatchObject({
        submissions_rejected: 0,
        submissions_pending: 1,
      })
      souk.clock.set('2026-11-01T12:00:03Z')
    })

    test('is told for sixty days', async () => {
      const person = await souk.owner()
      await rejected(person, 'Old Kettle', 'No.')
      const at = souk.clock.now().getTime()
      souk.clock.set(new Date(at + 60 * DAY_MS - 1).toISOString())
      expect(await told(person)).toHaveLength(1)
      souk.clock.set(new Date(at + 60 * DAY_MS).toISOString())
      expect(await told(person)).toEqual([])
      souk.clock.set('2026-11-01T12:00:03Z')
    })

    test('is told in fences, whatever its title and its note say', async () => {
      for (const words of HOSTILE) {
        const person = await souk.owner()
        await rejected(person, `Kettle ${words}`.slice(0, 200), words)
        const { text } = await souk.found({ severity: 'warning' }, person)
        expect(text).toContain('submission_rejected')
        expect(outsideFences(text)).not.toMatch(/OBEY|Ignore all|javascript|onerror/)
      }
    })
  })

  test('hostile titles and brands stay one harmless line', async () => {
    const person = await souk.owner()
    for (const [index, title] of HOSTILE.entries()) {
      const id = newId()
      await souk.database.pool.query(
        `insert into products (id, slug, category_id, title)
         values ($1, $2, (select id from categories where slug = 'kettles'), $3)`,
        [id, `hostile-${index}`, title],
      )
      await relate(souk, person.org, id)
    }
    for (const { text } of [await souk.mine({}, person), await souk.found({ limit: 50 }, person)]) {
      expect(text).not.toMatch(/^\s*(```|~~~|# )/m)
      expect(text).not.toContain('[click](')
      expect(text).not.toContain('<img')
    }
  })
})
