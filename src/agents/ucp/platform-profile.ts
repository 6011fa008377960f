/**
 * What a platform says of itself, held against what its release demands of a profile. The release is looked at before
 * the rest: a profile of another one has another shape, and its owner wants to hear about the release. A capability
 * counts only if its schema comes from whoever owns its name, as the specification's authority binding has it.
 */
import { z } from 'zod'
import type { Refusal } from './errors.ts'
import { type Capability, LOOKUP, SEARCH, UCP_VERSION } from './protocol.ts'

export type PlatformProfile = {
  /** Of our capabilities, in our release. Nothing else is kept: a thousand profiles are remembered, each may be large. */
  speaks: ReadonlySet<Capability>
}

const OURS: readonly Capability[] = [SEARCH, LOOKUP]

const version = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date, YYYY-MM-DD')
const address = z.string().refine((text) => URL.parse(text)?.protocol === 'https:', 'must be an https URL')

const Versioned = z.object({ ucp: z.object({ version }) })
const Profile = z.object({
  ucp: z.object({
    services: z.record(
      z.string(),
      z.array(z.object({ version, transport: z.enum(['rest', 'mcp', 'a2a', 'embedded']) })),
    ),
    capabilities: z
      .record(z.string(), z.array(z.object({ version, spec: address, schema: address })))
      .optional(),
    payment_handlers: z.record(z.string(), z.array(z.object({ version }))),
  }),
  keys: z.array(z.object({ kid: z.string(), kty: z.string() })).optional(),
})

export function readPlatformProfile(value: unknown): PlatformProfile | Refusal {
  const versioned = Versioned.safeParse(value)
  if (!versioned.success) return malformed(versioned.error)
  const spoken = versioned.data.ucp.version
  if (spoken !== UCP_VERSION)
    return {
      status: 422,
      code: 'version_unsupported',
      content: `Version ${spoken} of UCP is not supported; this service supports ${UCP_VERSION}`,
    }
  const parsed = Profile.safeParse(value)
  if (!parsed.success) return malformed(parsed.error)
  const { capabilities = {} } = parsed.data.ucp
  const speaks = OURS.filter((name) =>
    capabilities[name]?.some(({ version, schema }) => version === UCP_VERSION && isBound(name, schema)),
  )
  return { speaks: new Set(speaks) }
}

/** The host's labels in reverse are the name, or what the name begins with, label by label. */
export function isBound(name: string, schema: string): boolean {
  const url = URL.parse(schema)
  if (url?.protocol !== 'https:' || url.username + url.password !== '') return false
  const labels = url.hostname.replace(/\.$/, '').split('.')
  if (labels.length < 2 || /^[\d.]+$|^\[/.test(url.hostname)) return false
  const authority = labels.reverse().join('.')
  return name === authority || name.startsWith(`${authority}.`)
}

export function malformed(problem: z.ZodError | string): Refusal {
  const [issue] = typeof problem === 'string' ? [] : problem.issues
  const place = issue?.path.map(String).join('.') || 'the document'
  const what = typeof problem === 'string' ? problem : `${place} is not as UCP ${UCP_VERSION} has it`
  // Through bytes, because a slice holds on to the whole text, and a place may be as long as the document.
  const said = Buffer.from(what.slice(0, 300)).toString()
  return { status: 422, code: 'profile_malformed', content: `The platform's profile: ${said}` }
}
