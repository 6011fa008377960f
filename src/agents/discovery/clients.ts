/**
 * How to set up each client for the tool server: the text to paste, and where. mcp.json, the connect page and the docs
 * use this data. No block holds a secret: clients discover OAuth from the address.
 */
import { resourcePaths, toolServerResource } from '../../oauth/resources.ts'

export type ClientBlock = {
  /** Frozen once released, because pages link to it. */
  id: string
  name: string
  /** A file's path, or menu items. */
  where: string
  language: 'text' | 'sh' | 'json' | 'toml'
  /** To be pasted unchanged. */
  text: string
  notes: string[]
}

type ToolAddresses = { tools: string; olderPath: string; connector: string }

/** The server's name in clients. */
const NAME = 'souk'
const CHATGPT = 'Settings → Apps → Advanced settings: turn on Developer mode, then Create app'
const PUBLIC = 'It connects from its own servers, so the address must be public and use https.'

export function toolAddresses({ mcpUrl }: { mcpUrl: string }): ToolAddresses {
  const tools = toolServerResource(mcpUrl)
  const [, olderPath = '', connector = ''] = resourcePaths(tools)
  const { origin } = new URL(tools)
  return { tools, olderPath: origin + olderPath, connector: origin + connector }
}

export function clientBlocks(site: { baseUrl: string; mcpUrl: string }): ClientBlock[] {
  const { tools, connector } = toolAddresses(site)
  return [
    {
      id: 'claude',
      name: 'Claude on the web',
      where: 'Customize → Connectors → Add custom connector',
      language: 'text',
      text: tools,
      notes: [
        'Then choose Connect and sign in.',
        'In a team, an owner adds the connector once. Then each member connects their own account.',
        PUBLIC,
      ],
    },
    {
      id: 'claude-desktop',
      name: 'Claude Desktop',
      where: 'Customize → Connectors → Add custom connector',
      language: 'text',
      text: tools,
      notes: [
        'Connectors belong to your account: one you added on the web also works here and on your phone.',
        'Don’t use claude_desktop_config.json: it is only for programs on the same machine.',
        PUBLIC,
      ],
    },
    {
      id: 'claude-code',
      name: 'Claude Code',
      where: 'a terminal',
      language: 'sh',
      text: `claude mcp add --transport http ${NAME} ${shellWord(tools)}`,
      notes: ['Then run /mcp in a session to sign in.', 'Add --scope user to use it in every project.'],
    },
    {
      id: 'chatgpt',
      name: 'ChatGPT',
      where: CHATGPT,
      language: 'text',
      text: tools,
      notes: ['For authentication, choose OAuth.', 'In some plans, apps are called connectors.', PUBLIC],
    },
    {
      id: 'chatgpt-connector',
      name: 'ChatGPT with search and fetch only',
      where: CHATGPT,
      language: 'text',
      text: connector,
      notes: [
        'Two read-only tools, search and fetch, for clients that require exactly these.',
        'For authentication, choose OAuth.',
        PUBLIC,
      ],
    },
    {
      id: 'cursor',
      name: 'Cursor',
      where: '.cursor/mcp.json in a project, or ~/.cursor/mcp.json for all',
      language: 'json',
      text: json({ mcpServers: { [NAME]: { url: tools } } }),
      notes: ['Sign in from Cursor’s list of MCP servers.'],
    },
    {
      id: 'vscode',
      name: 'VS Code',
      where: '.vscode/mcp.json in a project, or the command MCP: Open User Configuration',
      language: 'json',
      text: json({ servers: { [NAME]: { type: 'http', url: tools } } }),
      notes: ['Start the server from the file. VS Code asks you to sign in.'],
    },
    {
      id: 'codex',
      name: 'Codex',
      where: '~/.codex/config.toml',
      language: 'toml',
      text: `[mcp_servers.${NAME}]\nurl = ${JSON.stringify(tools)}`,
      notes: [
        `Or in a terminal: codex mcp add ${NAME} --url ${shellWord(tools)}`,
        `Then sign in: codex mcp login ${NAME}`,
      ],
    },
    {
      id: 'gemini-cli',
      name: 'Gemini CLI',
      where: '~/.gemini/settings.json, or .gemini/settings.json in a project',
      language: 'json',
      text: json({ mcpServers: { [NAME]: { httpUrl: tools } } }),
      notes: [
        `Or in a terminal: gemini mcp add --transport http ${NAME} ${shellWord(tools)}`,
        `Then sign in, in a session: /mcp auth ${NAME}`,
      ],
    },
    curl(tools),
  ]
}

function curl(url: string): ClientBlock {
  const search = { query: 'quiet webcam under $120', limit: 2 }
  return {
    id: 'curl',
    name: 'curl',
    where: 'a terminal',
    language: 'sh',
    text: [
      post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      post(url, {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'search_products', arguments: search },
      }),
    ].join('\n'),
    notes: [
      'TOKEN is an access token. Without it you get 401, and its WWW-Authenticate header says where to get a token.',
      'You don’t need to initialize: every request stands alone.',
    ],
  }
}

function post(url: string, message: object): string {
  const lines = [
    `curl -s ${shellWord(url)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    `-H 'Content-Type: application/json'`,
    `-H 'Accept: application/json, text/event-stream'`,
    `-d '${JSON.stringify(message)}'`,
  ]
  return lines.join(' \\\n  ')
}

function json(value: object): string {
  return JSON.stringify(value, null, 2)
}

/** Quotes an address only if the shell needs it. */
function shellWord(text: string): string {
  return /^[\w:/.~%-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
