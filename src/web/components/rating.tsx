/** The average of the reviews and how many there are, short enough for a card. */
import { formatCount } from '../format.ts'

type RatingProps = { rating: number | null; reviewCount: number | null }

export function Rating({ rating, reviewCount }: RatingProps) {
  if (rating === null && reviewCount === null) return null
  return (
    <span class="rating">
      {rating !== null && (
        <>
          <Star />
          <span class="hidden">Rated </span>
          <strong>{rating.toFixed(1)}</strong>
          <span class="hidden"> of 5</span>
        </>
      )}
      {reviewCount !== null && (
        <span class="soft">
          {' '}
          ({formatCount(reviewCount)}
          <span class="hidden"> reviews</span>)
        </span>
      )}
    </span>
  )
}

export function Star() {
  return (
    <svg class="star" viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
      <path
        d="M10 1.6l2.6 5.3 5.8.8-4.2 4.1 1 5.8-5.2-2.7-5.2 2.7 1-5.8L1.6 7.7l5.8-.8z"
        fill="currentColor"
      />
    </svg>
  )
}
