/**
 * The inspector's command line in a process of its own, loaded once: loading it takes a second of a core and a call some
 * milliseconds. Each message is the words of one call, and is answered with what that call printed and how it ended.
 */
import { pathToFileURL } from 'node:url'

type Written = string | Uint8Array
type Cli = { runCli(argv: string[]): Promise<void> }

const [, , command = ''] = process.argv
const { runCli } = (await import(pathToFileURL(command).href)) as Cli
const printed = { out: '', err: '' }

function keep(stream: keyof typeof printed) {
  return (text: Written, encodingOrDone?: unknown, done?: unknown) => {
    printed[stream] += typeof text === 'string' ? text : Buffer.from(text).toString()
    for (const told of [encodingOrDone, done]) if (typeof told === 'function') process.nextTick(told)
    return true
  }
}
process.stdout.write = keep('out') as typeof process.stdout.write
process.stderr.write = keep('err') as typeof process.stderr.write

process.on('message', (words: string[]) => {
  Object.assign(printed, { out: '', err: '' })
  runCli([process.execPath, command, ...words]).then(
    () => process.send?.({ code: 0, ...printed }),
    (error: unknown) => process.send?.({ code: 1, ...printed, err: printed.err + String(error) }),
  )
})
process.send?.('ready')
