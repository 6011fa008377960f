/** How commands take their arguments and speak to people, so that all do it alike. */
import { parseArgs } from 'node:util'

type Names<Text extends string, Flag extends string, List extends string> = {
  texts?: readonly Text[]
  flags?: readonly Flag[]
  /** May be given several times. */
  lists?: readonly List[]
}

type Given<Text extends string, Flag extends string, List extends string> = {
  values: { [Name in Text]?: string | undefined } & Record<Flag | 'help', boolean> & Record<List, string[]>
  positionals: string[]
}

/** `--help` is a flag of every command. An option that is not named ends the program. */
export function readArguments<
  Text extends string = never,
  Flag extends string = never,
  List extends string = never,
>(args: string[], { texts = [], flags = [], lists = [] }: Names<Text, Flag, List>): Given<Text, Flag, List> {
  const options = Object.fromEntries([
    ...texts.map((name) => [name, { type: 'string' }]),
    ...[...flags, 'help'].map((name) => [name, { type: 'boolean', default: false }]),
    ...lists.map((name) => [name, { type: 'string', multiple: true, default: [] }]),
  ])
  return parseArgs({ args, allowPositionals: true, options }) as Given<Text, Flag, List>
}

/** The exit code tells whether it was asked for, or the call was wrong. */
export function showUsage(usage: string, { help }: { help: boolean }): number {
  process.stderr.write(usage)
  return help ? 0 : 2
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
