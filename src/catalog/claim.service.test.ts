/** What a claim is told to do next. */
import { describe, expect, test } from 'vitest'
import { type ClaimStanding, claimSteps } from './claim.service.ts'

describe('steps', () => {
  const waiting: ClaimStanding = {
    type: 'sells',
    status: 'pending',
    verifiedVia: null,
    hasEvidence: false,
    orgDomain: 'shop.example',
    orgVerified: false,
    brandDomain: 'acme.example',
  }
  const text = (change: Partial<ClaimStanding>) => claimSteps({ ...waiting, ...change }).join('\n')

  test('an unproved domain is to be proved, a missing one to be given first', () => {
    expect(text({})).toMatch(/verify your domain .*verify-domain.*acme\.example, or .*where-to-buy/)
    expect(text({ orgDomain: null })).toContain('add a domain to your organization')
  })

  test('what no domain could prove is left to an operator', () => {
    expect(text({ type: 'manufactured_by', brandDomain: null })).toContain(
      'your domain cannot verify this claim',
    )
    expect(text({ orgVerified: true })).toContain('is verified, but the claim needs')
    expect(text({})).toContain('claim_product again with evidence_url')
    expect(text({ hasEvidence: true })).toContain('reviews your evidence')
  })

  test('a verified claim says by what, and what it opens', () => {
    const steps = claimSteps({ ...waiting, status: 'verified', verifiedVia: 'shop_link' })
    expect(steps).toEqual([
      expect.stringMatching(/^Verified: one of the product's where-to-buy links/),
      expect.stringContaining('create_offer'),
    ])
  })

  test('a domain that somebody made up cannot format the text', () => {
    expect(text({ brandDomain: '**x**\n# y' })).not.toMatch(/^#|[^\\]\*\*/m)
  })
})
