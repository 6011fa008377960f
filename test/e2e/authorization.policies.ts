/**
 * Who may: each kind of caller, and each policy as one line of what they get. Routes and tools name a policy and say
 * beside it where they differ.
 *
 * `ok` is an answer of 2xx, or 3xx that leads on; `in` is being led to sign in and back; a number is that status. Tools
 * refuse within an answer of 200: what they say stands here as the status that a route would give.
 */

const COLUMNS = [
  'nobody',
  'unverified',
  'consumer',
  'viewer',
  'editor',
  'admin',
  'owner',
  'other',
  'link',
  'other-link',
  'token',
  'expired',
  'revoked',
  'operator',
  'closed',
] as const

/**
 * `nobody` sends nothing. `unverified` and `consumer` are signed in and belong to no organization; the address of one is
 * not confirmed. Then the roles of the organization that is asked about; `other` owns another one. `link` and
 * `other-link` are link tokens of both. `token`, `expired` and `revoked` are access tokens of owners. `operator` belongs to no
 * organization. `closed` was an admin until the account was deactivated, and still has the cookie.
 */
export type Kind = (typeof COLUMNS)[number]
export const KINDS: readonly Kind[] = COLUMNS

export type Cell = 'ok' | 'in' | number
export type Line = Record<Kind, Cell>

const LINES = `
                 nobody unverified consumer viewer editor admin owner other link other-link token expired revoked operator closed
PUBLIC           ok     ok         ok       ok     ok     ok    ok    ok    ok   ok         ok    ok      ok      ok       ok
ABSENT           404    404        404      404    404    404   404   404   404  404        404   404     404     404      404

SIGNED_IN        in     ok         ok       ok     ok     ok    ok    ok    in   in         in    in      in      ok       in
CONFIRMED        in     403        ok       ok     ok     ok    ok    ok    in   in         in    in      in      ok       in
PAGE_OF_ANOTHER  in     404        404      404    404    404   404   404   in   in         in    in      in      404      in
PAGE_READ        in     403        403      ok     ok     ok    ok    ok    in   in         in    in      in      403      in
PAGE_READ_ONE    in     403        403      ok     ok     ok    ok    404   in   in         in    in      in      403      in
PAGE_EDIT        in     403        403      403    ok     ok    ok    ok    in   in         in    in      in      403      in
PAGE_EDIT_ONE    in     403        403      403    ok     ok    ok    404   in   in         in    in      in      403      in
PAGE_MANAGE      in     403        403      403    403    ok    ok    ok    in   in         in    in      in      403      in
PAGE_MANAGE_ONE  in     403        403      403    403    ok    ok    404   in   in         in    in      in      403      in
PAGE_OPERATOR    404    404        404      404    404    404   404   404   404  404        404   404     404     ok       404
FORM_OPERATOR    in     404        404      404    404    404   404   404   in   in         in    in      in      ok       in

READ             401    403        403      ok     ok     ok    ok    ok    ok   ok         401   401     401     403      401
READ_ONE         401    403        403      ok     ok     ok    ok    404   ok   404        401   401     401     403      401
OVERSEE          401    403        403      403    403    ok    ok    ok    ok   ok         401   401     401     403      401
EDIT             401    403        403      403    ok     ok    ok    ok    ok   ok         401   401     401     403      401
EDIT_ONE         401    403        403      403    ok     ok    ok    404   ok   404        401   401     401     403      401
MANAGE           401    403        403      403    403    ok    ok    ok    ok   ok         401   401     401     403      401
MANAGE_ONE       401    403        403      403    403    ok    ok    404   ok   404        401   401     401     403      401
PERSON           401    403        ok       ok     ok     ok    ok    ok    401  401        ok    401     401     ok       401
PERSON_ONE       401    403        ok       404    404    404   404   404   401  401        404   401     401     404      401
SESSION          401    ok         ok       ok     ok     ok    ok    ok    401  401        401   401     401     ok       401
OF_ANOTHER       401    403        403      403    403    403   403   403   401  401        401   401     401     403      401
SESSION_MANAGE   401    403        403      403    403    ok    ok    ok    401  401        401   401     401     403      401
API_OPERATOR     401    403        403      403    403    403   403   403   401  401        401   401     401     ok       401

AGENT            ok     ok         ok       ok     ok     ok    ok    ok    401  401        ok    401     401     ok       ok
AGENT_NEVER      400    400        400      400    400    400   400   400   401  401        400   401     401     400      400
TOOL_SERVER      401    401        401      401    401    401   401   401   401  401        ok    401     401     401      401
TOOL             401    ok         ok       ok     ok     ok    ok    ok    401  401        ok    401     401     ok       401
TOOL_READ        401    403        403      ok     ok     ok    ok    ok    401  401        ok    401     401     403      401
TOOL_READ_ONE    401    403        403      ok     ok     ok    ok    404   401  401        ok    401     401     403      401
TOOL_EDIT        401    403        403      403    ok     ok    ok    ok    401  401        ok    401     401     403      401
TOOL_EDIT_ONE    401    403        403      403    ok     ok    ok    404   401  401        ok    401     401     403      401
TOOL_MANAGE      401    403        403      403    403    ok    ok    ok    401  401        ok    401     401     403      401
TOOL_MANAGE_ONE  401    403        403      403    403    ok    ok    404   401  401        ok    401     401     403      401
`

const POLICIES = readLines(LINES)

/** `EDIT_ONE but consumer 404, other 403`: the policy's line with those cells in place of its own. */
export function readPolicy(text: string): { policy: string; line: Line } {
  const [policy = '', exceptions = ''] = text.split(' but ')
  const line = POLICIES.get(policy)
  if (!line) throw new Error(`there is no policy ${policy}`)
  const cells = exceptions.split(', ').filter(Boolean)
  const changed = cells.map((one): [Kind, Cell] => {
    const [kind = '', cell = ''] = one.split(' ')
    const read: [Kind, Cell] = [readKind(kind), readCell(cell)]
    if (line[read[0]] === read[1]) throw new Error(`${text}: ${one} is no exception`)
    return read
  })
  return { policy, line: { ...line, ...Object.fromEntries(changed) } }
}

export const POLICY_NAMES: readonly string[] = [...POLICIES.keys()]

function readLines(text: string): Map<string, Line> {
  const [header = [], ...rows] = text
    .split('\n')
    .map((row) => row.trim().split(/ +/))
    .filter(([first]) => first !== '')
  const kinds = header.map(readKind)
  return new Map(
    rows.map(([name = '', ...cells]) => {
      if (cells.length !== COLUMNS.length) throw new Error(`${name} has not one cell for each kind of caller`)
      const line = cells.map((cell, at): [Kind, Cell] => [kinds[at] ?? readKind(''), readCell(cell)])
      return [name, Object.fromEntries(line) as Line]
    }),
  )
}

function readKind(text: string): Kind {
  const kind = COLUMNS.find((one) => one === text)
  if (!kind) throw new Error(`nobody is called ${text}`)
  return kind
}

function readCell(text: string): Cell {
  if (text === 'ok' || text === 'in') return text
  if (!/^4\d\d$/.test(text)) throw new Error(`${text} is no answer`)
  return Number(text)
}
