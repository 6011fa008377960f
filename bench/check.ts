/** Has anything got worse? Ratios of this run beside the kept ones, with room for what differs between any two runs. */
import { type Figures, MEANINGS } from './figures.ts'

/** Two runs of the same code on a quiet machine stay within this. */
const LEAST_ROOM = 0.15

export type Worse = { name: string; before: number; now: number; room: number }

/** `room` is the share by which a ratio may differ: twice what both runs scattered by, and never less than the least. */
export function findWorse(before: Figures, now: Figures): Worse[] {
  return Object.entries(now).flatMap(([name, { value, spread }]): Worse[] => {
    const meaning = MEANINGS[name]
    const kept = before[name]
    if (!meaning || meaning.absolute || !kept || !(kept.value > 0) || !(value > 0)) return []
    const room = Math.max(LEAST_ROOM, 2 * (spread / value + kept.spread / kept.value))
    const change = meaning.better === 'more' ? kept.value / value : value / kept.value
    return change > 1 + room ? [{ name, before: kept.value, now: value, room }] : []
  })
}
