/**
 * Reads `UCP-Agent: profile="https://…"`, a dictionary of structured fields (RFC 8941). The whole field has to be well
 * formed, as that standard demands: half a dictionary is none. Of it only `profile` is used, which must be a string.
 */
const KEY = '[a-z*][a-z0-9_.*-]*'
const STRING = '"(?:[ !#-\\[\\]-~]|\\\\["\\\\])*"'
const BARE = `(?:${STRING}|-?\\d{1,15}(?:\\.\\d{1,3})?|[A-Za-z*][\\w!#$%&'*+.^\`|~:/-]*|:[A-Za-z0-9+/=]*:|\\?[01])`
const PARAMETERS = `(?:; *${KEY}(?:=${BARE})?)*`
const ITEM = `${BARE}${PARAMETERS}`
const INNER_LIST = `\\( *(?:${ITEM}(?: +${ITEM})*)? *\\)${PARAMETERS}`
const MEMBER = new RegExp(
  `(${KEY})(?:=(?:(${STRING})${PARAMETERS}|${ITEM}|${INNER_LIST})|${PARAMETERS})`,
  'y',
)
const COMMA = /[ \t]*,[ \t]*/y
const MAX_FIELD = 4_000

export type AgentHeader = { profile: string } | { problem: string }

export function readAgentHeader(field: string): AgentHeader {
  const text = field.trim()
  if (text.length > MAX_FIELD) return { problem: `UCP-Agent has at most ${MAX_FIELD} characters` }
  const members = readMembers(text)
  if (!members) return { problem: 'UCP-Agent is no dictionary of structured fields (RFC 8941)' }
  const profile = members.get('profile')
  return typeof profile === 'string'
    ? { profile }
    : { problem: 'UCP-Agent must hold the address of a profile: profile="https://…"' }
}

/** By name, strings as text and everything else as null; of a name that comes twice the last one counts. */
function readMembers(text: string): Map<string, string | null> | null {
  const members = new Map<string, string | null>()
  let at = 0
  for (;;) {
    MEMBER.lastIndex = at
    const [member, key, string] = MEMBER.exec(text) ?? []
    if (member === undefined || key === undefined) return null
    members.set(key, string === undefined ? null : string.slice(1, -1).replace(/\\(.)/g, '$1'))
    at += member.length
    if (at === text.length) return members
    COMMA.lastIndex = at
    const comma = COMMA.exec(text)
    if (!comma) return null
    at += comma[0].length
  }
}
