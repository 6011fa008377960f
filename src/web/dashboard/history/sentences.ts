/**
 * The organization's history in sentences: one for every action that a feature records for an organization (a test reads
 * the sources and fails for an action without a sentence). They say what was done; who did it stands beside them. Details
 * were written at the time by the feature, so each is checked before it is used.
 */
import { humanized } from '../../format.ts'
export type Detail = Record<string, unknown>
/** The name of a person by id. */
export type NameOf = (userId: unknown) => string

type Sentence = (detail: Detail, nameOf: NameOf) => string

const SENTENCES: Record<string, Sentence> = {
  'org.registered': ({ domain }) => `Registered the organization${said(domain, ' with the domain ')}`,
  'org.edited': ({ changed }) => `Changed the profile${said(listed(changed), ': ')}`,
  'org.rename_requested': ({ name }) => `Requested the new name${quoted(name)}`,
  'org.rename_withdrawn': ({ name }) => `Withdrew the request for the new name${quoted(name)}`,
  'org.renamed': ({ to }) => `Approved the new name${quoted(to)}`,
  'org.rename_declined': ({ name }) => `Declined the new name${quoted(name)}`,
  'org.verified': ({ domain, via }) => `Verified the domain${said(domain, ' ')}${said(viaWords(via), ' ')}`,
  'org.unverified': ({ domain }) => `Removed the verification of the domain${said(domain, ' ')}`,
  'org.deactivated': ({ reason }) =>
    reason === 'last_owner_left'
      ? 'Deactivated the organization: its last owner left'
      : 'Deactivated the organization',
  'org.support_viewed': ({ page }) => `Looked at the dashboard, to help${said(page, ': ')}`,
  'org.reactivated': () => 'Reactivated the organization',

  'team.invited': ({ role }) => `Invited a team member${said(role, ' as ')}`,
  'team.invitation_revoked': ({ role }) => `Withdrew an invite${said(role, ' as ')}`,
  'team.joined': ({ role }) => `Joined the team${said(role, ' as ')}`,
  'team.left': ({ role }) => `Left the team${said(role, ', until then ')}`,
  'team.role_changed': ({ user_id, from, to }, nameOf) =>
    `Changed the role of ${nameOf(user_id)}${said(from, ' from ')}${said(to, ' to ')}`,
  'team.removed': ({ user_id, role, reason }, nameOf) =>
    reason === 'account_deleted'
      ? `Left the team by deleting the account${said(role, ', until then ')}`
      : `Removed ${nameOf(user_id)} from the team${said(role, ', until then ')}`,

  'token.created': ({ name }) => `Created the link token${quoted(name)}`,
  'token.revoked': ({ name, reason, because }) =>
    `Revoked the link token${quoted(name)}${said(lostWords(reason ?? because), ': ')}`,

  'offer.created': ({ product_slug }) => `Created an offer for ${product(product_slug)}`,
  'offer.edited': ({ product_slug }) => `Changed an offer for ${product(product_slug)}`,
  'offer.status_set': ({ product_slug, to }) =>
    `Set an offer for ${product(product_slug)}${said(to, ' to ') || ' to another status'}`,

  'offer.imported': ({ created, changed }) =>
    `Imported offers from a file${said(numbered(created), ': new ')}${said(numbered(changed), ', changed ')}`,

  'relationship.imported': ({ claims }) => `Claimed products from a file${said(numbered(claims), ': ')}`,
  'relationship.claimed': ({ product_slug, relationship_type, evidence }) =>
    evidence === true
      ? `Added evidence to the claim on ${product(product_slug)}`
      : `Claimed ${product(product_slug)}${relation(relationship_type)}`,
  'relationship.verified': ({ product_slug, verified_via }) =>
    `Verified the claim on ${product(product_slug)}${said(viaWords(verified_via), ' ')}`,
  'relationship.unverified': ({ product_slug }) =>
    `Removed the verification of the claim on ${product(product_slug)}: the domain behind it is gone`,
  'relationship.rejected': ({ product_slug }) => `Rejected the claim on ${product(product_slug)}`,
  'relationship.withdrawn': ({ product_slug }) => `Withdrew the claim on ${product(product_slug)}`,

  'enrichment.submitted': ({ parts }) => `Proposed product data${said(listed(parts), ': ')}`,
  'enrichment.withdrawn': () => 'Withdrew proposed product data',
  'enrichment.approved': () => 'Approved proposed product data',
  'enrichment.rejected': () => 'Rejected proposed product data',

  'submission.submitted': ({ category }) => `Submitted a new product${said(category, ' in ')}`,
  'submission.changed': ({ category }) => `Changed a submitted product${said(category, ' in ')}`,
  'submission.withdrawn': () => 'Withdrew a submitted product',
  'submission.approved': ({ product_slug }) => `Approved the submitted product ${product(product_slug)}`,
  'submission.rejected': () => 'Rejected a submitted product',

  'source.added': ({ name }) => `Added the source${quoted(name)}`,
  'source.changed': ({ name }) => `Changed the source${quoted(name)}`,
  'source.run_asked': ({ name }) => `Ran the source${quoted(name)}`,
  'source.ran': ({ name, outcome }) =>
    `The source${quoted(name)} ${outcome === 'changed' ? 'proposed changes' : outcome === 'shrunk' ? 'waits for a decision' : 'stopped'}`,
  'source.paused': ({ name }) => `Paused the source${quoted(name)}`,
  'source.resumed': ({ name }) => `Resumed the source${quoted(name)}`,
  'source.approved': ({ name }) => `Approved a smaller file of the source${quoted(name)}`,
  'source.rejected': ({ name }) => `Rejected a smaller file of the source${quoted(name)}`,
  'source.removed': ({ name }) => `Removed the source${quoted(name)}`,

  'rfq.won': ({ product_slug }) => `A buyer chose your quote for ${product(product_slug)}`,

  'pricing.changed': ({ product_slug, rules }) =>
    `Changed the pricing of ${product_slug === undefined ? 'all products' : product(product_slug)}${said(listed(rules), ': ')}`,

  'pricing.imported': ({ products, rules }) =>
    `Changed the pricing of ${typeof products === 'number' ? products : 'some'} products from a file${said(listed(rules), ': ')}`,

  'integration.card_registered': ({ card_host }) => `Registered the agent card${said(card_host, ' at ')}`,
  'integration.changed': ({ is_managed, agent_card }) =>
    agent_card === 'cleared'
      ? 'Removed the agent card'
      : is_managed === true
        ? 'Let Souk answer requests for quotes'
        : is_managed === false
          ? 'Let your own agent answer requests for quotes'
          : 'Changed how requests for quotes are answered',
  'integration.tested': ({ product_slug }) => `Tested the agent with a request for ${product(product_slug)}`,
  'ucp.checked': ({ ucp_supported }) =>
    `Checked the UCP profile: ${ucp_supported === true ? 'supported' : 'not supported'}`,
}

