/** Links to the pages above. The current page is not listed, because its heading follows. */
export function Breadcrumbs({ trail }: { trail: Array<{ name: string; href: string }> }) {
  return (
    <nav class="breadcrumbs" aria-label="Breadcrumb">
      <ol>
        {trail.map(({ name, href }) => (
          <li class="crumb">
            <a href={href}>{name}</a>
          </li>
        ))}
      </ol>
    </nav>
  )
}
