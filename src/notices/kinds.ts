/**
 * What people are told by email: for each kind who is told, when, and in which words. Features say what happened (see
 * notices.service.ts); nothing else decides what a mail says. Names and titles that others wrote are one short line in
 * quotation marks, without anything that a mail reader would make a link of.
 */
import { z } from 'zod'
import { formatUsd } from '../lib/money.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { counted, formatDate } from '../lib/words.ts'

/** One thing in a mail: what happened, and where to act on it. `path` is on this service. */
export type NoticeText = { text: string; action: string; path: string }

type KindOf<Payload extends z.ZodObject> = {
  /** Sellers: the owners and admins of an organization. */
  audience: 'sellers' | 'buyers'
  /** For people who have chosen nothing. */
  on: boolean
  /** Soon: in a minute, or in the day's email for people who want only that. Daily: in the day's email for everybody. */
  pace: 'soon' | 'daily'
  /** On the page of settings. */
  label: string
  subject: string
  /** Where all of them are, for a mail that cannot list each. */
  all: string
  payload: Payload
  write(payload: z.output<Payload>, org: string): NoticeText
}

const kindOf = <Payload extends z.ZodObject>(kind: KindOf<Payload>) => kind

const product = { product_title: z.string(), variant: z.string().optional() }
const named = ({ product_title, variant }: { product_title: string; variant?: string | undefined }) =>
  variant === undefined ? quoted(product_title) : `${quoted(product_title)} (${quoted(variant)})`
const RFQS = '/dashboard/rfqs'

