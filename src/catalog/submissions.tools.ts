/** `submit_product`: a producer proposes a product that the catalog does not have. */
import { z } from 'zod'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { untrusted } from '../lib/untrusted.ts'
import { defineTool } from '../tools/define-tool.ts'
import { SubmitProduct } from './submissions.schema.ts'
import { type Submitted, submitProduct as submit } from './submissions.service.ts'

const Output = z.object({
  submission_id: z.string(),
  status: z.enum(['pending']),
  created: z.boolean().describe('False when the same product was proposed before and still waits'),
  changed: z.boolean().describe('False when it said the same'),
  category: z.string(),
  fields: z.array(z.string()).describe('What the proposal states'),
})

export const submitProduct = defineTool<{ db: Db; clock: Clock }, typeof SubmitProduct, typeof Output>({
  name: 'submit_product',
  title: 'Propose a product',
  description:
    'Propose a new product for the catalog, when search_products does not find it; it is public only after review. A product that is there already is refused with its slug: use claim_product then. Proposing the same product again replaces what the waiting proposal says. For many at once: import_products.',
  audience: 'producers',
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: SubmitProduct,
  output: Output,
  async run(ctx, call, input) {
    const submitted = await submit(ctx, { caller: call.caller, visit: call.visit }, input)
    const { id, created, changed, category, product } = submitted
    const fields = Object.keys(product).filter((name) => name !== 'category')
    return {
      text: textOf(submitted, fields),
      data: { submission_id: id, status: 'pending', created, changed, category, fields },
    }
  },
})

function textOf({ id, created, changed, category, product, notes }: Submitted, fields: string[]): string {
  const done = created
    ? 'Proposed; it waits for review and nobody sees it until then.'
    : changed
      ? 'The proposal that waits for review says this now.'
      : 'The same proposal waits for review already; nothing was changed.'
  return [
    `**${done}**`,
    untrusted('the producer', [{ label: 'Title', text: String(product.title), max: 200 }]),
    [
      `- Submission: ${id}`,
      `- Category: ${category}`,
      `- States: ${fields.join(', ')}`,
      ...notes.map(({ field, problem, fix }) => `- Note: ${field} ${problem}; ${fix}`),
    ].join('\n'),
    'Next: when it is approved, your organization has a verified relationship to it (list_my_products shows it), and create_offer and set_pricing_rules work for it.',
  ].join('\n\n')
}
