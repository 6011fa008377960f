/** Turns of phrase that texts for models and people share. */
import { formatUsd } from './money.ts'

export function usd(dollars: number): string {
  return formatUsd(Math.round(dollars * 100))
}

/** "1 product", "1,204 products". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}
