/** Tells a path that does not exist (404) from one that exists for another method (405 with `Allow`). */
import type { Hono } from 'hono'
import { METHOD_NAME_ALL } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'
import type { HttpEnv } from './env.ts'

/** Call after every route is mounted. */
export function createAllowedMethods(app: Hono<HttpEnv>): (path: string) => string[] {
  const router = new TrieRouter<string>()
  for (const route of app.routes) {
    // Middleware stands for every method and says nothing about what exists.
    if (route.method !== METHOD_NAME_ALL) router.add(METHOD_NAME_ALL, route.path, route.method)
  }
  return (path) => {
    const [found] = router.match(METHOD_NAME_ALL, withoutTrailingSlash(path))
    const methods = new Set(found.map(([method]) => method))
    if (methods.has('GET')) methods.add('HEAD')
    return [...methods].sort()
  }
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
