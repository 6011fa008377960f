/**
 * Runs the 40 tasks against the service itself and prints, for each, the calls, the tokens of text and whether it ended
 * right: `npm run eval -- agents`. Fails unless all end right with at most 3 calls in the median and 1,500 tokens each.
 */
import { newId } from '../../src/lib/ids.ts'
import { loadTokenizer } from '../../src/search/embed/minilm.ts'
import { type Service, startService } from '../service.ts'
import { follow } from './client.ts'
import { TASKS, type Task } from './tasks.ts'

const MOST_CALLS = 3
const MOST_TOKENS = 1_500

type Result = { task: Task; calls: number; tokens: number; wrong: string | null }

export async function reportAgents(): Promise<void> {
  const encode = await loadTokenizer()
  const service = await startService()
  try {
    const tokens = { shopper: (await service.person()).token, seller: await addSeller(service) }
    const results: Result[] = []
    for (const task of TASKS) results.push(await run(service, task, tokens[task.as], encode))
    print(results)
  } finally {
    await service.stop()
  }
}

async function run(
  service: Service,
  task: Task,
  token: string,
  encode: (text: string) => number[],
): Promise<Result> {
  const { calls, stuck } = await follow(service, token, task.steps)
  const last = calls.at(-1)?.reply
  const wrong =
    stuck ??
    (last
      ? await task.end({ last, calls, ask: (tool, args = {}) => service.call(token, tool, args) })
      : 'nothing was called')
  const tokens = calls.reduce((sum, { reply }) => sum + encode(reply.text).length, 0)
  return { task, calls: calls.length, tokens, wrong }
}

function print(results: readonly Result[]): void {
  const say = (line: string) => process.stdout.write(`${line}\n`)
  for (const { task, calls, tokens, wrong } of results)
    say(
      `${wrong === null ? 'right' : 'WRONG'}  ${calls} ${calls === 1 ? 'call ' : 'calls'}  ${String(tokens).padStart(5)} tokens  ${task.kind}: ${task.title}${wrong === null ? '' : ` (${wrong})`}`,
    )
  const right = results.filter(({ wrong }) => wrong === null).length
  const most = Math.max(...results.map(({ tokens }) => tokens))
  const [calls, tokens] = [
    medianOf(results.map((one) => one.calls)),
    medianOf(results.map((one) => one.tokens)),
  ]
  say(`${right} of ${results.length} right; calls: median ${calls}; tokens: median ${tokens}, most ${most}`)
  if (right < results.length || calls > MOST_CALLS || most > MOST_TOKENS) process.exitCode = 1
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

/** The owner of a shop with one verified product, written as an operator would have decided it. */
async function addSeller({ db, person }: Service): Promise<string> {
  const owner = await person({ producer: true })
  const [orgId, at] = [newId(), new Date()]
  await db
    .insertInto('orgs')
    .values({
      ...{ id: orgId, name: 'Larkfield', org_type: 'retailer', domain: 'larkfield.example' },
      ...{ website_url: null, shopify_shop: null, verification_status: 'verified', verified_via: 'operator' },
      ...{
        verified_at: at,
        verification_token: newId(),
        deactivated_at: null,
        created_at: at,
        updated_at: at,
      },
    })
    .execute()
  await db
    .insertInto('org_members')
    .values({ org_id: orgId, user_id: owner.userId, role: 'owner', created_at: at })
    .execute()
  const { id } = await db
    .selectFrom('products')
    .select('id')
    .where('slug', '=', 'tarnhollow-skein-2')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('product_relationships')
    .values({
      ...{ id: newId(), org_id: orgId, product_id: id, relationship_type: 'sells', status: 'verified' },
      ...{ verified_via: 'operator', evidence_url: null, created_at: at, verified_at: at },
    })
    .execute()
  return owner.token
}
