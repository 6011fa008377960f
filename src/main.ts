/**
 * The command line. Each command is a small module, loaded only when it is asked for, and compiled code is kept between
 * runs: loading and compiling is most of what a start costs, so nothing is imported before that is switched on.
 */
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { ConfigError, loadConfig } = await import('./config.ts')

type Command = { summary: string; run(args: string[]): Promise<number> }

const COMMANDS: Record<string, Command> = {
  serve: {
    summary: 'start the service',
    run: async () => (await import('./commands/serve.ts')).serve(loadConfig(process.env)),
  },
  import: {
    summary: 'import products: import FILE [--categories FILE] [--dry-run] (see --help)',
    run: async (args) =>
      (await import('./commands/import.ts')).importCommand(loadConfig(process.env), args, { isAlone: true }),
  },
  source: {
    summary: 'fetch products from a feed on a schedule: source add|list|run|remove (see --help)',
    run: async (args) => (await import('./commands/source.ts')).sourceCommand(loadConfig(process.env), args),
  },
  export: {
    summary: 'export the catalog in the format that import reads: export FILE [--categories FILE]',
    run: async (args) => (await import('./commands/export.ts')).exportCommand(loadConfig(process.env), args),
  },
  catalog: {
    summary: 'edit, move, merge, hide, archive or delete products and categories (see --help)',
    run: async (args) =>
      (await import('./commands/catalog.ts')).catalogCommand(loadConfig(process.env), args),
  },
  demo: {
    summary: 'remove the demo sellers, accounts and products: demo remove [--dry-run]',
    run: async (args) => (await import('./commands/demo.ts')).demoCommand(loadConfig(process.env), args),
  },
  index: {
    summary: 'show the progress of search indexing: index status [--json]',
    run: async (args) =>
      (await import('./commands/index-status.ts')).indexCommand(loadConfig(process.env), args),
  },
  pictures: {
    summary: 'show what became of pictures of products, or copy them now: pictures status|copy (see --help)',
    run: async (args) =>
      (await import('./commands/pictures.ts')).picturesCommand(loadConfig(process.env), args),
  },
  backup: {
    summary: 'save all data to one file, while the server runs: backup FILE (see --help)',
    run: async (args) => (await import('./commands/backup.ts')).backupCommand(loadConfig(process.env), args),
  },
  restore: {
    summary: 'restore a backup, or check its file: restore FILE [--check] (see --help)',
    run: async (args) =>
      (await import('./commands/restore.ts')).restoreCommand(loadConfig(process.env), args),
  },
  admin: {
    summary: 'operator actions, such as verify-org DOMAIN; run admin alone to list them',
    run: async (args) => (await import('./commands/admin.ts')).adminCommand(loadConfig(process.env), args),
  },
  agent: {
    summary:
      'use the tools of a service from the terminal: agent URL tools|tool|call|login|logout (see --help)',
    run: async (args) => (await import('./commands/agent.ts')).agentCommand(args),
  },
  'verify-quote': {
    summary: 'check that this service signed a quote: verify-quote QUOTE [--jwks FILE]',
    run: async (args) =>
      (await import('./commands/verify-quote.ts')).verifyQuoteCommand(loadConfig(process.env), args),
  },
  doctor: {
    summary:
      'check the machine, database, mail server and settings without changing anything: doctor [--mail ADDRESS]',
    run: async (args) => (await import('./commands/doctor.ts')).doctor(process.env, args),
  },
}

function usage(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length))
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
  return ['usage: npm run souk -- <command>', '', ...lines, ''].join('\n')
}

async function main([name, ...args]: string[]): Promise<number> {
  const command = name === undefined ? undefined : COMMANDS[name]
  if (!command) {
    const asked = name === undefined || name === 'help' || name === '--help'
    process.stderr.write(asked ? usage() : `souk: unknown command "${name}"\n\n${usage()}`)
    return asked ? 0 : 2
  }
  try {
    return await command.run(args)
  } catch (error) {
    process.stderr.write(`souk: ${error instanceof Error ? error.message : String(error)}\n`)
    return error instanceof ConfigError || isUsageError(error) ? 2 : 1
  }
}

function isUsageError(error: unknown): boolean {
  return String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
}

let failedOutput: NodeJS.ErrnoException | undefined

/**
 * A reader that leaves early (`| head -3`) is no fault of the command's: it goes on without being read, closes what it
 * has opened and ends by itself. An error of the output that nobody listens for would end the process in between, with
 * its PostgreSQL left behind.
 */
function survivingOutput(): void {
  for (const output of [process.stdout, process.stderr])
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && !error.code?.startsWith('ERR_STREAM')) failedOutput ??= error
    })
}

survivingOutput()
const code = await main(process.argv.slice(2))
// A command that failed has said why.
const unsaid = code === 0 ? failedOutput : undefined
if (unsaid) process.stderr.write(`souk: the output could not be written: ${unsaid.message}\n`)
process.exitCode = unsaid ? 1 : code
