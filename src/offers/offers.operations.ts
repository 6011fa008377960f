/** The four offer routes as they are published (interface 2.7, 4 and 7), with every refusal the service really gives. */
import {
  BODY_REFUSALS,
  DEACTIVATED,
  DoneSchema,
  type FieldWords,
  FROM_ANOTHER_SITE,
  NO_ORGANIZATION,
  NOT_BLANK,
  NOT_SIGNED_IN,
  ONLY_READS,
  type Operation,
  published,
  type Refusal,
} from '../http/operation.ts'
import {
  MAX_DETAIL,
  MAX_HEADLINE,
  MAX_PROMO_CODE,
  OfferCreateRequest,
  OfferEditRequest,
  OfferStatusRequest,
} from './offers.schema.ts'
import { LISTED_OFFERS, MOST_OFFERS } from './offers.service.ts'
import { OfferCreated, OfferList } from './offers.wire.ts'

const counted = (max: number) => `at most ${max} characters after cleaning`

const TERMS: Record<string, FieldWords> = {
  headline: { description: `One line, ${counted(MAX_HEADLINE)}`, pattern: NOT_BLANK, maxLength: null },
  detail: { description: `Text, ${counted(MAX_DETAIL)}` },
  destination_url: {
    description:
      'Where a click leads: an http or https address, without a user name or password. Host names may be in any script',
    pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\\\]+\\s*$',
  },
  starts_at: {
    description: 'ISO 8601 with Z or an offset, from 1970 on; none: at once',
    format: 'date-time',
  },
  expires_at: {
    description: 'ISO 8601 with Z or an offset, from 1970 on; none: no end',
    format: 'date-time',
  },
  promo_code: { description: `One line, ${counted(MAX_PROMO_CODE)}` },
}

const OFFER_ID = { description: 'Id of an offer of the organization, as the list gives it' }

const NOT_THEIRS: Refusal = {
  status: 404,
  when: "the caller's organization has no such offer; another organization's is as unknown as one that never was",
  code: 'not_found',
}
const FULL: Refusal = {
  status: 409,
  when: `the organization has ${MOST_OFFERS} offers that are not expired`,
  code: 'conflict',
}

const WRITES = [...BODY_REFUSALS, NOT_SIGNED_IN, DEACTIVATED, ONLY_READS, FROM_ANOTHER_SITE]

export const OFFER_OPERATIONS: Operation[] = [
  {
    id: 'createOffer',
    method: 'post',
    path: '/api/offers/create/',
    tag: 'Offers',
    summary: 'Make an offer on a product',
    description:
      'The organization must have a verified relationship to the product: it sells or makes it. ' +
      'The offer is a draft that nobody sees until it is set active.',
    caller: 'session or link token',
    body: published(OfferCreateRequest, {
      id: 'OfferCreateRequest',
      description: 'What is offered. Text is cleaned and then counted; null means left out',
      fields: {
        ...TERMS,
        product_slug: { pattern: '^\\s*([a-z0-9]+(-[a-z0-9]+)*/)?[a-z0-9]+(-[a-z0-9]+)*\\s*$' },
      },
    }),
    answers: [
      { status: 201, description: 'The offer was made', content: { 'application/json': OfferCreated } },
    ],
    refusals: [
      ...WRITES,
      {
        status: 400,
        when: '`expires_at` is not after `starts_at`',
        field: 'expires_at',
        words: 'must be after starts_at',
      },
      {
        status: 403,
        when: 'the organization has no verified relationship to the product, or there is no such product',
        code: 'no_verified_relationship',
      },
      NO_ORGANIZATION,
      FULL,
    ],
  },
  {
    id: 'editOffer',
    method: 'patch',
    path: '/api/offers/edit/',
    tag: 'Offers',
    summary: 'Change what an offer says',
    description:
      'Only what is present is changed; null takes a value away. A body with nothing to change is answered like any other. ' +
      'The order of `starts_at` and `expires_at` is not looked at.',
    caller: 'session or link token',
    body: published(OfferEditRequest, {
      id: 'OfferEditRequest',
      description: 'The offer, and what is to be different',
      fields: { ...TERMS, offer_id: OFFER_ID },
    }),
    answers: [{ status: 200, description: 'It is so now', content: { 'application/json': DoneSchema } }],
    refusals: [
      ...WRITES,
      NOT_THEIRS,
      { ...FULL, when: `${FULL.when}, and the change would bring back an expired one` },
    ],
  },
  {
    id: 'listOffers',
    method: 'get',
    path: '/api/offers/list/',
    tag: 'Offers',
    summary: "List the organization's offers",
    description: `The newest ${LISTED_OFFERS}, and the products that offers can be made for. Prices are in cents here.`,
    caller: 'session or link token',
    answers: [
      { status: 200, description: 'Offers and products', content: { 'application/json': OfferList } },
    ],
    refusals: [NOT_SIGNED_IN, NO_ORGANIZATION],
  },
  {
    id: 'setOfferStatus',
    method: 'patch',
    path: '/api/offers/update/',
    tag: 'Offers',
    summary: 'Show, hide or end an offer',
    description: 'An offer past its `expires_at` stays expired, whatever is set.',
    caller: 'session or link token',
    body: published(OfferStatusRequest, {
      id: 'OfferStatusRequest',
      description: 'The offer, and what it is to be',
      fields: {
        offer_id: OFFER_ID,
        status: { description: '`active` shows it, `paused` hides it, `expired` ends it' },
      },
    }),
    answers: [{ status: 200, description: 'It is so now', content: { 'application/json': DoneSchema } }],
    refusals: [
      ...WRITES,
      NOT_THEIRS,
      { ...FULL, when: `${FULL.when}, and this one would come back from being expired` },
    ],
  },
]
