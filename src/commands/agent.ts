/**
 * `souk agent`: the tools of a Souk, or of any other MCP server, from the terminal. It goes where the person points it, as
 * a browser does, and needs no settings or database of this machine.
 */
import { isLoopback } from '../lib/loopback.ts'
import {
  type AgentClient,
  type Credentials,
  connectAgent,
  type Progress,
  plain,
  type Tool,
  type ToolResult,
} from './agent.client.ts'
import {
  openBrowser,
  readGrant,
  refresh,
  signIn,
  type Terminal,
  tokenFile,
  writeGrant,
} from './agent.oauth.ts'
import { readArguments, showUsage } from './terminal.ts'

const USAGE = `usage: npm run souk -- agent URL COMMAND

  tools                       list the tools
  tool NAME                   show one tool with its parameters
  call NAME [KEY=VALUE ...]   call a tool; KEY:=JSON gives a value as JSON
  login                       sign in with your browser
  logout                      forget the sign-in on this machine

  --token TOKEN   use this access token and keep nothing (or set SOUK_AGENT_TOKEN)
  --json          print what the service answered as JSON

URL is the address of a service, such as http://localhost:3000, or of its tool server. Texts, numbers, true and false are
read as the tool's parameter wants them; a list may be written as a,b,c.

  npm run souk -- agent http://localhost:3000 tools
  npm run souk -- agent http://localhost:3000 call search_products query="quiet keyboard" max_price=120
`

class UsageError extends Error {
  code = 'ERR_PARSE_ARGS_AGENT'
}

export async function agentCommand(args: string[], given: Partial<Terminal> = {}): Promise<number> {
  const env = given.env ?? process.env
  const terminal: Terminal = {
    env,
    say: given.say ?? ((line) => process.stderr.write(`${line}\n`)),
    open: given.open ?? ((address) => openBrowser(env, address)),
  }
  const { values, positionals } = readArguments(args, { texts: ['token'], flags: ['json'] })
  const [address, command, name, ...rest] = positionals
  if (values.help || address === undefined || command === undefined) return showUsage(USAGE, values)
  const url = toolServerUrl(address)
  if (command === 'logout') return logOut(url, terminal)
  const token = values.token ?? env.SOUK_AGENT_TOKEN
  if (command === 'login') return logIn(url, terminal)
  if (!['tools', 'tool', 'call'].includes(command)) throw new UsageError(`unknown command "${command}"`)
  if (command !== 'tools' && name === undefined) throw new UsageError(`${command} needs the name of a tool`)
  const client = await connectAgent(url, token ? fixed(token) : stored(url, terminal))
  const tools = await client.listTools()
  if (command === 'tools') return showTools(tools, values.json)
  const tool = tools.find((one) => one.name === name) ?? noSuchTool(String(name), tools)
  return command === 'tool'
    ? showTool(tool, values.json)
    : callTool(client, tool, rest, values.json, terminal)
}

/** A service's own address stands for its tool server; without a protocol it is https, on this machine http. */
function toolServerUrl(address: string): string {
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(address)
  const near = !whole && isLoopback(URL.parse(`http://${address}`)?.hostname ?? '')
  const url = URL.parse(whole ? address : `${near ? 'http' : 'https'}://${address}`)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`"${address}" is not an address; write it like http://localhost:3000`)
  if (url.username || url.password) throw new UsageError('leave the password out of the address')
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new UsageError(`use https: a token would cross the network in the open (${url.host})`)
  if (url.pathname === '/') url.pathname = '/mcp/'
  return `${url.origin}${url.pathname}${url.search}`
}

function fixed(token: string): Credentials {
  return { token: () => token, renew: async () => false }
}

function stored(url: string, { env }: Terminal): Credentials {
  let grant = readGrant(env, url)
  return {
    token: () => grant?.accessToken ?? null,
    async renew() {
      if (!grant) throw new Error(`sign in first: npm run souk -- agent ${url} login`)
      // Another run may have renewed it meanwhile; a refresh token is good once.
      const latest = readGrant(env, url)
      const renewed = latest && latest.accessToken !== grant.accessToken ? latest : await refresh(grant)
      if (!renewed)
        throw new Error(`your sign-in has ended; sign in again: npm run souk -- agent ${url} login`)
      if (renewed !== latest) writeGrant(env, url, renewed)
      grant = renewed
      return true
    },
  }
}

async function logIn(url: string, terminal: Terminal): Promise<number> {
  let signed = false
  await connectAgent(url, {
    token: () => (signed ? (readGrant(terminal.env, url)?.accessToken ?? null) : null),
    async renew(challenge) {
      writeGrant(terminal.env, url, await signIn(url, challenge, terminal))
      signed = true
      return true
    },
  })
  terminal.say(
    signed
      ? `Signed in. The token is kept in ${tokenFile(terminal.env)}.`
      : 'This tool server asks for no sign-in.',
  )
  return 0
}

