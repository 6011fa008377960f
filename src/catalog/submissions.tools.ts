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
  created: z.boolean().describe('False if the same product is already waiting for review'),
  changed: z.boolean().describe('False if nothing changed'),
  category: z.string(),
  fields: z.array(z.string()).describe('What the proposal states'),
})

export const submitProduct = defineTool<{ db: Db; clock: Clock }, typeof SubmitProduct, typeof Output>({
  name: 'submit_product',
  title: 'Propose a product',
  description:
    'Proposes a new product for the catalog when search_products does not find it; public after review. If the product exists, the error has its slug: use claim_product. Proposing it again replaces the waiting proposal. For many products, use import_products.',
  audience: 'producers',
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: SubmitProduct,
  output: Output,
  async run(ctx, call, input) {
    const submitted = await submit(ctx, call, input)
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
    ? 'Proposed. It is public once an operator approves it.'
    : changed
      ? 'The waiting proposal was updated.'
      : 'The same proposal is already waiting for review; nothing was changed.'
  return [
    `**${done}**`,
    untrusted('the producer', [{ label: 'Title', text: String(product.title), max: 200 }]),
    [
      `- Submission: ${id}`,
      `- Category: ${category}`,
      `- States: ${fields.join(', ')}`,
      ...notes.map(({ field, problem, fix }) => `- Note: ${field} ${problem}; ${fix}`),
    ].join('\n'),
    'Next: once approved, it is in list_my_products and you can use create_offer and set_pricing_rules for it.',
  ].join('\n\n')
}
