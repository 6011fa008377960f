/** Mounts the pages and the other public reads. */
import type { Context, Hono } from 'hono'
import type { HttpEnv } from '../http/env.ts'
import type { Prepared } from '../http/prepared.ts'
import { sendPrepared } from '../http/send-prepared.ts'
import type { Assets } from './assets.ts'
import type { Reads } from './reads.ts'

type Deps = { reads: Reads; assets: Assets }

export function mountWeb(app: Hono<HttpEnv>, { reads, assets }: Deps): void {
  app.get('/', async (c) => send(c, await reads.home()))
  const read = async (c: Context<HttpEnv>) => {
    const view = { sort: c.req.query('sort'), page: c.req.query('page') }
    return send(c, await reads.read(c.req.path, c.req.header('accept'), view))
  }
  app.get('/p/:category/:slug', read)
  app.get('/c/:category', read)
  app.get('/offers/:slug', read)
  app.get('/offers/:category/:slug', read)
  app.get('/pictures/:category/:file{.+\\.svg}', async (c) => {
    const { category, file } = c.req.param()
    return send(c, await reads.picture(category, file.replace(/\.svg$/, '')))
  })
  app.get('/assets/:file', (c) => send(c, assets.get(c.req.param('file'))))
}

async function send(c: Context<HttpEnv>, prepared: Prepared | null): Promise<Response> {
  return prepared ? sendPrepared(c, prepared) : c.notFound()
}
