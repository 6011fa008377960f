/**
 * The service on a real port, and a browser made of fetch and a cookie jar that walks through sign-in and consent as a
 * person does. Everything stays on loopback.
 */
import type { Outbound } from '../../src/lib/outbound.ts'
import { PASSWORD } from '../accounts.ts'
import { createTestApp, testConfig } from '../harness.ts'
import { listenFirst } from '../listen-first.ts'
import { hiddenFields } from './oauth.world.ts'

export async function startLive(options: { outbound?: Outbound } = {}) {
  const { baseUrl, answerWith } = await listenFirst()
  const made = await createTestApp({ ...options, config: testConfig({ SOUK_BASE_URL: baseUrl }) })
  answerWith(made.app)
  return { ...made, baseUrl, browser: (email: string) => openBrowser(baseUrl, email) }
}

/** `follow` goes to an address and on until it leaves the service, and gives the address it was sent to. */
function openBrowser(baseUrl: string, email: string) {
  const jar = new Map<string, string>()

  async function send(url: string, form?: URLSearchParams): Promise<Response> {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        Accept: 'text/html',
        Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form && { Origin: baseUrl, 'Content-Type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { body: String(form) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=')
      if (/max-age=0/i.test(cookie)) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  async function follow(start: string): Promise<URL> {
    const visited: string[] = []
    let url = start
    let form: URLSearchParams | undefined
    while (visited.length < 12) {
      const response = await send(url, form)
      const here = new URL(url)
      visited.push(`${response.status} ${here.pathname}`)
      const location = response.headers.get('location')
      if (location !== null) {
        const next = new URL(location, url)
        if (next.origin !== baseUrl) return next
        ;[url, form] = [next.href, undefined]
      } else if (here.pathname === '/auth/signin' && response.status === 200) {
        const returnTo = here.searchParams.get('return_to') ?? ''
        form = new URLSearchParams({ email, password: PASSWORD, return_to: returnTo })
        url = `${baseUrl}/auth/signin`
      } else if (here.pathname === '/oauth/authorize/' && response.status === 200) {
        form = hiddenFields(await response.text())
        form.set('decision', 'allow')
        url = `${baseUrl}/oauth/authorize/`
      } else throw new Error(`stuck after ${visited.join(', ')}: ${(await response.text()).slice(0, 2_000)}`)
    }
    throw new Error(`going in circles: ${visited.join(', ')}`)
  }

  const signUp = () =>
    send(`${baseUrl}/auth/signup`, new URLSearchParams({ email, password: PASSWORD, name: 'Ada' }))

  return { send, follow, signUp, jar }
}
