/**
 * What says a stranger's words back to them: pages and refusals that repeat what was sent, asked with each hostile text.
 * A new one is a line.
 */
import { BASE_URL } from '../harness.ts'
import type { InjectionWorld } from './injection.world.ts'
import { pkce, REDIRECT, requestFor } from './oauth.world.ts'
import { PRODUCT } from './rfq.world.ts'

export type Asked = {
  path: string
  method?: string
  form?: Record<string, string>
  json?: unknown
  headers?: Record<string, string>
  by?: keyof InjectionWorld['readers']
}
export type Reflection = (text: string, world: InjectionWorld) => Asked

const q = (path: string, params: Record<string, string>) => `${path}?${new URLSearchParams(params)}`
const rpc = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params })
const own = ({ main }: InjectionWorld) => ({ org_id: main.org.id })

export const REFLECTIONS: Record<string, Reflection> = {
  'a search': (t) => ({ path: q('/search', { q: t }) }),
  'a search in no category': (t) => ({ path: q('/search', { q: 'trap', category: t }) }),
  'a search with no price': (t) => ({ path: q('/search', { q: 'trap', max_price: t, sort: t, page: t }) }),
  'a search of the API': (t) => ({
    path: '/api/search/',
    json: { query: t, session_id: t, filters: { category: t } },
  }),
  'what somebody types': (t) => ({ path: q('/api/suggest/', { q: t, kinds: t, limit: t }) }),
  'a set': (t) => ({ path: q('/sets', { q: t }) }),
  'a comparison': (t) => ({ path: q('/compare', { p: t, add: t }) }),
  'a request for quotes': (t) => ({
    path: q('/quotes/new', { product_slug: t, quantity: t, delivery_region: t, deadline_iso: t }),
  }),
  'a refused request for quotes': (t) => ({
    path: '/quotes',
    form: { product_slug: PRODUCT, quantity: t, delivery_region: t },
  }),
  'a refused report of a mistake': (t) => ({
    path: '/p/traps/trap-0/mistakes',
    form: { kind: t, text: t, email: t },
  }),
  'a quote to verify': (t) => ({ path: '/verify-quote', form: { quote: t } }),
  'a sign-up': (t) => ({
    path: '/auth/signup',
    form: { email: t, name: t, password: 'short', return_to: t },
  }),
  'a sign-in': (t) => ({ path: '/auth/signin', form: { email: t, password: t, return_to: t } }),
  'the page of a sign-in': (t) => ({ path: q('/auth/signin', { return_to: `/${t}` }) }),
  'a link': (t) => ({ path: q('/auth/verify', { token: t }) }),
  'an invitation': (t) => ({ path: q('/org/join', { token: t }) }),
  'an unknown page': (t) => ({ path: `/nowhere/${encodeURIComponent(t)}` }),
  'an unknown product': (t) => ({ path: `/p/traps/${encodeURIComponent(t)}` }),
  'an unknown route': (t) => ({ path: `/api/${encodeURIComponent(t)}` }),
  'a list of saved products': (t) => ({ path: q('/saved', { list: t, removed: t }), by: 'owner' }),
  'a refused product to save': (t) => ({
    path: '/saved',
    form: { p: 'traps/trap-0', list: t, note: t, target_price: t },
    by: 'owner',
  }),
  'a refused offer': (t, w) => ({
    path: '/dashboard/offers/new',
    form: {
      ...own(w),
      product_slug: 'traps/trap-0',
      headline: t,
      detail: t,
      promo_code: t,
      destination_url: t,
      price_usd: t,
    },
    by: 'owner',
  }),
  'a preview of an offer': (t, w) => ({
    path: '/dashboard/offers/preview',
    form: {
      ...own(w),
      product_slug: 'traps/trap-0',
      headline: t,
      detail: t,
      promo_code: t,
      destination_url: 'https://shop.example/',
    },
    by: 'owner',
  }),
  'a refused organization': (t, w) => ({
    path: '/dashboard/organization/edit',
    form: { ...own(w), name: t, org_type: t, website_url: t },
    by: 'owner',
  }),
  'a refused domain': (t, w) => ({
    path: '/dashboard/organization/domain',
    form: { ...own(w), domain: t },
    by: 'owner',
  }),
  'a refused invitation': (t, w) => ({
    path: '/dashboard/team/invite',
    form: { ...own(w), email: t, role: t },
    by: 'owner',
  }),
  'a refused product': (t, w) => ({
    path: '/dashboard/products/new',
    form: { ...own(w), category: t, title: t, description: t, price_usd: t, image_urls: t },
    by: 'owner',
  }),
  'a refused card': (t, w) => ({
    path: '/dashboard/agent',
    form: { ...own(w), agent_card_url: t },
    by: 'owner',
  }),
  'a search for people': (t) => ({ path: q('/admin/users', { q: t }), by: 'operator' }),
  'a search for organizations': (t) => ({ path: q('/admin/organizations', { q: t }), by: 'operator' }),
  'a refused offer of the API': (t) => ({
    path: '/api/offers/create/',
    json: { product_slug: t, headline: t, destination_url: t, offer_types: [t] },
    by: 'owner',
  }),
  'a refused organization of the API': (t) => ({
    path: '/api/org/register/',
    json: { name: t, org_type: t, domain: t, website_url: t },
    by: 'owner',
  }),
  'a refused proposal': (t) => ({
    path: '/api/org/enrichment/',
    json: { product_slug: t, fields: { [t]: t }, evidence_url: t },
    by: 'owner',
  }),
  'a client without a place to go back to': (t) => ({
    path: '/api/oauth/register/',
    json: { client_name: t, client_uri: t, redirect_uris: [t] },
  }),
  'an unknown grant': (t) => ({ path: '/api/oauth/token/', form: { grant_type: t, client_id: t, code: t } }),
  'an unknown client': (t) => ({
    path: q('/oauth/authorize/', { ...requestFor(t, pkce().challenge), state: t }),
    by: 'owner',
  }),
  'an unknown tool': (t, { main }) => ({
    path: '/mcp/',
    json: rpc('tools/call', { name: t, arguments: { [t]: t } }),
    headers: { authorization: `Bearer ${main.token}`, accept: 'application/json, text/event-stream' },
  }),
  'a refused tool call': (t, { main }) => ({
    path: '/mcp/',
    json: rpc('tools/call', { name: 'get_product', arguments: { category: t, slug: t } }),
    headers: { authorization: `Bearer ${main.token}`, accept: 'application/json, text/event-stream' },
  }),
  'an unknown method of the agent': (t) => ({ path: '/a2a/', json: rpc(t, { [t]: t }) }),
  'a message to the agent': (t) => ({
    path: '/a2a/',
    json: rpc('message/send', {
      message: {
        kind: 'message',
        messageId: crypto.randomUUID(),
        role: 'user',
        parts: [
          { kind: 'text', text: t },
          { kind: 'data', data: { [t]: t } },
        ],
      },
    }),
  }),
  'an unknown product of UCP': (t) => ({ path: '/catalog/lookup', json: { ids: [t] } }),
  'a search of UCP': (t) => ({ path: '/catalog/search', json: { query: t } }),
}

