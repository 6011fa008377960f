/** A dice for each turn, made from the seed and the number of the turn alone, so that what one draws moves no other. */
import { createRandom, pickFrom } from '../random.ts'
import type { Dice } from './attempt.ts'

export function createDice(seed: number, turn: number): Dice {
  const random = createRandom((Math.imul(seed, 0x9e3779b1) ^ Math.imul(turn + 1, 0x85ebca6b)) >>> 0)
  return {
    random,
    chance: (share) => random() < share,
    below: (count) => Math.floor(random() * count),
    pick: (list) => pickFrom(random, list),
  }
}
