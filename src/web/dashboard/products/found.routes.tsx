/**
 * /dashboard/products/found: products of the catalog that already point to the organization's verified domain, claimed
 * together once the list is confirmed, and what was claimed so, which can be taken back.
 */
import { z } from 'zod'
import {
  type ClaimBatch,
  claimFound,
  type FoundClaims,
  type FoundProduct,
  findOwnProducts,
  listClaimBatches,
  MOST_FOUND,
  type NotSearched,
  undoClaims,
} from '../../../catalog/found-claims.service.ts'
import { getIntegration } from '../../../orgs/integration.service.ts'
import { Moment } from '../../components/moment.tsx'
import { countOf } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { Carried } from '../../kit/fields.tsx'
import { pickedIn } from '../../kit/list.tsx'
import { Action, DataTable, Empty, LinkButton, Panel, Submit } from '../../kit/parts.tsx'
import { AGENT_SAID } from '../agent/agent.routes.tsx'
import type { Dashboard, DashboardDeps, Visitor, VisitorSeen } from '../guard.tsx'
import {
  CLAIM_PATH,
  FOUND_PATH,
  IMPORT_PATH,
  ORGANIZATION_PATH,
  PRICE_TABLE_PATH,
  PRODUCTS_PATH,
} from '../paths.ts'
import { CLAIM_WORDS } from './words.ts'

const UNDO_PATH = `${PRODUCTS_PATH}/found-undo`
const FORM = 'found'

const VIA = {
  brand_domain: 'the brand’s domain is yours',
  shop_link: 'a shop link goes to your domain',
} as const

export function mountFound(dashboard: Dashboard, deps: DashboardDeps): void {
  const { ctx } = deps

  async function show({ visitor, state }: VisitorSeen): Promise<Page> {
    const [found, batches] = await Promise.all([
      findOwnProducts(ctx, visitor),
      listClaimBatches(ctx, visitor),
    ])
    return {
      title: 'Products at your domain',
      lead: 'We look for products in the catalog whose brand or shop links are at your verified domain.',
      said: {
        managed: AGENT_SAID.managed,
        verified: 'Domain verified. Here is what the catalog already has of yours.',
        claimed: 'Products claimed. You can set prices, publish offers and answer requests for them.',
        undone: 'The claims were withdrawn. Your offers for these products are paused.',
      },
      errors: state.errors,
      body: [
        <Found found={found} visitor={visitor} picked={state.values} />,
        batches.length > 0 && <Batches batches={batches} mayUndo={visitor.may('edit')} />,
      ],
    }
  }

  dashboard.page(FOUND_PATH, 'read', show)

  dashboard.action(FOUND_PATH, {
    right: 'edit',
    schema: z
      .record(z.string(), z.string())
      .transform(pickedIn)
      .pipe(z.array(z.string()).min(1, 'Select at least one product.').max(MOST_FOUND)),
    shows: true,
    async act({ act, visitor, input: productIds }) {
      await claimFound(ctx, act, { productIds })
      const { isManaged } = await getIntegration(ctx, visitor)
      return `${isManaged && visitor.may('manage') ? PRICE_TABLE_PATH : FOUND_PATH}?done=claimed`
    },
  })

  dashboard.action(UNDO_PATH, {
    page: show,
    right: 'edit',
    from: FOUND_PATH,
    schema: z.object({ batch_id: z.string().max(100) }),
    shows: true,
    done: `${FOUND_PATH}?done=undone`,
    act: ({ act, input: { batch_id: batchId } }) => undoClaims(ctx, act, { batchId }),
  })
}

type FoundProps = { found: FoundClaims; visitor: Visitor; picked: Record<string, string> }

function Found({ found: { domain, notSearched, products, more }, visitor, picked }: FoundProps) {
  const mayEdit = visitor.may('edit')
  if (notSearched !== null)
    return (
      <Empty>
        <p>{NOT_SEARCHED[notSearched](domain ?? '')}</p>
        <p class="line">
          {(notSearched === 'no_domain' || notSearched === 'unverified') && (
            <LinkButton to={ORGANIZATION_PATH} primary label="Verify your domain" />
          )}
          {mayEdit && <OtherWays />}
        </p>
      </Empty>
    )
  if (products.length === 0)
    return (
      <Empty>
        <p>No products that you haven’t claimed point to {domain}.</p>
        <p class="line">{mayEdit && <OtherWays />}</p>
      </Empty>
    )
  const asked = Object.keys(picked).length > 0
  const nameOf = ({ id }: FoundProduct) => `pick_${id}`
  return (
    <Panel
      title={`${countOf(products.length, 'product')} at ${domain}`}
      id="found-products"
      lead={
        <>
          Clear the box of any product that isn’t yours. The others are verified right away, and you can undo
          it. Links that you added yourself don’t count.
          {more && ` There are more: these are the first ${products.length}, and the rest come next.`}
        </>
      }
    >
      {mayEdit && (
        <form id={FORM} class="console-actions" method="post" action={FOUND_PATH}>
          <Carried />
          <Submit>Claim the selected products</Submit>
          <OtherWays />
        </form>
      )}
      <DataTable
        caption="Products found"
        columns={['Product', 'Relationship', 'Why']}
        pick={{
          form: FORM,
          picks: products.map((product) => ({
            name: nameOf(product),
            label: product.title,
            checked: !asked || picked[nameOf(product)] === 'on',
          })),
        }}
        rows={products.map(({ category, slug, title, proofs }) => [
          <a href={`/p/${category}/${slug}`}>{title}</a>,
          proofs.map(({ type }) => CLAIM_WORDS[type]).join('; '),
          proofs.map(({ via }) => VIA[via]).join('; '),
        ])}
      />
    </Panel>
  )
}

const NOT_SEARCHED: Record<NotSearched, (domain: string) => string> = {
  no_domain: () =>
    'Add a domain to your organization and verify it. We then find the products that point to it.',
  unverified: (domain) => `Verify ${domain} first. We then find the products that point to it.`,
  shared_domain: (domain) =>
    `Many sellers share ${domain}, so links to it don’t show whose products they are. Claim yours one by one.`,
  demo: () => 'Organizations of the demo have their products already.',
}

function OtherWays() {
  return (
    <>
      <a href={CLAIM_PATH}>Find a product to claim</a>
      <a href={IMPORT_PATH}>Import a file</a>
    </>
  )
}

function Batches({ batches, mayUndo }: { batches: ClaimBatch[]; mayUndo: boolean }) {
  return (
    <Panel title="Claimed together" id="batches">
      <ul class="rows">
        {batches.map(({ id, at, products, claims }) => (
          <li>
            <p>
              {countOf(products, 'product')}
              <span class="row-note">
                <Moment at={at} />
              </span>
            </p>
            {mayUndo && (
              <Action
                {...{
                  to: UNDO_PATH,
                  ask: 'Undo',
                  label: `Withdraw ${countOf(claims, 'claim')}`,
                  kind: 'danger',
                }}
                fields={{ batch_id: id }}
              >
                <p>
                  You no longer get requests for these products, and your offers for them are paused. Prices
                  that you set are kept. You can claim them again.
                </p>
              </Action>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
