/** Pages and forms: every path of the router, with queries that pages read, and the forms that pages show. */
import { type Maker, type Turn, textOf } from './attempt.ts'
import { type CallerKind, callerFor } from './callers.ts'
import { fillRoute, type PageForm } from './forms.ts'
import { asItIs, fuzzed, type Good, writeFields } from './making.ts'
import { mutateFields } from './mutate.ts'
import type { Route } from './routes.ts'
import { fill } from './schema.ts'
import { spoil } from './spoil.ts'
import { nastyText } from './values.ts'

/** Other makers know these better. */
const ELSEWHERE = /^\/(?:api|mcp|sse|a2a|catalog|register|oauth|\.well-known\/o)/
/** A password is hashed for each, two at a time: a few are enough. */
const COSTLY = /^\/(?:auth\/(?:signup|signin|reset)|account\/password)/
const COSTLY_SHARE = 0.05
/** Drawn by hand, a picture each time. */
const PICTURE = /\.png/
const QUERY_NAMES = [
  ...[
    'q',
    'query',
    'category',
    'page',
    'sort',
    'min_price',
    'max_price',
    'on_sale',
    'available',
    'ships_to',
    'limit',
    'offset',
    'ids',
    'p',
  ],
  ...[
    'return_to',
    'token',
    'status',
    'from',
    'to',
    'days',
    'month',
    'budget',
    'list',
    'after',
    'before',
    'view',
    'id',
  ],
]
const JSONL = '{"category":"kettles","title":"Kettle of a fuzzer","price":{"low":20,"high":25}}\n'
const CSV = 'title,category,price\nCopper Kettle of a fuzzer,kettles,75\nNo category,,5\n'

export function createPagesMaker(routes: readonly Route[], forms: readonly PageForm[]): Maker {
  const shown = routes.filter(({ path }) => !ELSEWHERE.test(path))
  const pages = shown.filter(({ method }) => method === 'GET')
  const posts = shown.filter(({ method }) => method === 'POST')

  const drawn = <T>(turn: Turn, list: readonly T[], pathOf: (one: T) => string): T => {
    let one = turn.pick(list)
    const rare = (path: string) => COSTLY.test(path) || PICTURE.test(path)
    while (rare(pathOf(one)) && !turn.chance(COSTLY_SHARE)) one = turn.pick(list)
    return one
  }

  function page(turn: Turn): Good {
    const { path } = drawn(turn, pages, (one) => one.path)
    const count = turn.below(4)
    return {
      face: 'pages',
      operation: `GET ${path}`,
      method: 'GET',
      path: fillRoute(turn, path),
      caller: callerFor(turn, path, likely(path)),
      headers: { accept: turn.pick(['text/html', 'text/html', '*/*', 'text/markdown']) },
      query: Array.from({ length: count }, (): [string, string] => [
        turn.pick(QUERY_NAMES),
        queryValue(turn),
      ]),
    }
  }

  /** Where a page has led. */
  function linked(turn: Turn): Good {
    const path = turn.known.link(turn) ?? '/'
    const caller = callerFor(turn, path, likely(path))
    const headers = { accept: 'text/html' }
    return {
      face: 'pages',
      operation: `GET ${routeOf(path)}`,
      method: 'GET',
      path,
      caller,
      headers,
      query: [],
    }
  }

  function form(turn: Turn): Good & { multipart: boolean } {
    const known = turn.chance(0.75) && forms.length > 0
    const { action, method, fields, multipart } = known
      ? drawn(turn, forms, (one) => one.action)
      : blank(drawn(turn, posts, (one) => one.path))
    const path = fillRoute(turn, action)
    return {
      face: 'pages',
      operation: `${method} ${routeOf(path)}`,
      method,
      path,
      caller: callerFor(turn, path, likely(path)),
      headers: { accept: 'text/html' },
      [method === 'GET' ? 'query' : 'form']: fields.map(([name, value]): [string, string] => [
        name,
        value === '' || turn.chance(0.2) ? fieldValue(turn, name) : value,
      ]),
      multipart,
    }
  }

  return {
    face: 'pages',
    weight: 22,
    async run(turn) {
      if (turn.chance(0.55)) {
        const answer = await turn.send(fuzzed(turn, turn.chance(0.3) ? linked(turn) : page(turn), 0.2))
        const isPage = answer.headers['content-type']?.[0]?.startsWith('text/html')
        return isPage && turn.chance(0.1) ? turn.known.learnLinks(textOf(answer)) : undefined
      }
      const { multipart, ...good } = form(turn)
      return turn.send(multipart || good.path.endsWith('/import') ? upload(turn, good) : fuzzed(turn, good))
    },
  }
}

const blank = ({ path }: Route): PageForm => ({
  action: path,
  method: 'POST',
  multipart: false,
  fields: [['id', '']],
})

/** Ids and slugs are taken out, so that findings are not told apart by them. */
const routeOf = (path: string) =>
  path
    .replace(/[?].*/, '')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id')
    .replace(
      /^(\/(?:\w+\/)?(?:p|c|products|pricing|offers|docs|assets|pictures|sitemaps)\/)(?!:id|new|claim|calendar).+/,
      '$1…',
    )

function likely(path: string): readonly CallerKind[] {
  if (path.startsWith('/admin')) return ['operator']
  if (path.startsWith('/dashboard')) return ['producer']
  if (/^\/(?:account|saved|quotes|org)/.test(path)) return ['shopper', 'producer']
  return ['nobody', 'shopper']
}

const fieldValue = (turn: Turn, name: string) =>
  /file/.test(name)
    ? ''
    : String(fill({ turn, sells: [], follow: () => undefined }, { type: 'string' }, name))

const queryValue = (turn: Turn) =>
  turn.chance(0.5)
    ? turn.pick(['1', '2', 'desk', 'kettles', '30', 'price_asc', 'true', '/account', '2026-11'])
    : nastyText(turn).text.slice(0, 3_000)

/** A form with a file in it, written by hand because its bytes are to be spoiled as well. */
function upload(turn: Turn, good: Good) {
  const { form = [], ...rest } = good
  const boundary = `----fuzz${turn.below(1_000_000)}`
  const good_ = turn.chance(0.3)
  const { value, names } = good_ ? { value: form, names: [] } : mutateFields(turn, form)
  const [file, name] = turn.pick([
    [JSONL, 'a.jsonl'],
    [CSV, 'a.csv'],
  ])
  const content = good_
    ? file
    : turn.pick([
        file,
        file.slice(0, turn.below(file.length)),
        nastyText(turn).text,
        `${file}${nastyText(turn).text}`,
      ])
  const parts = value.map(
    ([field, text]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${writeFields([[field, '']]).slice(0, -1)}"\r\n\r\n${text}\r\n`,
  )
  parts.push(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/plain\r\n\r\n${content}\r\n--${boundary}--\r\n`,
  )
  const attempt = asItIs({
    ...rest,
    headers: { ...rest.headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
  })
  attempt.body = Buffer.from(parts.join(''))
  attempt.mutations.push(...names)
  if (!good_ && turn.chance(0.5)) spoil(turn, attempt)
  return attempt
}
