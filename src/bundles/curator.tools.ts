/** product_curator: one tool for the question "which should I take". */
import { defineTool } from '../tools/define-tool.ts'
import { CuratorInput, CuratorOutput } from './curator.schema.ts'
import { type CuratorContext, curate } from './curator.service.ts'
import { curatedText } from './curator.text.ts'

export const productCurator = defineTool<CuratorContext, typeof CuratorInput, typeof CuratorOutput>({
  name: 'product_curator',
  title: 'Help choosing products',
  description:
    'Helps to choose: a shortlist with reasons for a query, a comparison of 2 to 6 products (compare), or a budgeted set over several categories (bundle; 20 a day, verified email). Says of each must_have whether the profile states it. To browse many results use search_products.',
  audience: 'everyone',
  // A plan uses up one of the day's 20, and whether it makes one it may decide itself.
  effects: { readOnly: false, destructive: false, idempotent: false },
  slow: true,
  input: CuratorInput,
  output: CuratorOutput,
  async run(ctx, call, input) {
    const data = await curate(ctx, call.caller, input)
    return { text: curatedText(data), data }
  },
})
