/** Mounts the pages and the other public reads. */
import type { Context, Hono } from 'hono'
import type { HttpEnv } from '../http/env.ts'
import { PAGE_HEADERS } from '../http/middleware.ts'
import { type Prepared, sendPrepared } from '../http/prepared.ts'
import type { Assets } from './assets.ts'
import type { Onward } from './old-addresses.ts'
import type { Reads } from './reads.ts'

type Deps = { reads: Reads; assets: Assets }

export function mountWeb(app: Hono<HttpEnv>, { reads, assets }: Deps): void {
  app.get('/', async (c) => send(c, await reads.home()))
  const read = async (c: Context<HttpEnv>) => {
    const { searchParams } = new URL(c.req.url)
    const [path, accept] = [c.req.path, c.req.header('accept')]
    return send(c, await reads.read(path, accept, searchParams), () => reads.onward(path, accept))
  }
  app.get('/p/:category/:slug', read)
  app.get('/c/:category', read)
  app.get('/offers/:slug', read)
  app.get('/offers/:category/:slug', read)
  app.get('/pictures/:category/:file{.+\\.svg}', async (c) => {
    const { category, file } = c.req.param()
    return send(c, await reads.picture(category, file))
  })
  app.get('/assets/:file', (c) => send(c, assets.get(c.req.param('file'))))
}

async function send(
  c: Context<HttpEnv>,
  prepared: Prepared | null,
  findOnward: () => Promise<Onward | null> = async () => null,
): Promise<Response> {
  if (prepared) return sendPrepared(c, prepared)
  const onward = await findOnward()
  if (onward === null) return c.notFound()
  // Not cached, because a product may appear here later.
  c.header('Cache-Control', 'no-store')
  if ('to' in onward) return c.redirect(`${onward.to}${new URL(c.req.url).search}`, 301)
  const wantsPage = (c.req.header('accept') ?? '').includes('text/html')
  return wantsPage ? c.html(onward.gonePage, 410, PAGE_HEADERS) : c.text('Removed.\n', 410)
}
