/**
 * Processor time of what takes part in a trial of load (Linux only): nodes, the database's family, this process. And of the
 * whole machine, because figures that were taken while others used it say little of the service.
 */
import fs from 'node:fs'
import os from 'node:os'
import type { Cluster } from '../cluster.ts'

export type CpuMs = { nodes: number; database: number; agents: number; machine: number }

/** The kernel's ticks, which are a hundredth of a second on every Linux that we know. */
const TICK_MS = 10
const PARENT = 1
const OWN = [11, 12]
const OF_CHILDREN = [13, 14]

export async function createCpuMeter(cluster: Cluster): Promise<() => CpuMs> {
  const { rows } = await cluster.database.pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postmaster = fieldsOf(rows[0]?.pid ?? 0)?.[PARENT] ?? 0
  return () => {
    const backends = fs
      .readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && fieldsOf(pid)?.[PARENT] === postmaster)
    const { user, system } = process.cpuUsage()
    return {
      nodes: sum(cluster.nodes.map((node) => spent(node.pid() ?? 0, OWN))),
      // Those that have ended are counted with their parent.
      database: spent(postmaster, [...OWN, ...OF_CHILDREN]) + sum(backends.map((pid) => spent(pid, OWN))),
      agents: (user + system) / 1000,
      machine: sum(os.cpus().map(({ times }) => times.user + times.nice + times.sys + times.irq)),
    }
  }
}

/** In percent of one core. */
export function shareOfCore(before: CpuMs, after: CpuMs, wallMs: number): CpuMs {
  const share = (part: keyof CpuMs) => ((after[part] - before[part]) / wallMs) * 100
  return {
    nodes: share('nodes'),
    database: share('database'),
    agents: share('agents'),
    machine: share('machine'),
  }
}

function spent(pid: number, which: number[]): number {
  const fields = fieldsOf(pid)
  return fields ? sum(which.map((at) => fields[at] ?? 0)) * TICK_MS : 0
}

/** What follows the name, which may hold anything. Null when the process is gone. */
function fieldsOf(pid: number): number[] | null {
  try {
    const line = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    return line
      .slice(line.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
  } catch {
    return null
  }
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