export const KINDS = {
  first_request: kindOf({
    audience: 'sellers',
    on: true,
    pace: 'soon',
    label: 'Your organization gets its first request for a quote',
    subject: 'Your first request for a quote',
    all: RFQS,
    payload: z.object({ ...product, rfq_id: z.string() }),
    write: ({ product_title, rfq_id }, org) => ({
      text: `${org}: a buyer asked for a quote for ${quoted(product_title)}. It is your first request.`,
      action: 'See the request',
      path: `${RFQS}/${rfq_id}`,
    }),
  }),
  quote_chosen: kindOf({
    audience: 'sellers',
    on: true,
    pace: 'soon',
    label: 'A buyer chooses your quote',
    subject: 'A buyer chose your quote',
    all: RFQS,
    payload: z.object({ ...product, rfq_id: z.string(), quantity: z.int(), total_cents: z.int() }),
    write: ({ rfq_id, quantity, total_cents, ...product }, org) => ({
      text: `${org}: a buyer chose your quote for ${named(product)}, quantity ${quantity}, ${formatUsd(total_cents)} in total. A choice is not an order.`,
      action: 'See the request',
      path: `${RFQS}/${rfq_id}`,
    }),
  }),
  loss_streak: kindOf({
    audience: 'sellers',
    on: true,
    pace: 'soon',
    label: 'Your quotes keep ranking below others',
    subject: 'Your last quotes did not rank first',
    all: RFQS,
    payload: z.object({ losses: z.int() }),
    write: ({ losses }, org) => ({
      text: `${org}: your last ${losses} quotes ranked below another seller's. See why, and what to change.`,
      action: 'See your requests',
      path: RFQS,
    }),
  }),
  agent_silent: kindOf({
    audience: 'sellers',
    on: true,
    pace: 'soon',
    label: 'Your agent stops answering',
    subject: 'Your agent stopped answering',
    all: '/dashboard/agent',
    payload: z.object({ failures: z.int() }),
    write: ({ failures }, org) => ({
      text: `${org}: your agent gave no valid answer to ${failures} requests in a row, so buyers get no quotes from it. Test it now.`,
      action: 'Test your agent',
      path: '/dashboard/agent',
    }),
  }),
  offer_expiring: kindOf({
    audience: 'sellers',
    on: true,
    pace: 'soon',
    label: 'A live offer ends within two days',
    subject: 'An offer ends soon',
    all: '/dashboard/offers',
    payload: z.object({ ...product, offer_id: z.string(), expires_at: z.iso.datetime() }),
    write: ({ product_title, offer_id, expires_at }, org) => ({
      text: `${org}: your offer for ${quoted(product_title)} ends on ${formatDate(expires_at)} at ${expires_at.slice(11, 16)} UTC. Extend it to keep it live.`,
      action: 'See the offer',
      path: `/dashboard/offers/${offer_id}`,
    }),
  }),
  requests_digest: kindOf({
    audience: 'sellers',
    on: true,
    pace: 'daily',
    label: 'A summary of the requests you got, once a day',
    subject: 'Your requests for quotes',
    all: RFQS,
    payload: z.object({ day: z.string(), requests: z.int(), quoted: z.int(), first: z.int() }),
    write: ({ day, requests, quoted: answered, first }, org) => ({
      text: `${org}: ${counted(requests, 'request')} for quotes on ${formatDate(day)} (UTC). You quoted for ${answered} of them and ranked first in ${first}.`,
      action: 'See your requests',
      path: RFQS,
    }),
  }),
  quotes_ready: kindOf({
    audience: 'buyers',
    on: true,
    pace: 'soon',
    label: 'Quotes arrive after you left the page',
    subject: 'Your quotes are ready',
    all: '/quotes',
    payload: z.object({ ...product, request_id: z.string(), quotes: z.int() }),
    write: ({ request_id, quotes, ...product }) => ({
      text: `You have ${counted(quotes, 'quote')} for ${named(product)}. Quotes expire, so look soon.`,
      action: 'See your quotes',
      path: `/quotes/${request_id}`,
    }),
  }),
  price_reached: kindOf({
    audience: 'buyers',
    on: true,
    pace: 'soon',
    label: 'A saved product reaches your target price',
    subject: 'A saved product reached your price',
    all: '/saved',
    payload: z.object({ ...product, product_path: z.string(), price_cents: z.int(), target_cents: z.int() }),
    write: ({ product_path, price_cents, target_cents, ...product }) => ({
      text: `${named(product)} now costs ${formatUsd(price_cents)}. Your target was ${formatUsd(target_cents)}.`,
      action: 'See the product',
      path: product_path,
    }),
  }),
  back_in_stock: kindOf({
    audience: 'buyers',
    on: true,
    pace: 'soon',
    label: 'A saved variant is in stock again',
    subject: 'A saved product is in stock again',
    all: '/saved',
    payload: z.object({ ...product, product_path: z.string(), price_cents: z.int().optional() }),
    write: ({ product_path, price_cents, ...product }) => ({
      text: `${named(product)} is in stock again${price_cents === undefined ? '' : ` for ${formatUsd(price_cents)}`}.`,
      action: 'See the product',
      path: product_path,
    }),
  }),
} as const

export type NoticeKind = keyof typeof KINDS
export type NoticePayload<Kind extends NoticeKind> = z.input<(typeof KINDS)[Kind]['payload']>
export const NOTICE_KINDS = Object.keys(KINDS) as NoticeKind[]

export function isNoticeKind(word: string): word is NoticeKind {
  return Object.hasOwn(KINDS, word)
}

/** What a notice says; null when its payload is not of its kind, as an older version may have written it. */
export function writeNotice(kind: NoticeKind, payload: unknown, orgName: string | null): NoticeText | null {
  const { payload: schema, write } = KINDS[kind] as unknown as KindOf<z.ZodObject>
  const known = schema.safeParse(payload)
  return known.success ? write(known.data, orgName === null ? 'Your organization' : plain(orgName)) : null
}

const MAX_NAME = 80

/** Somebody's words within a sentence of ours: one line, short, and nothing that reads as an address. */
function plain(text: string): string {
  const unlinked = cleanLine(text).replace(/\w{0,20}:\/\/|www\./gi, ' ')
  return shorten(unlinked.replace(/ +/g, ' ').trim(), MAX_NAME)
}

function quoted(text: string): string {
  return `"${plain(text).replaceAll('"', "'")}"`
}
