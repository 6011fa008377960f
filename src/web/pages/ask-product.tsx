/**
 * `/p/{category}/{slug}/ask`: a question about one product, answered with what its profile states. The product's own page
 * has the form; it is cached for everyone, so the answer has a page of its own.
 */

import type { Context, Hono } from 'hono'
import { getProfile } from '../../catalog/catalog.service.ts'
import { type ProductProfile, productPath } from '../../catalog/profile.ts'
import { type Answered, answerQuestion } from '../../curator/answer-question.ts'
import { clientIp } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { requireLeft } from '../../http/rate-limit-headers.ts'
import { Breadcrumbs } from '../components/breadcrumbs.tsx'
import type { PageDeps } from '../deps.ts'
import { Submit } from '../kit/parts.tsx'
import { Layout } from '../layout.tsx'
import { sendPage } from '../page.http.ts'
import type { Site } from '../site.ts'

export const MAX_QUESTION = 200

type Deps = Pick<PageDeps, 'site' | 'config' | 'accounts' | 'search' | 'searchLimit'>

export function mountAskProduct(app: Hono<HttpEnv>, deps: Deps): void {
  const { site, accounts, searchLimit, config } = deps
  app.get('/p/:category/:slug/ask', async (c: Context<HttpEnv>) => {
    const { category = '', slug = '' } = c.req.param()
    const profile = await getProfile(accounts, { category, slug })
    if (!profile) return c.notFound()
    const question = (c.req.query('q') ?? '').trim().slice(0, MAX_QUESTION)
    if (question === '') return c.redirect(`${productPath(profile)}#questions`, 303)
    requireLeft(c, searchLimit.take(clientIp(c, config.trustProxy)))
    const answer = await answerQuestion(profile, question, deps.search.search)
    return sendPage(c, renderAnswerPage({ profile, question, answer }, site))
  })
}

type AnswerPage = { profile: ProductProfile; question: string; answer: Answered }

export function renderAnswerPage({ profile, question, answer }: AnswerPage, site: Site): string {
  const path = productPath(profile)
  return String(
    <Layout site={site} title={`${question} · ${profile.title}`} description={question} path={null}>
      <Breadcrumbs trail={[{ name: profile.title, href: path }]} />
      <article class="narrow">
        <h1>{question}</h1>
        <p class="lead">{VERDICTS[answer.verdict]}</p>
        {answer.evidence.length > 0 && (
          <>
            <p>{answer.verdict === 'not_stated' ? 'The closest it says:' : 'The profile says:'}</p>
            {answer.evidence.map((text) => (
              <blockquote>
                <p>{text}</p>
              </blockquote>
            ))}
          </>
        )}
        <p class="soft">
          Answers quote the product’s profile and nothing else. Ask the sellers about what it does not say: a{' '}
          <a href={`${path}#quotes`}>request for quotes</a> reaches all of them.
        </p>
        <QuestionForm profile={profile} />
      </article>
    </Layout>,
  )
}

const VERDICTS: Record<Answered['verdict'], string> = {
  yes: 'Yes.',
  no: 'No.',
  open: 'Here is what the profile says.',
  not_stated: 'Not stated.',
}

export function QuestionForm({ profile }: { profile: ProductProfile }) {
  return (
    <form class="question" action={`${productPath(profile)}/ask`} method="get">
      <label for="question">Ask about this product</label>
      <div class="line">
        <input
          id="question"
          name="q"
          type="text"
          required
          maxlength={MAX_QUESTION}
          placeholder="Does it work without an app?"
        />
        <Submit kind="plain">Ask</Submit>
      </div>
    </form>
  )
}
