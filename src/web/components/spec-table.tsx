/** Specs, then the numbers a shop or a warehouse knows the product by. */
import type { Spec } from '../../catalog/catalog.schema.ts'
import type { ProductProfile } from '../../catalog/profile.ts'

export function SpecTable({ profile }: { profile: ProductProfile }) {
  const numbers = identifiers(profile)
  return (
    <table class="specs">
      <caption class="hidden">Specifications</caption>
      {profile.specs.length > 0 && <Rows specs={profile.specs} />}
      {numbers.length > 0 && <Rows specs={numbers} />}
    </table>
  )
}

export function hasSpecs(profile: ProductProfile): boolean {
  return profile.specs.length > 0 || identifiers(profile).length > 0
}

function Rows({ specs }: { specs: Spec[] }) {
  return (
    <tbody>
      {specs.map(({ name, value }) => (
        <tr>
          <th scope="row">{name}</th>
          <td>{value}</td>
        </tr>
      ))}
    </tbody>
  )
}

function identifiers({ model, mpn, gtin, sku }: ProductProfile): Spec[] {
  const all = [
    { name: 'Model', value: model },
    { name: 'Part number', value: mpn },
    { name: 'GTIN', value: gtin },
    { name: 'SKU', value: sku },
  ]
  return all.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))
}
