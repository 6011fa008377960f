/** /p/{category}/{slug}/mistakes: takes reports of mistakes from anybody, and thanks for them. */

import type { Context, Hono } from 'hono'
import { getProfile } from '../../catalog/catalog.service.ts'
import { MistakeReport } from '../../catalog/mistakes.schema.ts'
import { createMistakeLimit, reportMistake } from '../../catalog/mistakes.service.ts'
import { productPath, slugOf } from '../../catalog/profile.ts'
import type { HttpEnv } from '../../http/env.ts'
import { notFound } from '../../lib/errors.ts'
import type { PageDeps } from '../deps.ts'
import { LinkLine } from '../kit/parts.tsx'
import { anybody, createPages, type PersonSeen } from '../kit/person.tsx'
import { doneWords } from '../page.http.ts'
import { MistakeForm, mistakesPath } from './mistake-form.tsx'

type Deps = Pick<PageDeps, 'site' | 'config' | 'accounts'>

const THANKS = {
  sent: 'We check your report against our sources and correct the product if you are right. If you left an email, we may write to you about it.',
  known:
    'Others have reported mistakes in this product already. We check them, and correct the product where they are right.',
}

export function mountMistakes(app: Hono<HttpEnv>, { site, config, accounts }: Deps): void {
  const pages = createPages(app, { site, config }, anybody(accounts))
  const limit = createMistakeLimit(accounts.clock, config)
  const path = '/p/:category/:slug/mistakes'
  const profileAt = (c: Context<HttpEnv>) =>
    getProfile(accounts, { category: c.req.param('category') ?? '', slug: c.req.param('slug') ?? '' })

  async function show({ c, state }: PersonSeen<object>) {
    const profile = await profileAt(c)
    if (profile === null) return c.notFound()
    const back = <LinkLine to={productPath(profile)}>Back to {profile.title}</LinkLine>
    const thanks = c.req.method === 'POST' ? null : doneWords(THANKS, c.req.query('done'))
    if (thanks !== null) return { title: 'Thank you', lead: thanks, body: back }
    const body = (
      <>
        <MistakeForm profile={profile} state={state} />
        {back}
      </>
    )
    return { title: 'Report a mistake', lead: profile.title, body }
  }

  pages.page(path, show)
  pages.action(path, {
    schema: MistakeReport,
    async act({ c, user, visit, input }) {
      const profile = await profileAt(c)
      if (profile === null) throw notFound("We can't find this product.")
      const left = limit.take(visit.ip)
      if (left !== null && !left.taken.allowed) throw left.refusal()
      const product = { id: profile.id, slug: slugOf(profile) }
      const done = await reportMistake(accounts, { ...input, product, userId: user?.id ?? null, visit })
      return `${mistakesPath(profile)}?done=${done}`
    },
  })
}
