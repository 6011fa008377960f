/** Registering an organization, as it is published; the organization's other routes are not (interface, part 9). */
import {
  BODY_REFUSALS,
  FROM_ANOTHER_SITE,
  NOT_BLANK,
  NOT_SIGNED_IN,
  type Operation,
  published,
} from '../http/operation.ts'
import { NAME_MAX, RegisterBody } from './orgs.input.ts'
import { OrgRegistered } from './orgs.schema.ts'
import { OWNED_MAX } from './register.service.ts'

export const ORG_OPERATIONS: Operation[] = [
  {
    id: 'registerOrganization',
    method: 'post',
    path: '/api/org/register/',
    tag: 'Organizations',
    summary: 'Register an organization',
    description:
      'The caller becomes its owner. It is verified at once when its domain is that of the caller’s own verified ' +
      'email address, unless anybody can have an address there.',
    caller: 'session',
    body: published(RegisterBody, {
      id: 'OrgRegisterRequest',
      description: 'Who the organization is',
      fields: {
        name: {
          description: `Its name, one line of at most ${NAME_MAX} characters after cleaning`,
          pattern: NOT_BLANK,
        },
        org_type: { description: 'What kind of organization it is' },
        domain: { description: 'Its own domain; a scheme and a path are taken off', pattern: NOT_BLANK },
        website_url: {
          description:
            'Its website: an http or https address, without a user name or password. Host names may be in any script',
          pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?:',
        },
        shopify_shop: {
          description: 'Its shop at Shopify, such as `acme.myshopify.com`',
          pattern: NOT_BLANK,
        },
      },
    }),
    answers: [
      {
        status: 201,
        description: 'The organization was made',
        content: { 'application/json': OrgRegistered },
      },
    ],
    refusals: [
      ...BODY_REFUSALS,
      { ...NOT_SIGNED_IN, when: 'no valid session; a link token is none' },
      {
        status: 403,
        when: 'the email address of the caller is not verified',
        code: 'EMAIL_UNVERIFIED_CODE',
      },
      FROM_ANOTHER_SITE,
      { status: 409, when: `the caller owns ${OWNED_MAX} organizations already`, code: 'conflict' },
      { status: 500, when: 'the database failed; nothing was made', code: 'internal' },
    ],
  },
]
