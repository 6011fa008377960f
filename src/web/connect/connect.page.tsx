/**
 * How to connect an agent: the server address, then what to paste into each client. Clients come from the data behind
 * mcp.json and tools from the tool server's list, so that the page stays correct.
 */

import { type ClientBlock, clientBlocks, toolAddresses } from '../../agents/discovery/clients.ts'
import { REQUESTS_A_DAY } from '../../agents/mcp/quota.ts'
import type { Audience } from '../../tools/define-tool.ts'
import { CopyButton } from '../components/copyable.tsx'
import { formatCount } from '../format.ts'
import { LinkLine } from '../kit/parts.tsx'
import { Layout } from '../layout.tsx'
import type { Site } from '../site.ts'

export const CONNECT_PATH = '/connect'

export type ListedTool = { name: string; title: string; audience: Audience }

export type ConnectPage = {
  site: Site
  config: { baseUrl: string; mcpUrl: string }
  tools: ListedTool[]
}

const TITLE = 'Connect your agent'
const TEXT =
  'Give your assistant one address. It can then search and compare products, request binding quotes from sellers and save products for you.'

const FACTS = [
  {
    title: 'It signs in as you',
    text: 'Your client opens Souk in a browser, where you sign in and approve access (OAuth). It never sees your password.',
  },
  {
    title: 'You stay in control',
    text: 'Your account page lists every connected agent. Disconnect an agent there to end its access.',
    link: { href: '/account#connected-apps', words: 'Manage connected agents' },
  },
  {
    title: 'It’s free',
    text: `You get ${formatCount(REQUESTS_A_DAY)} requests a day, shared by all your agents. Sellers can’t pay for search ranking.`,
  },
]

const OTHER_WAYS = [
  {
    title: 'Agent to agent (A2A)',
    text: 'The agent card lists Souk’s skills and endpoints. Agents can search without an account.',
    links: [{ href: '/.well-known/agent-card.json', words: 'Agent card' }],
  },
  {
    title: 'REST API',
    text: 'Every endpoint with its fields, errors and an example request.',
    links: [
      { href: '/docs', words: 'API reference' },
      { href: '/openapi.json', words: 'OpenAPI 3.1' },
    ],
  },
  {
    title: 'Catalog files',
    text: 'The whole catalog in one file, always up to date.',
    links: [
      { href: '/llms.txt', words: 'llms.txt' },
      { href: '/feeds/products.jsonl', words: 'Product feed (JSONL)' },
      { href: '/feeds/google.tsv', words: 'Shopping feed (TSV)' },
      { href: '/sitemap.xml', words: 'Sitemap' },
      { href: '/.well-known/mcp.json', words: 'This page as JSON' },
    ],
  },
]

export function renderConnectPage({ site, config, tools }: ConnectPage): string {
  const blocks = clientBlocks(config)
  return String(
    <Layout site={site} title={`${TITLE} · Souk`} description={TEXT} path={CONNECT_PATH}>
      <header class="page-head">
        <h1>{TITLE}</h1>
        <p class="lead">{TEXT}</p>
        <Address url={toolAddresses(config).tools} />
      </header>
      <ul class="ways-in">
        {FACTS.map(({ title, text, link }) => (
          <li>
            <h2>{title}</h2>
            <p>{text}</p>
            {link && <LinkLine to={link.href}>{link.words}</LinkLine>}
          </li>
        ))}
      </ul>
      <div class="connect">
        <Contents blocks={blocks} />
        <div class="connect-main">
          <section aria-labelledby="clients">
            <h2 id="clients">Choose your client</h2>
            {blocks.map((block) => (
              <Client block={block} />
            ))}
          </section>
          <section aria-labelledby="tools">
            <h2 id="tools">What it can do</h2>
            <Tools title="For everyone" tools={tools.filter(({ audience }) => audience === 'everyone')} />
            <Tools
              title="For sellers and manufacturers"
              tools={tools.filter(({ audience }) => audience === 'producers')}
            />
          </section>
          <OtherWays />
        </div>
      </div>
    </Layout>,
  )
}

function Address({ url }: { url: string }) {
  return (
    <div class="connect-address">
      <p id="address-label">MCP server address (Streamable HTTP)</p>
      <p>
        <code id="address">{url}</code> <CopyButton of="address" describedBy="address-label" />
      </p>
    </div>
  )
}

function Contents({ blocks }: { blocks: ClientBlock[] }) {
  return (
    <nav class="connect-contents" aria-label="On this page">
      <ul>
        {blocks.map(({ id, name }) => (
          <li>
            <a href={`#${id}`}>{name}</a>
          </li>
        ))}
        <li>
          <a href="#tools">What it can do</a>
        </li>
        <li>
          <a href="#other-ways">Other ways to connect</a>
        </li>
      </ul>
    </nav>
  )
}

function Client({ block: { id, name, where, text, notes } }: { block: ClientBlock }) {
  const textId = `${id}-text`
  return (
    <article class="connect-client" aria-labelledby={id}>
      <h3 id={id}>{name}</h3>
      <p>
        <span class="soft">Add to:</span> {where}
      </p>
      <div class="connect-block">
        <pre>
          <code id={textId}>{text}</code>
        </pre>
        <CopyButton of={textId} describedBy={id} />
      </div>
      <ul class="plain-list">
        {notes.map((note) => (
          <li>{note}</li>
        ))}
      </ul>
    </article>
  )
}

function Tools({ title, tools }: { title: string; tools: ListedTool[] }) {
  return (
    <>
      <h3>{title}</h3>
      <ul class="connect-tools">
        {tools.map((tool) => (
          <li>
            {tool.title} <code>{tool.name}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

function OtherWays() {
  return (
    <section aria-labelledby="other-ways">
      <h2 id="other-ways">Other ways to connect</h2>
      {OTHER_WAYS.map(({ title, text, links }) => (
        <div>
          <h3>{title}</h3>
          <p>{text}</p>
          <ul class="line">
            {links.map(({ href, words }) => (
              <li>
                <a href={href}>{words}</a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}
