/**
 * Every page that producers and the operator see, in a real browser, held to what all pages promise. It has the whole
 * tour at hand, so it is here that a page which is on neither half of it fails.
 */
import { describe, expect, test } from 'vitest'
import { useBrowser } from '../browser.ts'
import { keepsPromises } from '../pages.audit.ts'
import { createTourWorld } from '../pages.seeds.ts'
import { createGuide } from '../tour.guide.ts'
import { consoleTour, NOT_PAGES, tourOf } from '../tour.ts'

const world = await createTourWorld()
const tour = tourOf(world)
const guide = createGuide(world, useBrowser())

describe('every page', () => {
  test.each(consoleTour(world).map((stop) => [stop.name, stop] as const))(
    '%s keeps what pages promise',
    (_, stop) => keepsPromises(guide, stop),
  )

  test('is on the tour: every route that answers with HTML is visited, and what is not a page says so', async () => {
    const routes = [
      ...new Set(world.app.routes.filter(({ method }) => method === 'GET').map(({ path }) => path)),
    ]
    const isPage = (path: string) => !NOT_PAGES.some((pattern) => pattern.test(path))
    const visited = (route: string) => {
      const shape = route.replaceAll(/:\w+(\{[^}]*\})?/g, '[^/?]+')
      return tour.some(({ path }) => new RegExp(`^${shape}/?(\\?|$)`).test(path))
    }
    expect(routes.filter(isPage).filter((path) => !visited(path))).toEqual([])
    expect(routes.filter(isPage).length).toBeGreaterThan(15)
    // No rule is left over from a route that is gone, and none hides a page.
    for (const pattern of NOT_PAGES)
      expect(
        routes.some((path) => pattern.test(path)),
        String(pattern),
      ).toBe(true)
    // Files say by their names that they are none, and some of them take a while to make.
    for (const path of routes.filter((one) => !isPage(one) && !/[:*]|\.\w+$/.test(one))) {
      const answer = await world.app.request(world.baseUrl + path, {
        headers: { accept: 'text/html', cookie: world.people.ada.cookie },
      })
      expect([path, answer.headers.get('content-type')]).not.toEqual([path, expect.stringContaining('html')])
    }
  })
})

test('the names of the tour are each used once', () => {
  const names = tour.map(({ name }) => name)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})
