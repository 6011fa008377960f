/**
 * Loaded into a node before the program: at SIGUSR2 it collects garbage in full and adds a line with what is left to a file.
 * Asked from outside, because the service itself has no reason to know of it.
 */
import fs from 'node:fs'

process.on('SIGUSR2', () => {
  globalThis.gc?.()
  fs.appendFileSync(`${process.env.SOUK_DATA_DIR}.heap`, `${JSON.stringify(process.memoryUsage())}\n`)
})
