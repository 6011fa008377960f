/** This product beside the two nearest: price, rating, and the specs in which they differ. */

import { type ProductProfile, productPath, slugOf } from '../../catalog/profile.ts'
import { comparePath } from '../compare/compare.address.ts'
import { shortNames, specRows } from '../compare/compare-facts.ts'
import { PriceTag } from '../components/price.tsx'
import { Rating } from '../components/product-card.tsx'
import { LinkLine } from '../kit/parts.tsx'

const NEAREST = 2
const MOST_ROWS = 6

export function NearTable({ profile, similar }: { profile: ProductProfile; similar: ProductProfile[] }) {
  const near = similar.filter(({ category }) => category.slug === profile.category.slug).slice(0, NEAREST)
  const all = [profile, ...near]
  const rows = specRows(all)
    .filter(({ differs, values }) => differs && values.filter((value) => value !== null).length > 1)
    .slice(0, MOST_ROWS)
  if (near.length === 0 || rows.length === 0) return null
  const names = shortNames(all)
  return (
    <>
      <div class="scroll-frame">
        <table class="near">
          <thead>
            <tr>
              <td />
              {all.map((one, at) => (
                <th scope="col">{at === 0 ? 'This one' : <a href={productPath(one)}>{names[at]}</a>}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">Price</th>
              {all.map((one) => (
                <td>
                  <PriceTag {...one} />
                </td>
              ))}
            </tr>
            <tr>
              <th scope="row">Rating</th>
              {all.map((one) => (
                <td>{one.rating === null ? 'Not rated' : <Rating {...one} />}</td>
              ))}
            </tr>
            {rows.map(({ name, values }) => (
              <tr>
                <th scope="row">{name}</th>
                {values.map((value) => (
                  <td>{value ?? 'Not stated'}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <LinkLine to={comparePath(all.map(slugOf))}>Compare them in full</LinkLine>
    </>
  )
}
