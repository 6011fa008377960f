/** Links to the other pages of a list: previous, next, first, last and those nearby. */
type PagingProps = {
  page: number
  pages: number
  href: (page: number) => string
  /** Tells two lists on one page apart. */
  label?: string
}

/** Page numbers shown on each side of the current one. */
const AROUND = 2

export function Paging({ page, pages, href, label = 'Pages' }: PagingProps) {
  if (pages <= 1) return null
  return (
    <nav class="paging" aria-label={label}>
      <ul>
        {page > 1 && (
          <li>
            <a class="page-link" href={href(page - 1)} rel="prev">
              Previous<span class="hidden"> page</span>
            </a>
          </li>
        )}
        {numbers(page, pages).map((number) => (
          <li class={number === page ? undefined : 'number'}>
            {number === page ? (
              <strong class="page-link" aria-current="page">
                <span class="hidden">Page </span>
                {number}
              </strong>
            ) : (
              <a class="page-link" href={href(number)}>
                <span class="hidden">Page </span>
                {number}
              </a>
            )}
          </li>
        ))}
        {page < pages && (
          <li>
            <a class="page-link" href={href(page + 1)} rel="next">
              Next<span class="hidden"> page</span>
            </a>
          </li>
        )}
      </ul>
    </nav>
  )
}

function numbers(page: number, pages: number): number[] {
  const wanted = [1, pages]
  for (let number = page - AROUND; number <= page + AROUND; number++) wanted.push(number)
  return [...new Set(wanted.filter((number) => number >= 1 && number <= pages))].sort((a, b) => a - b)
}

/** Reads `?page=`. Anything but a page number means page 1. */
export function pageNumber(asked: string | undefined): number {
  return /^[1-9]\d{0,4}$/.test(asked ?? '') ? Number(asked) : 1
}
