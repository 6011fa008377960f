/**
 * `/pictures/<hash>.webp` and its smaller sizes. The name says what is in it, so it may be kept for ever. A node that does
 * not have the file (a new machine, a folder that is not shared) sends readers to the original meanwhile.
 */
import type { Hono } from 'hono'
import type { HttpEnv } from '../http/env.ts'
import { readPictureName } from './picture.address.ts'
import { findOrigin } from './pictures.queries.ts'
import { readPicture, restoreUpload, type StoreContext } from './store.ts'

const FOREVER = 'public, max-age=31536000, immutable'

export function mountPictures(app: Hono<HttpEnv>, ctx: StoreContext): void {
  app.get('/pictures/:file{.+\\.webp}', async (c) => {
    const name = readPictureName(c.req.param('file'))
    if (name === null) return c.notFound()
    const { hash, width } = name
    const etag = `"${hash}${width === undefined ? '' : `-${width}`}"`
    const headers = { 'Cache-Control': FOREVER, ETag: etag }
    let bytes = await readPicture(ctx.folder, hash, width)
    const origin = bytes === null ? await findOrigin(ctx.db, hash) : null
    if (origin !== null && (await restoreUpload(ctx, hash)))
      bytes = await readPicture(ctx.folder, hash, width)
    if (bytes !== null) {
      const known = (c.req.header('if-none-match') ?? '')
        .split(',')
        .map((tag) => tag.trim().replace(/^W\//, ''))
      if (known.includes(etag) || known.includes('*')) return c.body(null, 304, headers)
      return c.body(new Uint8Array(bytes), 200, {
        ...headers,
        'Content-Type': 'image/webp',
        'Content-Length': String(bytes.length),
        // Pages of others may show it, as they may show a product's other pictures.
        'Cross-Origin-Resource-Policy': 'cross-origin',
      })
    }
    const elsewhere = URL.parse(origin ?? '')
    // An upload has no other place: it would lead here again.
    if (elsewhere?.protocol !== 'https:' || elsewhere.pathname === c.req.path) return c.notFound()
    c.header('Cache-Control', 'no-store')
    return c.redirect(elsewhere.href, 302)
  })
}
