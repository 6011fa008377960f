/**
 * The API reference, written from the published description: each operation in words, beside a command to try and what
 * it returns.
 */
import { SESSION_VARIABLE, type ShownProduct, TOKEN_VARIABLE } from './examples.ts'
import { DOCS_PATH, type Docs, DocsFrame, GUIDES_ID, topicId } from './frame.tsx'
import { groupGuides, guidePath } from './guides.ts'
import { writeWords } from './markdown.ts'
import { OperationSection } from './operation.tsx'
import { SchemaFields } from './schema.tsx'

const FORMATS = [
  { href: '/openapi.json', title: 'OpenAPI', summary: 'This reference as OpenAPI 3.1.' },
  { href: '/.well-known/mcp.json', title: 'MCP server', summary: 'Tools, and how to connect a client.' },
  { href: '/.well-known/agent-card.json', title: 'A2A agent', summary: 'Agent card: skills and endpoints.' },
  { href: '/.well-known/ucp', title: 'UCP', summary: 'Catalog for the Universal Commerce Protocol.' },
  { href: '/llms.txt', title: 'llms.txt', summary: 'Every product on one line, for language models.' },
  { href: '/feeds/products.jsonl', title: 'Product feed', summary: 'Every product as JSON Lines.' },
  { href: '/feeds/google.tsv', title: 'Shopping feed', summary: 'Every product in Google Shopping columns.' },
]

export function renderDocsPage(docs: Docs, product: ShownProduct): string {
  const { description, guides } = docs
  const { schemas, securitySchemes } = description
  return String(
    <DocsFrame
      docs={docs}
      title="API reference"
      summary="Build on Souk: every endpoint with its fields, responses, errors and an example to try."
      path={DOCS_PATH}
    >
      <header class="page-head docs-lead">
        <h1>API reference</h1>
        <p class="soft">
          Version {description.version} · <code>{description.server}</code>
        </p>
        {writeWords(description.description)}
      </header>
      <section aria-labelledby="authentication" class="docs-part">
        <h2 id="authentication">Authentication</h2>
        <p>
          You can search and read the catalog without an account. Other endpoints need one of these
          credentials. The examples read them from the shell variables <code>{TOKEN_VARIABLE}</code> and{' '}
          <code>{SESSION_VARIABLE}</code>.
        </p>
        <dl class="docs-callers">
          {Object.entries(securitySchemes).map(([name, scheme]) => (
            <div>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                {writeWords(`${scheme.description}.`, { inline: true })}{' '}
                <span class="soft">
                  Send it as{' '}
                  <code>
                    {scheme.in === 'cookie' ? `Cookie: ${scheme.name}=…` : 'Authorization: Bearer …'}
                  </code>
                </span>
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <section aria-labelledby="formats" class="docs-part">
        <h2 id="formats">Protocols and feeds</h2>
        <LinkList links={FORMATS} labelledBy="formats" />
      </section>
      {guides.size > 0 && (
        <section aria-labelledby={GUIDES_ID} class="docs-part">
          <h2 id={GUIDES_ID}>Guides</h2>
          {groupGuides(guides).map((group) => (
            <>
              <h3 id={group.id}>{group.title}</h3>
              <LinkList
                links={group.guides.map((guide) => ({ ...guide, href: guidePath(guide.name) }))}
                labelledBy={group.id}
              />
            </>
          ))}
        </section>
      )}
      {description.topics.map((topic) => (
        <section class="docs-topic" aria-labelledby={topicId(topic.name)}>
          <div class="docs-topic-head">
            <h2 id={topicId(topic.name)}>{topic.name}</h2>
            {writeWords(topic.description)}
          </div>
          {topic.operations.map((operation) => (
            <OperationSection operation={operation} description={description} product={product} />
          ))}
        </section>
      ))}
      <section aria-labelledby="schemas" class="docs-topic">
        <div class="docs-topic-head">
          <h2 id="schemas">Schemas</h2>
          <p>The objects that requests and responses are made of.</p>
        </div>
        {Object.entries(schemas).map(([name, schema]) => (
          <section class="docs-schema" aria-labelledby={`schema-${name}`}>
            <h3 id={`schema-${name}`}>
              <a href={`#schema-${name}`}>{name}</a>
            </h3>
            {writeWords(schema.description ?? '')}
            <SchemaFields label={`Fields of ${name}`} schema={schema} schemas={schemas} />
          </section>
        ))}
      </section>
    </DocsFrame>,
  )
}

type LinkListProps = { links: Array<{ href: string; title: string; summary: string }>; labelledBy: string }

function LinkList({ links, labelledBy }: LinkListProps) {
  return (
    <ul class="docs-links" aria-labelledby={labelledBy}>
      {links.map(({ href, title, summary }) => (
        <li>
          <a href={href}>{title}</a>
          <span class="soft">{summary}</span>
        </li>
      ))}
    </ul>
  )
}
