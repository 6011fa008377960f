/**
 * What the pages' script says about its two tools, taken from the tool server's own: names, titles, and the schema of each
 * field. A page can do less than the tool server (no order of results, no parts of a profile, no quotes), and must
 * not promise more: fields that the public routes do not know are left out, and of the description only the first
 * sentence is kept, which by the tools' own rule says it all; the rest leads on to tools that are not here.
 */
import { type JsonSchema, toJsonSchema } from '../../agents/mcp/offered.ts'
import { getProduct } from '../../search/product.tools.ts'
import { searchProducts } from '../../search/search.tools.ts'
import type { Tool } from '../../tools/define-tool.ts'

export type PageTool = {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema
  annotations: { readOnlyHint: boolean; untrustedContentHint: boolean }
}

export function describePageTools(): Record<string, PageTool> {
  return {
    [searchProducts.name]: describe(searchProducts, [
      'query',
      'category',
      'brand',
      'exclude_brands',
      'specs',
      'min_price',
      'max_price',
      'on_sale',
      'limit',
    ]),
    [getProduct.name]: describe(getProduct, ['category', 'slug']),
  }
}

type Described = Pick<Tool<never>, 'name' | 'title' | 'description' | 'input'>

function describe({ name, title, description, input }: Described, fields: string[]): PageTool {
  const { properties = {}, ...schema } = toJsonSchema(input, 'input')
  const kept = fields.map((field) => {
    const property = properties[field]
    if (!property) throw new Error(`${name} has no field ${field}`)
    return [field, property] as const
  })
  return {
    name,
    title,
    description: /^.+?\.(?=\s|$)/s.exec(description)?.[0] ?? description,
    inputSchema: { ...schema, properties: Object.fromEntries(kept) },
    // Titles, verdicts and reviews are other people's words.
    annotations: { readOnlyHint: true, untrustedContentHint: true },
  }
}
