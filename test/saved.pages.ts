/** The pages of saved products as a person meets them: what they post, what they are shown, what is kept. */
import { type Browser, signIn } from './accounts.ts'
import { createSavedWorld } from './saved.world.ts'

export const KETTLE = 'kettles/gooseneck'
export const DOME = 'tents/dome'

type Row = {
  list: string
  note: string | null
  target_price_cents: number | null
  created_at: Date
  low: number | null
}

export async function createSavedPages() {
  const souk = await createSavedWorld()

  /** `rows` are what is kept of one product, `save` is about the gooseneck kettle unless told otherwise. */
  async function person() {
    const { browser, email } = await signIn(souk)
    const rows = async (slug = 'gooseneck'): Promise<Row[]> => {
      const found = await souk.database.pool.query<Row>(
        `select s.list, s.note, s.target_price_cents, s.created_at, s.price_low_cents as low
         from saved_products s join users u on u.id = s.user_id join products p on p.id = s.product_id
         where u.email = $1 and p.slug = $2 order by s.list`,
        [email, slug],
      )
      return found.rows
    }
    const page = async (path = '/saved') => (await browser.get(path)).text()
    const save = (fields: Record<string, string> = {}) => browser.post('/saved', { p: KETTLE, ...fields })
    return { browser, email, rows, page, save }
  }

  return { souk, person, day: (date: string) => souk.clock.set(`${date}T12:00:00Z`) }
}

/** Status and where it leads. */
export const to = (response: Response) => [response.status, response.headers.get('location') ?? ''] as const

export const follow = async (browser: Browser, response: Response) =>
  (await browser.get(response.headers.get('location') ?? '')).text()

/** The entry of a product, as it stands on the page. */
export const entryOf = (page: string, title: string) =>
  page.split('<li class="saved"').find((part) => part.includes(`>${title}</a>`)) ?? ''

export const words = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(' ,', ',')

export const titles = (page: string) =>
  [...page.matchAll(/<h2 class="saved-title"><a [^>]*>([^<]*)</g)].map(([, title]) => title)
