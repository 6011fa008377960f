/**
 * The interface for people, written from the published description: what there is on the left, each operation in words
 * beside a command to try and what it answers. It needs no script: what is long is folded, and the contents are links.
 */
import { Layout } from '../layout.tsx'
import type { Site } from '../site.ts'
import type { Description } from './description.ts'
import { SESSION_VARIABLE, type ShownProduct, TOKEN_VARIABLE } from './examples.ts'
import { FieldTable } from './field-table.tsx'
import { GUIDES_ID, GuideList } from './guides.page.tsx'
import { groupGuides, ownDocuments } from './guides.ts'
import { OperationSection } from './operation.tsx'
import { Paragraphs, Words } from './words.tsx'

export const DOCS_PATH = '/docs'

/** The other ways in, each with what it is for. */
const GUARDS = [
  { path: '/openapi.json', name: 'OpenAPI', tells: 'This page for programs: OpenAPI 3.1' },
  { path: '/.well-known/mcp.json', name: 'Tool server (MCP)', tells: 'Its tools, and how clients connect' },
  { path: '/.well-known/agent-card.json', name: 'Agent (A2A)', tells: 'Its card: skills and addresses' },
  { path: '/.well-known/ucp', name: 'UCP', tells: 'The catalog for the Universal Commerce Protocol' },
  { path: '/llms.txt', name: 'llms.txt', tells: 'Every product in one line, for language models' },
  { path: '/feeds/products.jsonl', name: 'Product feed', tells: 'Every product, one JSON object a line' },
  { path: '/feeds/google.tsv', name: 'Shopping feed', tells: 'The same, in the columns of Google’s feeds' },
] as const

export function renderDocsPage(description: Description, product: ShownProduct, site: Site): string {
  const { title, version, topics, schemas } = description
  const names = Object.keys(schemas)
  const guides = groupGuides(ownDocuments())
  return String(
    <Layout
      site={site}
      title={`Interface · ${title}`}
      description="How programs use Souk: every route with its fields, answers, refusals and an example to try."
      path={DOCS_PATH}
    >
      <div class="docs">
        <header class="page-head docs-lead">
          <h1>Interface</h1>
          <p class="soft">
            Version {version} · <code>{description.server}</code>
          </p>
          <Paragraphs text={description.description} />
        </header>
        <Contents description={description} names={names} guides={guides.length > 0} />
        <div class="docs-main">
          <Guards />
          {guides.length > 0 && <GuideList groups={guides} />}
          <Callers description={description} />
          {topics.map((topic) => (
            <section class="docs-topic" aria-labelledby={topicId(topic.name)}>
              <div class="docs-topic-head">
                <h2 id={topicId(topic.name)}>{topic.name}</h2>
                <Paragraphs text={topic.description} />
              </div>
              {topic.operations.map((operation) => (
                <OperationSection operation={operation} description={description} product={product} />
              ))}
            </section>
          ))}
          <Schemas description={description} names={names} />
        </div>
      </div>
    </Layout>,
  )
}

function topicId(name: string): string {
  return `topic-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`
}

type ContentsProps = { description: Description; names: string[]; guides: boolean }

function Contents({ description, names, guides }: ContentsProps) {
  return (
    <nav class="docs-contents" aria-label="On this page">
      <ul>
        <li>
          <a href="#guards">Other ways in</a>
        </li>
        {guides && (
          <li>
            <a href={`#${GUIDES_ID}`}>Guides</a>
          </li>
        )}
        <li>
          <a href="#callers">Who may call</a>
        </li>
      </ul>
      {description.topics.map(({ name, operations }) => (
        <div>
          <p>
            <a href={`#${topicId(name)}`}>{name}</a>
          </p>
          <ul>
            {operations.map(({ id, summary }) => (
              <li>
                <a href={`#${id}`}>{summary}</a>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {names.length > 0 && (
        <p>
          <a href="#schemas">Schemas</a>
        </p>
      )}
    </nav>
  )
}

function Guards() {
  return (
    <section aria-labelledby="guards" class="docs-part">
      <h2 id="guards">Other ways in</h2>
      <ul class="docs-guards">
        {GUARDS.map(({ path, name, tells }) => (
          <li>
            <a href={path}>{name}</a>
            <span class="soft">{tells}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Callers({ description }: { description: Description }) {
  return (
    <section aria-labelledby="callers" class="docs-part">
      <h2 id="callers">Who may call</h2>
      <p>
        Reading and searching need no account. What producers do needs one of these; the commands below take
        them from variables of your shell, <code>{TOKEN_VARIABLE}</code> and <code>{SESSION_VARIABLE}</code>.
      </p>
      <dl class="docs-callers">
        {Object.entries(description.securitySchemes).map(([name, scheme]) => (
          <div>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <Words text={scheme.description ?? ''} />.{' '}
              <span class="soft">
                Sent as{' '}
                <code>{scheme.in === 'cookie' ? `Cookie: ${scheme.name}=…` : 'Authorization: Bearer …'}</code>
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Schemas({ description, names }: { description: Description; names: string[] }) {
  if (names.length === 0) return null
  return (
    <section aria-labelledby="schemas" class="docs-topic">
      <div class="docs-topic-head">
        <h2 id="schemas">Schemas</h2>
        <p>What requests and answers are made of, by name.</p>
      </div>
      {names.map((name) => {
        const schema = description.schemas[name] ?? {}
        return (
          <section class="docs-schema" aria-labelledby={`schema-${name}`}>
            <h3 id={`schema-${name}`}>
              <a href={`#schema-${name}`}>{name}</a>
            </h3>
            <Paragraphs text={schema.description ?? ''} />
            <FieldTable label={`Fields of ${name}`} schema={schema} schemas={description.schemas} />
          </section>
        )
      })}
    </section>
  )
}