function logOut(url: string, { env, say }: Terminal): number {
  const known = readGrant(env, url) !== null
  if (known) writeGrant(env, url, null)
  say(
    known
      ? 'Forgotten on this machine. To take the access away, revoke it on your account page of the service.'
      : 'You were not signed in here.',
  )
  return 0
}

function noSuchTool(name: string, tools: readonly Tool[]): never {
  const alike = tools.filter(
    (tool) => tool.name.includes(name) || name.includes(tool.name.split('_')[1] ?? '?'),
  )
  const some = (alike.length > 0 ? alike : tools).map((tool) => tool.name).join(', ')
  throw new UsageError(
    `there is no tool "${name}"; ${alike.length > 0 ? 'did you mean' : 'the tools are'} ${some}`,
  )
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function showTools(tools: readonly Tool[], json: boolean): number {
  if (json) print(JSON.stringify(tools, null, 2))
  else
    for (const { name, description = '', annotations } of tools) {
      const [first = ''] = plain(description).split(/(?<=[.!?])\s/)
      print(`${plain(name)}${annotations?.readOnlyHint ? '' : ' (changes things)'}\n  ${first}`)
    }
  return 0
}

function showTool(tool: Tool, json: boolean): number {
  if (json) {
    print(JSON.stringify(tool, null, 2))
    return 0
  }
  print(`${plain(tool.name)}\n\n${plain(tool.description ?? '')}\n`)
  const required = new Set(tool.inputSchema?.required)
  for (const [name, schema] of Object.entries(tool.inputSchema?.properties ?? {})) {
    const choices = Array.isArray(schema.enum) ? schema.enum.join(' | ') : String(schema.type ?? 'any')
    print(`  ${plain(name)}${required.has(name) ? ' (required)' : ''}: ${plain(choices)}`)
    if (typeof schema.description === 'string') print(`      ${plain(schema.description)}`)
  }
  return 0
}

async function callTool(
  client: AgentClient,
  tool: Tool,
  words: readonly string[],
  json: boolean,
  { say }: Terminal,
): Promise<number> {
  const args = Object.fromEntries(words.map((word) => readArgument(tool, word)))
  const missing = (tool.inputSchema?.required ?? []).filter((one) => !(one in args))
  if (missing.length > 0)
    throw new UsageError(`${tool.name} needs ${missing.map((one) => `${one}=…`).join(' and ')}`)
  const result = await client.callTool(tool.name, args, (progress) => say(progressLine(progress)))
  if (json) print(JSON.stringify(result, null, 2))
  else print(textOf(result))
  return result.isError ? 1 : 0
}

function progressLine({ progress, total, message }: Progress): string {
  const share = typeof total === 'number' && total > 0 ? ` ${Math.round((100 * progress) / total)} %` : ''
  return `…${share}${message ? ` ${plain(String(message))}` : share ? '' : ` ${progress}`}`
}

function textOf({ content = [], structuredContent }: ToolResult): string {
  const texts = content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
  const others = content
    .filter(({ type }) => type !== 'text')
    .map(({ type }) => `(${type}: use --json to see it)`)
  const all = [...texts, ...others]
  return plain(all.length > 0 ? all.join('\n\n') : JSON.stringify(structuredContent ?? {}, null, 2))
}

/** `key=value` as the parameter's type wants it, `key:=json` as it stands. */
function readArgument(tool: Tool, word: string): [string, unknown] {
  const [, key = '', sign, value = ''] = /^([\w.-]+)(:?=)([\s\S]*)$/.exec(word) ?? []
  if (sign === undefined) throw new UsageError(`"${word}" is not a parameter; write it as key=value`)
  const properties = tool.inputSchema?.properties ?? {}
  const schema = properties[key]
  if (!schema)
    throw new UsageError(
      `${tool.name} has no parameter "${key}"; it has ${Object.keys(properties).join(', ')}`,
    )
  if (sign === ':=') return [key, readJson(key, value)]
  const type = [schema.type].flat().find((one) => one !== 'null')
  if (type === 'number' || type === 'integer') {
    const number = value.trim() === '' ? Number.NaN : Number(value)
    if (!Number.isFinite(number)) throw new UsageError(`${key} must be a number, not "${value}"`)
    return [key, number]
  }
  if (type === 'boolean') {
    if (value !== 'true' && value !== 'false')
      throw new UsageError(`${key} must be true or false, not "${value}"`)
    return [key, value === 'true']
  }
  if (type === 'array' && !value.trimStart().startsWith('['))
    return [key, value.split(',').map((one) => one.trim())]
  return type === 'array' || type === 'object' ? [key, readJson(key, value)] : [key, value]
}

function readJson(key: string, value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw new UsageError(`${key} must be JSON, such as ${key}:='{"a": 1}'; this is not: ${value}`)
  }
}
