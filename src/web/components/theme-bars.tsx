/**
 * Review themes. The bar repeats the words beside it, so it is hidden from screen readers. It is SVG because the
 * content security policy forbids inline styles.
 */
import type { ReviewTheme, Sentiment } from '../../catalog/catalog.schema.ts'
import { formatShare } from '../format.ts'

const SENTIMENT: Record<Sentiment, { label: string; class: string }> = {
  positive: { label: 'Positive', class: 'theme theme-good' },
  negative: { label: 'Negative', class: 'theme theme-bad' },
  mixed: { label: 'Mixed', class: 'theme theme-mixed' },
}

export function ThemeBars({ themes }: { themes: ReviewTheme[] }) {
  return (
    <ul class="themes">
      {themes.map((entry) => (
        <Theme {...entry} />
      ))}
    </ul>
  )
}

function Theme({ theme, sentiment, share, summary }: ReviewTheme) {
  const look = SENTIMENT[sentiment]
  return (
    <li class={look.class}>
      <p class="theme-head">
        <strong>{theme}</strong>{' '}
        <span class="theme-note">
          <span class="theme-mood">{look.label}</span>
          {share !== null && ` · ${formatShare(share)} of reviews`}
        </span>
      </p>
      {share !== null && (
        <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
          <rect class="bar-track" width="100" height="1" />
          <rect class="bar-fill" width={Math.round(share * 100)} height="1" />
        </svg>
      )}
      {summary !== null && <p class="soft">{summary}</p>}
    </li>
  )
}
