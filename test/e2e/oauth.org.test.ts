/** For which organization a token acts: the one its person acted for when they allowed it, and never silently another. */
import { expect, test } from 'vitest'
import { findAccessToken } from '../../src/oauth/tokens.service.ts'
import { BASE_URL } from '../harness.ts'
import { createOrg, call as send, type TestOrg } from '../orgs.ts'
import { withTools } from '../tools.world.ts'
import { createOauthWorld, hiddenFields, pkce, REDIRECT, requestFor } from './oauth.world.ts'

const world = withTools(await createOauthWorld())
const { db, pool } = world.database

type Tokens = { access_token: string; refresh_token: string }
type Member = { id: string; cookie: string }

async function join(org: TestOrg, userId: string): Promise<void> {
  world.clock.advance(1_000)
  const at = world.clock.now()
  await db
    .insertInto('org_members')
    .values({ org_id: org.id, user_id: userId, role: 'owner', created_at: at })
    .execute()
  await db.updateTable('users').set({ account_type: 'producer' }).where('id', '=', userId).execute()
}

const leave = (org: TestOrg, userId: string) =>
  db.deleteFrom('org_members').where('org_id', '=', org.id).where('user_id', '=', userId).execute()

async function select({ cookie }: Member, org: TestOrg): Promise<void> {
  const answer = await send(
    world,
    { cookie },
    'POST',
    '/api/org/select/',
    { org_id: org.id },
    { origin: BASE_URL },
  )
  expect(answer.status).toBe(200)
}

/** Somebody who belongs to both, Beta being the newer one. */
async function memberOfBoth() {
  const [alpha, beta] = [await createOrg(world, { name: 'Alpha' }), await createOrg(world, { name: 'Beta' })]
  const member = await world.addPerson()
  for (const org of [alpha, beta]) await join(org, member.id)
  return { alpha, beta, member }
}

async function connect({ cookie }: Member, clientId?: string) {
  const client = clientId ?? (await world.register())
  const { verifier, challenge } = pkce()
  const code = await world.obtainCode({ clientId: client, cookie, challenge })
  const tokens = await redeem({
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT,
    client_id: client,
    code_verifier: verifier,
  })
  return { ...tokens, clientId: client }
}

async function redeem(form: Record<string, string>): Promise<Tokens> {
  const answer = await world.token(new URLSearchParams(form))
  expect(answer.status).toBe(200)
  return (await answer.json()) as Tokens
}

const actsFor = async ({ access_token }: Tokens) =>
  (await findAccessToken(world.oauth, access_token))?.selectedOrgId

async function integrations(): Promise<string[]> {
  const { rows } = await pool.query<{ org_id: string }>('select org_id from agent_integrations')
  return rows.map(({ org_id }) => org_id)
}

const manage = ({ access_token: token }: Tokens) =>
  world.call({ token }, 'set_agent_integration', { is_managed: true })

const page = async (member: Member, clientId: string) => {
  const params = new URLSearchParams(requestFor(clientId, pkce().challenge))
  return (await world.authorize(params, member.cookie)).text()
}

test('anyone who joins another organization later does not take the agents along', async () => {
  const [alpha, beta] = [await createOrg(world), await createOrg(world)]
  const member = await world.addPerson()
  await join(alpha, member.id)
  const tokens = await connect(member)
  await join(beta, member.id)
  expect((await manage(tokens)).isError).toBe(false)
  expect(await integrations()).toContain(alpha.id)
  expect(await integrations()).not.toContain(beta.id)
})

test('a token acts for the organization selected at consent, through refreshes and later selections', async () => {
  const { alpha, beta, member } = await memberOfBoth()
  await select(member, alpha)
  const first = await connect(member)
  await select(member, beta)
  const { refresh_token, clientId } = first
  const second = await redeem({ grant_type: 'refresh_token', refresh_token, client_id: clientId })
  expect([await actsFor(first), await actsFor(second)]).toEqual([alpha.id, alpha.id])
  const { text } = await world.call({ token: second.access_token }, 'list_team_members')
  expect(text).toContain('Organization: Alpha')
})

test('approved without asking, it is the organization selected at that time', async () => {
  const { alpha, beta, member } = await memberOfBoth()
  const first = await connect(member)
  await select(member, alpha)
  const again = await connect(member, first.clientId)
  expect([await actsFor(first), await actsFor(again)]).toEqual([beta.id, alpha.id])
})

test('who has left the organization is refused and told to reconnect, and no other is touched', async () => {
  const { alpha, beta, member } = await memberOfBoth()
  await select(member, alpha)
  const tokens = await connect(member)
  await leave(alpha, member.id)
  for (const answer of [
    await manage(tokens),
    await world.call({ token: tokens.access_token }, 'list_team_members'),
  ]) {
    expect(answer.error).toMatchObject({ kind: 'forbidden', code: 'not_a_producer' })
    expect(answer.error.error).toContain('reconnect the agent to act for another organization')
  }
  for (const org of [alpha, beta]) expect(await integrations()).not.toContain(org.id)
  const anew = await connect(member, tokens.clientId)
  expect((await manage(anew)).isError).toBe(false)
  expect(await integrations()).toContain(beta.id)
})

test('a consumer who becomes a producer acts for the organization joined last', async () => {
  const member = await world.addPerson()
  const tokens = await connect(member)
  expect(await actsFor(tokens)).toBeNull()
  for (const name of ['Former', 'Latter']) {
    await join(await createOrg(world, { name }), member.id)
    const { text } = await world.call({ token: tokens.access_token }, 'list_team_members')
    expect(text).toContain(`Organization: ${name}`)
  }
})

test('the page names the organization the client will act for, and that it is one of several', async () => {
  const member = await world.addPerson()
  const clientId = await world.register()
  expect(await page(member, clientId)).not.toContain('It will act for')
  await join(await createOrg(world, { name: 'Kettle & <b>Sons' }), member.id)
  const one = await page(member, clientId)
  expect(one).toMatch(/It will act for <strong>Kettle &amp; &lt;b&gt;Sons · [\w.-]+, verified<\/strong>\./)
  expect(one).toContain('Manage Kettle &amp; &lt;b&gt;Sons’s products')
  await join(await createOrg(world, { name: 'Newer' }), member.id)
  const several = await page(member, clientId)
  expect(several).toMatch(/It will act for <strong>Newer · [\w.-]+, verified<\/strong> only\. To use another/)
})

test('a page that named one organization allows nothing for another one selected meanwhile', async () => {
  const { alpha, beta, member } = await memberOfBoth()
  const fields = hiddenFields(await page(member, await world.register()))
  fields.set('decision', 'allow')
  await select(member, alpha)
  expect((await world.nothingIssued(() => world.decide(fields, member.cookie))).status).toBe(403)
  await select(member, beta)
  const answer = await world.decide(fields, member.cookie)
  expect(new URL(answer.headers.get('location') ?? '').searchParams.has('code')).toBe(true)
})

test('an organization that is deleted ends its tokens, and no others', async () => {
  const { alpha, beta, member } = await memberOfBoth()
  const ofBeta = await connect(member)
  await select(member, alpha)
  const ofAlpha = await connect(member)
  await db.deleteFrom('orgs').where('id', '=', alpha.id).execute()
  expect(await actsFor(ofAlpha)).toBeUndefined()
  expect(await actsFor(ofBeta)).toBe(beta.id)
})
