/** The way back up. The page itself is not in it: its heading follows at once. */
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
