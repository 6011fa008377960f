/**
 * A small MCP client over streamable HTTP: the handshake, the list of tools, and a call with its progress. It speaks the
 * protocol as any server since 2025 does, so it works with other services too. What a server says is untrusted: answers are
 * bounded, redirects are not followed, since the token would go along.
 */
import { parseJson } from '../lib/bounded-json.ts'
import { isRecord } from '../lib/validate.ts'

const VERSION = '1.0.0'

export type Tool = {
  name: string
  title?: string
  description?: string
  inputSchema?: { properties?: Record<string, Record<string, unknown>>; required?: string[] }
  annotations?: { readOnlyHint?: boolean }
}
export type ToolResult = {
  content?: Array<{ type: string; text?: string }>
  structuredContent?: unknown
  isError?: boolean
}
export type Progress = { progress: number; total?: number; message?: string }
/** Who the client is to the server. */
export type Credentials = {
  token(): string | null
  /** After a 401: whether there is another token now, so that trying again makes sense. */
  renew(challenge: string): Promise<boolean>
}
export type AgentClient = {
  listTools(): Promise<Tool[]>
  callTool(
    name: string,
    args: Record<string, unknown>,
    onProgress: (p: Progress) => void,
  ): Promise<ToolResult>
}

const PROTOCOL = '2025-11-25'
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const MAX_PAGES = 50
const CONNECT_MS = 30_000
/** A request for quotes takes up to half a minute; longer than this nobody waits at a terminal. */
const ANSWER_MS = 180_000

type Message = { id?: unknown; method?: string; params?: unknown; result?: unknown; error?: unknown }

export async function connectAgent(url: string, credentials: Credentials): Promise<AgentClient> {
  let nextId = 1
  const known: Record<string, string> = {}

  async function post(message: object, { again = false } = {}): Promise<Response> {
    const token = credentials.token()
    const response = await send(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'User-Agent': `souk-agent/${VERSION}`,
        ...known,
        ...(token !== null && { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    if (response.status === 401 && !again) {
      await response.body?.cancel()
      const challenge = response.headers.get('www-authenticate') ?? ''
      if (await credentials.renew(challenge)) return post(message, { again: true })
    }
    if (response.status >= 300) throw new Error(await whatToDo(url, response))
    return response
  }

  async function ask(
    method: string,
    params: Record<string, unknown>,
    onProgress: (p: Progress) => void = () => {},
  ): Promise<Record<string, unknown>> {
    const id = nextId++
    const response = await post({ jsonrpc: '2.0', id, method, params })
    const session = response.headers.get('mcp-session-id')
    if (session !== null) known['Mcp-Session-Id'] = session
    for await (const message of messagesOf(response)) {
      if (message.method === 'notifications/progress' && isRecord(message.params))
        onProgress(message.params as Progress)
      if (message.id !== id || message.method !== undefined) continue
      if (isRecord(message.error))
        throw new Error(
          `the service refused ${method}: ${String(message.error.message)} (${String(message.error.code)})`,
        )
      return isRecord(message.result) ? message.result : {}
    }
    throw new Error(`the service closed the connection before it answered ${method}; try again`)
  }

  const { protocolVersion } = await ask('initialize', {
    protocolVersion: PROTOCOL,
    capabilities: {},
    clientInfo: { name: 'souk-agent', title: 'Souk command line', version: VERSION },
  })
  known['MCP-Protocol-Version'] = String(protocolVersion ?? PROTOCOL)
  await (await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).body?.cancel()

  return {
    async listTools() {
      const tools: Tool[] = []
      let cursor: unknown
      for (let page = 0; page < MAX_PAGES; page++) {
        const answer = await ask('tools/list', cursor === undefined ? {} : { cursor })
        if (Array.isArray(answer.tools)) tools.push(...(answer.tools as Tool[]))
        cursor = answer.nextCursor
        if (cursor === undefined || cursor === null) break
      }
      return tools
    },
    callTool: (name, args, onProgress) =>
      ask('tools/call', { name, arguments: args, _meta: { progressToken: 'souk-agent' } }, onProgress),
  }
}

/** A request that says in plain words why nobody answers. */
export async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'manual', ...init })
  } catch (error) {
    const { host } = new URL(url)
    const cause = ((error as Error).cause ?? error) as NodeJS.ErrnoException
    const reasons: Record<string, string> = {
      ECONNREFUSED: `nothing listens at ${host}; check the address and port, and that the service runs`,
      ENOTFOUND: `there is no host ${host}; check the spelling`,
      EAI_AGAIN: `the name ${host} could not be looked up; check your network`,
      TimeoutError: `${host} did not answer in time; try again`,
    }
    throw new Error(reasons[cause.code ?? cause.name] ?? `${host} could not be reached: ${cause.message}`)
  }
}

async function whatToDo(url: string, response: Response): Promise<string> {
  const { status, headers } = response
  const { origin, pathname } = new URL(url)
  if (status < 400)
    return `the service redirects to ${headers.get('location') ?? 'another address'}; use that address`
  if (status === 401)
    return 'the token is not valid or has ended; leave out --token and run "login" to sign in with your browser'
  if (status === 403) return 'you may not use this tool server with this account'
  if (status === 404 || status === 405)
    return `there is no tool server at ${origin}${pathname}; for Souk the path is /mcp/`
  const retry = headers.get('retry-after')
  const later = retry === null ? 'later' : `in ${retry} seconds`
  if (status === 429) return `the quota is used up; try again ${later}`
  if (status === 503) return `the service is busy or restarting; try again ${later}`
  const text = plain((await readBounded(response)).slice(0, 300))
  return `the service answered with status ${status}${text ? `: ${text}` : ''}`
}

async function* messagesOf(response: Response): AsyncGenerator<Message> {
  const type = response.headers.get('content-type') ?? ''
  if (!type.startsWith('text/event-stream')) {
    const text = await readBounded(response)
    if (text !== '') yield parse(text)
    return
  }
  let buffered = ''
  for await (const chunk of chunksOf(response)) {
    buffered += chunk
    const events = buffered.split(/\r?\n\r?\n/)
    buffered = events.pop() ?? ''
    for (const event of events) {
      const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'))
      const data = lines.map((line) => line.slice(5).trimStart()).join('\n')
      if (data !== '') yield parse(data)
    }
  }
}

function parse(text: string): Message {
  const value = parseJson(text)
  if (isRecord(value)) return value
  throw new Error('this is no tool server: it does not answer with JSON-RPC; for Souk the path is /mcp/')
}

async function* chunksOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let size = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > MAX_ANSWER_BYTES) throw new Error('the answer is larger than 16 MB and was not read')
    yield decoder.decode(chunk, { stream: true })
  }
}

async function readBounded(response: Response): Promise<string> {
  let text = ''
  for await (const chunk of chunksOf(response)) text += chunk
  return text
}

/** JSON from an address of the service's own metadata. */
export async function fetchJson(url: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  const response = await send(url, { signal: AbortSignal.timeout(CONNECT_MS), ...init })
  const text = await readBounded(response)
  const value = parseJson(text)
  if (response.ok && isRecord(value)) return value
  const said = isRecord(value) ? (value.error_description ?? value.error ?? '') : ''
  throw new Error(`${url} answered with status ${response.status}${said ? `: ${plain(String(said))}` : ''}`)
}

/** Text from outside on a terminal: without the characters that would steer it. */
export function plain(text: string): string {
  return text.toWellFormed().replace(/[^\P{C}\n\t]/gu, '')
}
