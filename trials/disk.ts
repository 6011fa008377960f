/** A disk that is full: a small tmpfs that a file fills up or, where nothing may be mounted, a limit on the size of files. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { removeAtExit } from './leftovers.ts'

export type DiskFiller = {
  way: 'tmpfs' | 'file-size limit' | 'none'
  fill(): void
  free(): void
}

export type SmallDisk = { unmount(): void }

const CHUNK = Buffer.alloc(1_048_576)
/** Below any write that PostgreSQL makes: not even the first page of a new file fits. */
const TINY_FILE_BYTES = 4_096

/** Null when this machine or this user may not mount. */
export function mountSmallDisk(dir: string, sizeMb: number): SmallDisk | null {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=0755`, 'souk-trial', dir])
  if (mounted.status !== 0) return null
  // Lazily, because on the way out something may still have a file of it open.
  const strike = removeAtExit(() => void spawnSync('umount', ['-l', dir]))
  return {
    unmount() {
      strike()
      if (spawnSync('umount', [dir]).status !== 0) spawnSync('umount', ['-l', dir])
    },
  }
}

export function createDiskFiller(options: {
  mount: SmallDisk | null
  pids: () => number[]
  dataDir: string
}): DiskFiller {
  const { mount, pids, dataDir } = options
  const ballast = path.join(dataDir, 'ballast')
  if (mount)
    return { way: 'tmpfs', fill: () => fillUp(ballast), free: () => fs.rmSync(ballast, { force: true }) }
  if (spawnSync('prlimit', ['--version']).status !== 0) return { way: 'none', fill: () => {}, free: () => {} }
  return {
    way: 'file-size limit',
    // New backends inherit it from the postmaster; the hard limit stays, so that it can be lifted.
    fill: () => limitFiles(pids(), `${TINY_FILE_BYTES}:unlimited`),
    free: () => limitFiles(pids(), 'unlimited:unlimited'),
  }
}

function fillUp(file: string): void {
  const out = fs.openSync(file, 'a')
  try {
    for (let size = CHUNK.length; size >= 1; ) {
      try {
        if (fs.writeSync(out, CHUNK, 0, size) === 0) size = Math.floor(size / 2)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        size = Math.floor(size / 2)
      }
    }
  } finally {
    fs.closeSync(out)
  }
}

function limitFiles(pids: number[], limit: string): void {
  for (const pid of pids) spawnSync('prlimit', ['--pid', String(pid), `--fsize=${limit}`])
}
