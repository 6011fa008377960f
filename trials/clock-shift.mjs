/**
 * Loaded into a node by `--import`: its wall clock goes wrong by as many milliseconds as stand in the file that
 * SOUK_TRIAL_CLOCK names, read anew all the time. What measures durations (performance.now, timers) is left alone, as it
 * is when an administrator or a time server sets a real clock.
 */
import fs from 'node:fs'

const READ_EVERY_MS = 50
const file = process.env.SOUK_TRIAL_CLOCK ?? ''
const RealDate = Date
let shiftMs = 0

function read() {
  try {
    shiftMs = Number(fs.readFileSync(file, 'utf8')) || 0
  } catch {
    shiftMs = 0
  }
}

if (file !== '') {
  read()
  setInterval(read, READ_EVERY_MS).unref()
  const now = () => RealDate.now() + shiftMs
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  })
}
