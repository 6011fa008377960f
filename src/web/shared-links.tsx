/** What is shown to others by a link: the list of links that work, and the page under one, which nobody finds without it. */
import type { Hono } from 'hono'
import type { Child } from 'hono/jsx'
import type { Config } from '../config.ts'
import type { HttpEnv } from '../http/env.ts'
import { keepSecret } from '../http/secret-path.ts'
import { AppError } from '../lib/errors.ts'
import { createPages, type PersonPage } from './kit/person.tsx'
import type { Site } from './site.ts'

type LinksProps<Share> = {
  /** Where links are revoked. */
  at: string
  /** What the id of a link follows, with the host. */
  address: { baseUrl: string; path: string }
  shares: readonly Share[]
  class: string
  note: (share: Share) => Child
}

export function SharedLinks<Share extends { id: string }>({
  at,
  address,
  shares,
  note,
  ...list
}: LinksProps<Share>) {
  if (shares.length === 0) return null
  const { baseUrl, path } = address
  return (
    <ul {...list} aria-label="Links that work now">
      {shares.map((share, index) => (
        <li>
          <p class="share-link">
            <a id={`share-${index + 1}`} href={`${path}/${share.id}`}>
              {baseUrl}
              {path}/{share.id}
            </a>
            <span class="row-note">{note(share)}</span>
          </p>
          <form class="line" method="post" action={`${at}/${share.id}/revoke`}>
            <button type="button" data-copy={`share-${index + 1}`} hidden>
              Copy<span class="hidden"> link {index + 1}</span>
            </button>
            <button class="plain" type="submit">
              Revoke<span class="hidden"> link {index + 1}</span>
            </button>
          </form>
        </li>
      ))}
    </ul>
  )
}

/** `read` refuses with not_found what is not shared any more; `gone` says why that may be. */
export function mountShared(
  app: Hono<HttpEnv>,
  deps: { site: Site; config: Config },
  shared: { path: string; gone: string; read: (id: string) => Promise<PersonPage> },
): void {
  const { path, gone, read } = shared
  app.use(`${path}/:share/*`, keepSecret)
  createPages(app, deps, async () => ({})).page(`${path}/:share`, async ({ c }) => {
    try {
      return await read(c.req.param('share') ?? '')
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'not_found') throw error
      return {
        title: 'This link no longer works',
        lead: gone,
        status: 404,
        body: <p>Ask the person who sent it to you for a new link.</p>,
      }
    }
  })
}
