import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { loggedId } from '../lib/secret-id.ts'
import { loggedPath } from './secret-path.ts'

const ID = '0199f0a0-0000-7000-8000-0123456789ab'
const OTHER = '0199f0a0-0000-7000-8000-0123456789ac'
const HASH = `#${createHash('sha256').update(ID).digest('hex').slice(0, 12)}`

describe('a path with the id of a request or a share', () => {
  test.each([
    [`/quotes/${ID}`, `/quotes/${HASH}`],
    [`/quotes/${ID}/choose`, `/quotes/${HASH}/choose`],
    [`/quotes/${ID}/shares/${OTHER}/revoke`, `/quotes/${HASH}/shares/${loggedId(OTHER)}/revoke`],
    [`/quotes/${ID.toUpperCase()}/`, `/quotes/${HASH}/`],
    [`/quotes/${ID.replaceAll('-', '%2D')}`, `/quotes/${HASH}`],
    [`/quotes/%30${ID.slice(1)}`, `/quotes/${HASH}`],
    [`/quotes/${ID}%ff`, `/quotes/${HASH}%ff`],
    [`/shared-quotes/${ID}`, `/shared-quotes/${HASH}`],
    [`/shared-plans/${ID}`, `/shared-plans/${HASH}`],
    [`/api/shared-plans/${ID}/`, `/api/shared-plans/${HASH}/`],
    [`/api/rfq/${ID}/choose/`, `/api/rfq/${HASH}/choose/`],
    [`/api/shared-rfq/${ID}/`, `/api/shared-rfq/${HASH}/`],
    [`/a2a/v1/tasks/${ID}:cancel`, `/a2a/v1/tasks/${HASH}:cancel`],
    [`/a2a/tasks/${ID}`, `/a2a/tasks/${HASH}`],
  ])('%s is kept as %s', (path, kept) => expect(loggedPath(path)).toBe(kept))

  test.each(['/', '/quotes', '/quotes/new', `/go/${ID}`, `/api/org/rfqs/${ID}`, '/p/lamps/%41', '/search'])(
    '%s is no such path and stays as it is',
    (path) => expect(loggedPath(path)).toBe(path),
  )
})
