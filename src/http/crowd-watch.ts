/**
 * Whether new connections wait in the system's line, which no delay of ours shows: the loop takes one of them in each of
 * its turns, so that a crowd of new clients makes many short turns and a long line that nobody sees. What can be seen is a
 * loop that never rests and finds a new connection in every turn.
 */
import type { Server } from 'node:http'
import { performance } from 'node:perf_hooks'

const NEVER_RESTS = 0.97
const EVERY_TURN = 0.8

type CrowdWatch = {
  watch(server: Server): void
  /** Since it was last asked: how much of the time the loop did not rest, and whether a crowd waits. */
  loop(): { used: number; crowded: boolean }
}

export function createCrowdWatch(): CrowdWatch {
  let accepted = 0
  let turns = turnsSoFar()
  let used = performance.eventLoopUtilization()
  return {
    watch(server) {
      server.on('connection', () => {
        accepted++
      })
    },
    loop() {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, used)
      const turned = turnsSoFar() - turns
      const crowded = turned > 0 && utilization >= NEVER_RESTS && accepted >= EVERY_TURN * turned
      accepted = 0
      turns += turned
      used = now
      return { used: utilization, crowded }
    },
  }
}

function turnsSoFar(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount
}
