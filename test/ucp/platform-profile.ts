/** What a platform says of itself by UCP 2026-08-25, good as it stands; tests break it in one place or another. */
const VERSION = '2026-08-25'
const HOME = `https://ucp.dev/${VERSION}`

export const capability = (name: string) => [
  {
    version: VERSION,
    spec: `${HOME}/specification/shopping/catalog/${name}`,
    schema: `${HOME}/schemas/shopping/catalog_${name}.json`,
  },
]

/** A platform's profile that speaks both capabilities. */
export const platformProfile = (changes: Record<string, unknown> = {}) => ({
  ucp: {
    version: VERSION,
    services: {
      'dev.ucp.shopping': [
        {
          version: VERSION,
          spec: `${HOME}/specification/overview/`,
          transport: 'rest',
          schema: `${HOME}/services/shopping/rest.openapi.json`,
        },
      ],
    },
    capabilities: {
      'dev.ucp.shopping.catalog.search': capability('search'),
      'dev.ucp.shopping.catalog.lookup': capability('lookup'),
    },
    payment_handlers: {},
    ...changes,
  },
})
