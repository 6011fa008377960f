/** The line for a pool's connections: how long it is says little without how fast it moves. */
import type pg from 'pg'

/** Gives who waits now, and how many got a connection since it was last asked. */
export function watchLine(pool: pg.Pool): () => { waiting: number; handedOut: number } {
  let handedOut = 0
  pool.on('acquire', () => {
    handedOut++
  })
  return () => {
    const line = { waiting: pool.waitingCount, handedOut }
    handedOut = 0
    return line
  }
}
