/**
 * The choices of a product that comes in sizes, colors and the like. Every choice is a link to the page with that variant
 * selected, so nothing needs a script; where there are too many to show, a field takes their names.
 */
import { type ProductProfile, productPath } from '../../catalog/profile.ts'
import {
  availabilityWords,
  isOrderable,
  type ShownVariant,
  variantsOf,
} from '../../catalog/profile.variants.ts'
import { formatUsd } from '../../lib/money.ts'
import { countOf } from '../format.ts'

/** A page shows so many; the JSON-LD form has all. */
const MOST_VALUES = 24
export const MOST_ROWS = 24

type Props = { profile: ProductProfile; selected: ShownVariant | null }

/** One line of links for each thing to choose. */
export function VariantChoices({ profile, selected }: Props) {
  const { axes, variants } = variantsOf(profile, '')
  const isLong = axes.some(({ values }) => values.length > MOST_VALUES)
  return (
    <div class="choices" id="choices">
      {axes.map(({ name, values }) => {
        const chosen = selected && chosenIn(selected, name)
        const shown = values.slice(0, MOST_VALUES)
        return (
          <div>
            <p class="choice-name">
              {name}
              {chosen && <>: {chosen}</>}
            </p>
            <ul class="chips">
              {shown.map((value) => (
                <Choice target={targetOf(variants, selected, { name, value })} chosen={value === chosen}>
                  {value}
                </Choice>
              ))}
              {values.length > shown.length && <li class="soft">{values.length - shown.length} more</li>}
            </ul>
          </div>
        )
      })}
      {isLong && (
        <form action={productPath(profile)} method="get" class="line">
          <label for="variant">Options, such as “{variants[0]?.name}”</label>
          <input id="variant" name="variant" maxlength={300} required />
          <button type="submit" class="plain">
            Select
          </button>
        </form>
      )}
    </div>
  )
}

type ChoiceProps = { target: ShownVariant | undefined; chosen: boolean; children: string }

function Choice({ target, chosen, children }: ChoiceProps) {
  if (!target) return null
  // What is selected says so itself.
  const isOut = !chosen && isOrderable(target.availability) === false
  return (
    <li>
      <a
        class={isOut ? 'chip out' : 'chip'}
        href={`${target.path}#choices`}
        aria-current={chosen ? 'true' : undefined}
        rel="nofollow"
      >
        {children}
        {isOut && <span class="hidden">, out of stock</span>}
      </a>
    </li>
  )
}

type Option = { name: string; value: string }

/** The variant that a choice leads to: alike in all else if there is one, and rather one that can be ordered. */
function targetOf(
  variants: readonly ShownVariant[],
  selected: ShownVariant | null,
  { name, value }: Option,
): ShownVariant | undefined {
  const having = variants.filter((variant) => chosenIn(variant, name) === value)
  const shared = ({ options }: ShownVariant) =>
    options.filter((one) => one.name !== name && selected && chosenIn(selected, one.name) === one.value)
      .length
  const rank = (variant: ShownVariant) =>
    2 * shared(variant) + (isOrderable(variant.availability) === false ? 0 : 1)
  return having.reduce<ShownVariant | undefined>(
    (best, one) => (best && rank(best) >= rank(one) ? best : one),
    undefined,
  )
}

function chosenIn({ options }: ShownVariant, name: string): string | null {
  return options.find((option) => option.name === name)?.value ?? null
}

export function VariantTable({ profile, selected }: Props) {
  const { variants } = variantsOf(profile, '')
  const more = variants.length - MOST_ROWS
  return (
    <>
      <div class="scroll-frame">
        <table class="shops variants">
          <caption class="hidden">Variants with price and availability</caption>
          <thead>
            <tr>
              <th scope="col">Variant</th>
              <th scope="col">SKU</th>
              <th scope="col">Availability</th>
              <th scope="col">Price</th>
            </tr>
          </thead>
          <tbody>
            {variants.slice(0, MOST_ROWS).map((variant) => (
              <tr>
                <td>
                  <a
                    href={variant.path}
                    rel="nofollow"
                    aria-current={variant.id === selected?.id ? 'true' : undefined}
                  >
                    {variant.name}
                  </a>
                </td>
                <td>{variant.sku ?? '–'}</td>
                <td>{availabilityWords(variant.availability)}</td>
                <td>{variant.priceCents === null ? 'See sellers' : formatUsd(variant.priceCents)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 && (
        <p class="soft">
          {countOf(more, 'more variant')} in the <a href={`${productPath(profile)}.json`}>JSON-LD</a>.
        </p>
      )}
    </>
  )
}
