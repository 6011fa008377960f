/**
 * The forms that pages really show: every page of the router is asked for once by each kind of person, and what its forms
 * would send is kept, so that the fuzzer knows fields that no description lists.
 */
import { Parser } from 'htmlparser2'
import type { Answer, Turn } from './attempt.ts'
import { textOf } from './attempt.ts'
import { type CallerKind, createCaller } from './callers.ts'
import { asItIs } from './making.ts'
import type { Route } from './routes.ts'

export type PageForm = { action: string; method: string; multipart: boolean; fields: Array<[string, string]> }

const AT_ONCE = 12
/** What answers with no page has no forms. Pictures are drawn for each who asks, which takes the longest of all. */
const NO_PAGE =
  /\*|\.(?:png|svg|csv|tsv|jsonl?|xml|txt|md)\b|^\/(?:api|catalog|mcp|sse|a2a|assets|metrics|healthz|readyz|\.well-known)\b/
const VIEWERS: readonly CallerKind[] = ['nobody', 'shopper', 'producer', 'operator']

export async function collectForms(turn: Turn, routes: readonly Route[]): Promise<PageForm[]> {
  const found = new Map<string, PageForm>()
  const asked = routes.flatMap(({ method, path }) =>
    method === 'GET' && !NO_PAGE.test(path) ? VIEWERS.map((viewer) => ({ path, viewer })) : [],
  )

  async function look({ path, viewer }: { path: string; viewer: CallerKind }): Promise<void> {
    const address = fillRoute(turn, path)
    const caller = createCaller(turn, turn.people, viewer)
    const headers = { accept: 'text/html' }
    const answer = await turn.send(
      asItIs({ face: 'pages', operation: `GET ${path}`, method: 'GET', path: address, caller, headers }),
    )
    if (!isPage(answer)) return
    for (const form of readForms(textOf(answer), address))
      found.set(`${form.method} ${form.action} ${form.fields.map(([name]) => name).join()}`, form)
  }

  const hands = Array.from({ length: AT_ONCE }, async () => {
    for (let next = asked.pop(); next; next = asked.pop()) await look(next)
  })
  await Promise.all(hands)
  // In an order that does not depend on who was answered first.
  return [...found].sort(([one], [other]) => one.localeCompare(other)).map(([, form]) => form)
}

const isPage = ({ status, headers }: Answer) =>
  status < 400 && (headers['content-type']?.[0] ?? '').startsWith('text/html')

export function readForms(html: string, address: string): PageForm[] {
  const forms: PageForm[] = []
  let form: PageForm | null = null
  let select: string | null = null
  const parser = new Parser({
    onopentag(tag, { name = '', value = '', action, method = 'get', enctype, selected }) {
      if (tag === 'form') {
        form = {
          action: (action ?? address).split('?')[0] ?? '',
          method: method.toUpperCase(),
          multipart: enctype === 'multipart/form-data',
          fields: [],
        }
        forms.push(form)
      } else if (form && name !== '' && (tag === 'input' || tag === 'button')) form.fields.push([name, value])
      else if (form && tag === 'textarea') form.fields.push([name, 'some words'])
      else if (tag === 'select') select = name
      else if (form && select !== null && tag === 'option') {
        const chosen = form.fields.find(([other]) => other === select)
        if (!chosen) form.fields.push([select, value])
        else if (selected !== undefined) chosen[1] = value
      }
    },
    onclosetag(tag) {
      if (tag === 'form') form = null
      if (tag === 'select') select = null
    },
  })
  parser.end(html)
  return forms
}

/** A path of the router with something real in place of its parameters. */
export function fillRoute(turn: Turn, path: string): string {
  const { category, slug } = turn.pick(turn.people.products)
  const id = () => {
    if (path.startsWith('/admin/users'))
      return turn.pick([...turn.spare.shoppers, ...turn.spare.producers]).userId
    if (path.startsWith('/admin/organizations')) return turn.pick(turn.spare.producers).orgId
    if (/offers|go\//.test(path)) return turn.known.id(turn, 'offer_id')
    if (path.includes('rfqs')) return turn.known.id(turn, 'rfq_id')
    return turn.known.id(turn, path.includes('quotes') ? 'task_id' : 'enrichment_id')
  }
  return path
    .replace(/:category/, category)
    .replace(/:slug/, slug)
    .replace(/:file\{\.\+\\\.(svg|png)\}/, `${slug}.$1`)
    .replace(/:part\{.*\}/, '1.xml')
    .replace(/:(?:id|name|file)/, id)
    .replace('*', 'x')
}