export const ACTIONS_WITH_WORDS: ReadonlySet<string> = new Set(Object.keys(SENTENCES))

/** Falls back to the action's name. */
export function sentenceFor(action: string, detail: Detail, nameOf: NameOf): string {
  const words = Object.hasOwn(SENTENCES, action) ? SENTENCES[action]?.(detail, nameOf) : undefined
  return words ?? humanized(action)
}

/** A value of an entry's details. */
export function factWords(value: unknown): string {
  if (value === null || value === '') return 'None'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value)) return value.map(factWords).join(', ') || 'None'
  if (typeof value !== 'object') return String(value)
  const parts = Object.entries(value).map(([name, part]) => `${humanized(name)}: ${factWords(part)}`)
  return parts.join('; ') || 'None'
}

function said(value: unknown, before: string): string {
  return typeof value === 'string' && value !== '' ? `${before}${value}` : ''
}

function quoted(name: unknown): string {
  return typeof name === 'string' ? ` “${name}”` : ''
}

function product(slug: unknown): string {
  return typeof slug === 'string' ? slug : 'a product'
}

function relation(type: unknown): string {
  if (type === 'sells') return ' as its seller'
  return type === 'manufactured_by' ? ' as its maker' : ''
}

const VIA: Record<string, string> = {
  email_domain: 'by an email address there',
  dns: 'by a DNS record',
  file: 'by a file on its website',
  operator: 'by review',
  brand_domain: 'by the brand’s domain',
  shop_link: 'by a link to the shop',
}

function viaWords(via: unknown): string {
  return typeof via === 'string' && Object.hasOwn(VIA, via) ? (VIA[via] ?? '') : ''
}

const LOST: Record<string, string> = {
  maker_removed: 'the person who created it was removed',
  maker_demoted: 'the person who created it is no longer an owner or admin',
  maker_left: 'the person who created it left',
  maker_deactivated: 'the account of the person who created it was deactivated',
  maker_lost_right: 'the person who created it can no longer create tokens',
  account_deleted: 'the person who created it deleted their account',
}

function lostWords(why: unknown): string {
  return typeof why === 'string' && Object.hasOwn(LOST, why) ? (LOST[why] ?? '') : ''
}

const NAMES_MAX = 5

function numbered(count: unknown): string {
  return typeof count === 'number' && count > 0 ? String(count) : ''
}

/** "name, website url": field names as words. Many are cut short, because the details have them all. */
function listed(names: unknown): string {
  if (!Array.isArray(names)) return ''
  const words = names.filter((name) => typeof name === 'string').map((name) => name.replaceAll('_', ' '))
  return words.length <= NAMES_MAX ? words.join(', ') : `${words.slice(0, NAMES_MAX).join(', ')} and more`
}
