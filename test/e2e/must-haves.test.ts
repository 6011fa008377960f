/** The requirements that product_curator judges, against what was written by reading the demo catalog. */
import { expect, test } from 'vitest'
import { readDemoSet } from '../../eval/judged.ts'
import { readMustHaves, scoreExclusion } from '../../eval/must-haves.ts'
import { checkMustHaves, readMustHaves as readWishes } from '../../src/curator/curator.must-have.ts'
import { readerOf } from '../../src/curator/curator.shortlist.ts'
import { demoSearch } from '../demo-search.ts'
import { createCuratorWorld } from './curator.world.ts'

const written = readMustHaves()

test('60 judgements and 40 exclusions are written, half of each not for tuning', () => {
  const count = (kind: string, set: string) =>
    written.filter((one) => one.kind === kind && one.set === set).length
  expect([count('judgement', 'practice'), count('judgement', 'unseen')]).toEqual([30, 30])
  expect([count('exclusion', 'practice'), count('exclusion', 'unseen')]).toEqual([20, 20])
})

test('of 60 judgements at least 57 are right, each with the place that says so', async () => {
  const search = await demoSearch()
  const { products } = readDemoSet()
  const right = written.flatMap((one) => {
    if (one.kind !== 'judgement') return []
    const profile = products.find(({ slug }) => one.product.endsWith(`/${slug}`))
    if (!profile) throw new Error(`there is no ${one.product}`)
    const [check] = checkMustHaves(profile, readWishes([one.wish], search.understand), readerOf(search))
    const isProved = check?.met === 'not_stated' || check?.evidence != null
    return check?.met === one.met && isProved ? [one] : []
  })
  expect(right.length).toBeGreaterThanOrEqual(57)
})

test('all of 40 requirements keep out what denies them and nothing that states them', async () => {
  const souk = await createCuratorWorld()
  const exclusions = written.flatMap((one) => (one.kind === 'exclusion' ? [one] : []))
  const scored = await Promise.all(
    exclusions.map((one) => scoreExclusion(async (args) => (await souk.curate(args)).data, one)),
  )
  expect(scored.filter(({ wrong }) => wrong === null)).toHaveLength(40)
})
