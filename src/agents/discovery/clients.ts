/**
 * How each kind of client is set up for the tool server: the text exactly as to paste, and where it goes. Data, so that
 * mcp.json, the page for people and the documents say the same. No block holds a secret: every client signs in by OAuth
 * on its own, and what it needs for that it finds from the address.
 */
import { resourcePaths, toolServerResource } from '../../oauth/resources.ts'

export type ClientBlock = {
  /** Frozen once released: pages link to it. */
  id: string
  name: string
  /** A file's path, or the way through the menus. */
  where: string
  language: 'text' | 'sh' | 'json' | 'toml'
  /** Exactly as to paste. */
  text: string
  notes: string[]
}

type ToolAddresses = { tools: string; olderPath: string; connector: string }

/** Under which name clients keep the server. */
const NAME = 'souk'
const CHATGPT = 'Settings → Apps → Advanced settings: Developer mode on; then Create app'
const PUBLIC = 'It calls from its own data centers, so the address must be public and https.'

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
        'Choose Connect afterwards and sign in.',
        'In a team, an owner adds the connector once; then everybody connects their own account.',
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
        'Connectors belong to the account: one added on the web is here already, and on the phone.',
        'claude_desktop_config.json is for programs on the same machine; an address in it is not used.',
        PUBLIC,
      ],
    },
    {
      id: 'claude-code',
      name: 'Claude Code',
      where: 'a terminal',
      language: 'sh',
      text: `claude mcp add --transport http ${NAME} ${shellWord(tools)}`,
      notes: ['Then /mcp in a session, to sign in.', 'With --scope user it is there in every project.'],
    },
    {
      id: 'chatgpt',
      name: 'ChatGPT',
      where: CHATGPT,
      language: 'text',
      text: tools,
      notes: ['As authentication, choose OAuth.', 'Some plans call apps connectors.', PUBLIC],
    },
    {
      id: 'chatgpt-connector',
      name: 'ChatGPT, where it asks for search and fetch',
      where: CHATGPT,
      language: 'text',
      text: connector,
      notes: [
        'Two tools that only read, search and fetch, for clients that work with exactly these.',
        'As authentication, choose OAuth.',
        PUBLIC,
      ],
    },
    {
      id: 'cursor',
      name: 'Cursor',
      where: '.cursor/mcp.json in a project, or ~/.cursor/mcp.json for all',
      language: 'json',
      text: json({ mcpServers: { [NAME]: { url: tools } } }),
      notes: ['Sign in where Cursor lists its MCP servers.'],
    },
    {
      id: 'vscode',
      name: 'VS Code',
      where: '.vscode/mcp.json in a project, or the command MCP: Open User Configuration',
      language: 'json',
      text: json({ servers: { [NAME]: { type: 'http', url: tools } } }),
      notes: ['Start the server from the file; VS Code asks to sign in.'],
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
      'TOKEN holds an access token: without one the answer is 401, and its WWW-Authenticate says where to begin.',
      'No initialize is needed: every request stands alone.',
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

/** Ordinary addresses stay bare, as people write them. */
function shellWord(text: string): string {
  return /^[\w:/.~%-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
