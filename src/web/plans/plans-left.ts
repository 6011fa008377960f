/** How many new plans somebody can still make today, and when there are more. */
import type { LeftToday } from '../../plans/quota.service.ts'
import { countOf } from '../format.ts'

export function plansLeftWords({ left, of, resetsInSeconds }: LeftToday): string {
  const wait = `at 00:00 UTC, in ${roughly(resetsInSeconds)}`
  if (left === 0) return `You’ve used all ${of} plans for today. You get new ones ${wait}.`
  return `${left} of ${countOf(of, 'new plan')} left today. You get ${of} again ${wait}.`
}

function roughly(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? countOf(minutes, 'minute') : `about ${countOf(Math.round(minutes / 60), 'hour')}`
}
