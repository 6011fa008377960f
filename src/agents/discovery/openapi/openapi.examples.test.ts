/**
 * The examples of the published description are what the service really answers, and every documented refusal really
 * happens. `UPDATE_GOLDEN=1` renews the file; format it with Biome and look at the diff.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { describedBy, promisesOf, provokedBy } from '../../../../test/described.coverage.ts'
import { ask, examples, recordEverything } from '../../../../test/e2e/openapi.answers.ts'
import { PRODUCT, settled } from '../../../../test/e2e/openapi.world.ts'
import { OPERATIONS } from './document.ts'
import { EXAMPLES_FILE, type Examples } from './examples.ts'

const HOW =
  'if the change is meant, renew examples.json: UPDATE_GOLDEN=1 with this test, and look at the diff'

beforeAll(recordEverything, 120_000)

test('every example is what the service answers', async () => {
  const stored = JSON.parse(await readFile(EXAMPLES_FILE, 'utf8')) as Examples
  const fresh = settled(examples, stored)
  if (process.env.UPDATE_GOLDEN === '1') await writeFile(EXAMPLES_FILE, `${JSON.stringify(fresh, null, 2)}\n`)
  else expect(fresh, HOW).toEqual(stored)
})

describe.each(OPERATIONS.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  const described = describedBy([operation])
  const promises = promisesOf(described)

  test('no two of its answers and refusals are taken for one another', () => {
    expect(promises.filter((line, at) => promises.indexOf(line) !== at)).toEqual([])
  })

  // Faults, a database that is away, and pages, which are long, are tried on each operation in test/e2e/refusals.test.ts;
  // what leads on, in test/e2e/catalog.tidy.test.ts.
  test('every refusal that is documented was provoked, and no other', () => {
    const happened = Object.entries(examples[id]?.answers ?? {}).flatMap(([status, byType]) =>
      Object.entries(byType).flatMap(([type, byName]) =>
        Object.values(byName).map(({ value }) =>
          described.map((one) => provokedBy(one, { status: Number(status), type, value })).join(),
        ),
      ),
    )
    const shown = (lines: string[]) =>
      [...new Set(lines)]
        .filter(
          (line) =>
            !/ (30[14] no body|500 .*|503 text\/plain|503 .*"again shortly"|\d+ text\/html)$/.test(line),
        )
        .toSorted()
    expect(shown(happened)).toEqual(shown(promises))
  })

  test('a request and every answer but pages have an example', () => {
    if (operation.body) expect(Object.keys(examples[id]?.requests ?? {})).not.toEqual([])
    for (const { status, content } of operation.answers)
      for (const type of Object.keys(content).filter((one) => one !== 'text/html'))
        expect(Object.keys(examples[id]?.answers?.[status]?.[type] ?? {}), type).not.toEqual([])
  })
})

test('a path is shown with the product or the plan that the examples are about', () => {
  const shown = OPERATIONS.flatMap(({ parameters = {} }) => Object.entries(parameters))
  expect(shown.length).toBeGreaterThan(0)
  const shownPlan = examples.getPlan?.answers?.[200]?.['application/json']?.plan
  const { plan_id: id } = (shownPlan?.value ?? {}) as { plan_id?: string }
  const about = { ...PRODUCT, id }
  for (const [name, { example }] of shown) expect({ ...about, [name]: example }).toEqual(about)
})

test('who has the newest form is answered with 304 and nothing else', async () => {
  for (const { id } of OPERATIONS.filter(({ answers }) => answers.some(({ status }) => status === 304))) {
    const first = await ask(id, { parameters: PRODUCT })
    const etag = first.headers.get('etag') ?? ''
    const again = await ask(id, { parameters: PRODUCT, headers: { 'if-none-match': etag } })
    expect([again.status, await again.text(), again.headers.get('etag')], id).toEqual([304, '', etag])
  }
})
