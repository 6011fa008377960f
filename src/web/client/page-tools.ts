/**
 * Descriptions of the client script's two tools, taken from the tool server. A page can do less (no sorting, no profile
 * sections, no quotes), so fields that the public routes lack are dropped, and only the description's first sentence is
 * kept, because the rest mentions other tools.
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
      'available',
      'ships_to',
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
    // Titles, verdicts and reviews come from users.
    annotations: { readOnlyHint: true, untrustedContentHint: true },
  }
}