export async function ask(
  world: InjectionWorld,
  { path, method, form, json, headers = {}, by }: Asked,
): Promise<Response> {
  const body = json === undefined ? form && new URLSearchParams(form) : JSON.stringify(json)
  const sent = {
    ...(json === undefined ? { accept: 'text/html' } : { 'content-type': 'application/json' }),
    ...(form && { origin: BASE_URL }),
    ...(by && world.readers[by]),
    ...headers,
  }
  return await world.app.request(BASE_URL + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: sent,
    body,
  })
}

/** A client that is called so, and the page that asks whether it may. */
export async function consentPage(world: InjectionWorld, text: string): Promise<Response> {
  const client = {
    client_name: text,
    client_uri: `https://client.example/"><b/zqx>`,
    redirect_uris: [REDIRECT],
  }
  const registered = await ask(world, { path: '/api/oauth/register/', json: client })
  const { client_id } = (await registered.json()) as { client_id: string }
  const request = { ...requestFor(client_id, pkce().challenge), state: text }
  return ask(world, { path: q('/oauth/authorize/', request), by: 'owner' })
}

/** Where an address is asked for. */
export const ADDRESSES: Record<string, (url: string) => Asked> = {
  'where an offer leads': (url) => ({
    path: '/api/offers/create/',
    json: { product_slug: 'traps/trap-0', headline: 'x', destination_url: url },
    by: 'owner',
  }),
  'of an organization': (url) => ({
    path: '/api/org/',
    method: 'PATCH',
    json: { website_url: url },
    by: 'owner',
  }),
  'of its agent': (url) => ({
    path: '/api/org/register-agent-card/',
    json: { agent_card_url: url },
    by: 'owner',
  }),
  'of a picture': (url) => ({
    path: '/api/org/enrichment/',
    json: { product_slug: 'traps/trap-0', images: [{ url }] },
    by: 'owner',
  }),
  'of evidence': (url) => ({
    path: '/api/org/enrichment/',
    json: { product_slug: 'traps/trap-0', fields: { model: 'x' }, evidence_url: url },
    by: 'owner',
  }),
  'of a shop': (url) => ({
    path: '/api/org/enrichment/',
    json: { product_slug: 'traps/trap-0', fields: { where_to_buy: [{ name: 'x', url }] } },
    by: 'owner',
  }),
  'to go back to': (url) => ({
    path: '/api/oauth/register/',
    json: { client_name: 'x', redirect_uris: [url] },
  }),
}
