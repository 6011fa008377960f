/**
 * Our business profile, `/.well-known/ucp`: the catalog over REST and nothing that we do not do. The tool server and the
 * A2A agent speak their own words, not UCP's, so they are no transports of it. There are no `keys`: the profile asks for
 * them from whoever signs UCP messages, and we sign none; the keys at /.well-known/jwks.json prove quotes, and one that
 * was retired stays there for good, which a profile must not do.
 */
import { LOOKUP, SEARCH, UCP_VERSION } from './protocol.ts'

export const PROFILE_PATH = '/.well-known/ucp'

const HOME = `https://ucp.dev/${UCP_VERSION}`

export function writeProfile({ baseUrl }: { baseUrl: string }) {
  return {
    ucp: {
      version: UCP_VERSION,
      services: {
        'dev.ucp.shopping': [
          {
            version: UCP_VERSION,
            spec: `${HOME}/specification/overview/`,
            transport: 'rest',
            schema: `${HOME}/services/shopping/rest.openapi.json`,
            endpoint: baseUrl,
          },
        ],
      },
      capabilities: {
        [SEARCH]: [
          {
            version: UCP_VERSION,
            spec: `${HOME}/specification/shopping/catalog/search`,
            schema: `${HOME}/schemas/shopping/catalog_search.json`,
          },
        ],
        [LOOKUP]: [
          {
            version: UCP_VERSION,
            spec: `${HOME}/specification/shopping/catalog/lookup`,
            schema: `${HOME}/schemas/shopping/catalog_lookup.json`,
          },
        ],
      },
      payment_handlers: {},
    },
  }
}
