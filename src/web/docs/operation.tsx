/** One operation: what it does, who can call it, what it takes and returns, and beside that a command to try. */
import type { Child } from 'hono/jsx'
import { type Described, type Description, isPublic, resolved } from './description.ts'
import { responseExamples, type ShownProduct, writeCommand } from './examples.ts'
import { writeWords } from './markdown.ts'
import { Fold, Item, objectIn, SchemaFields, typeOf } from './schema.tsx'

type Props = { operation: Described; description: Description; product: ShownProduct }

export function OperationSection({ operation, description, product }: Props) {
  const { id, method, path, summary, parameters, body, responses, reasons } = operation
  const { schemas } = description
  const part = (title: string, items: Child[]) =>
    items.length > 0 && (
      <>
        <h4>{title}</h4>
        <ul class="docs-fields" aria-label={`${title}: ${summary}`}>
          {items}
        </ul>
      </>
    )
  return (
    <article class="docs-operation" aria-labelledby={id}>
      <div class="docs-text">
        <h3 id={id}>
          <a href={`#${id}`}>{summary}</a>
        </h3>
        <p class="docs-path">
          <span class={`docs-method docs-${method}`}>{method.toUpperCase()}</span> <code>{path}</code>
        </p>
        {writeWords(operation.description)}
        <Access operation={operation} />
        {part(
          'Parameters',
          parameters.map(({ name, in: place, description: text = '', required = false, schema = {} }) => (
            <Item name={name} kind={[...typeOf(schema), ` · in ${place}`]} required={required} text={text} />
          )),
        )}
        {body?.schema && (
          <>
            <h4>Request body</h4>
            <SchemaFields label={`Request body: ${summary}`} schema={body.schema} schemas={schemas} />
          </>
        )}
        {part(
          'Responses',
          responses
            .filter(({ status }) => Number(status) < 400)
            .map(({ status, description: text, content }) => (
              <Item name={status} text={text}>
                {content.map(({ type, schema = {} }) => (
                  <>
                    <p class="soft">
                      <code>{type}</code> {typeOf(schema)}
                    </p>
                    {objectIn(resolved(schema, schemas)) && (
                      <Fold title="Response fields" about={`${status} ${type}, ${summary}`}>
                        <SchemaFields
                          label={`Response ${status} ${type}: ${summary}`}
                          schema={schema}
                          schemas={schemas}
                        />
                      </Fold>
                    )}
                  </>
                ))}
              </Item>
            )),
        )}
        {part(
          'Errors',
          reasons.map(({ status, when, code }) => <Item name={String(status)} kind={code} text={when} />),
        )}
      </div>
      <Examples operation={operation} description={description} product={product} />
    </article>
  )
}

function Access({ operation }: { operation: Described }) {
  const names = operation.security.flatMap(Object.keys)
  return (
    <p>
      <strong>Access:</strong>{' '}
      {isPublic(operation) && (names.length === 0 ? 'public' : 'public; returns more with ')}
      {names.map((name, index) => (
        <>
          {index > 0 && ' or '}
          <a href="#authentication">
            <code>{name}</code>
          </a>
        </>
      ))}
    </p>
  )
}

/** A block that scrolls sideways takes keyboard focus, so it needs a name. */
function Examples({ operation, description, product }: Props) {
  const { id, summary } = operation
  const command = { title: 'Try it', text: writeCommand(operation, description, product) }
  const [tryIt, first, ...others] = [command, ...responseExamples(operation)].map(({ title, text }, at) => (
    <figure class="docs-block">
      <figcaption id={`${id}-example-${at}`}>
        {title}
        <span class="hidden"> · {summary}</span>
      </figcaption>
      <section tabindex={0} aria-labelledby={`${id}-example-${at}`}>
        <pre>{text}</pre>
      </section>
    </figure>
  ))
  return (
    <div class="docs-examples">
      {tryIt}
      {first}
      {others.length > 0 && (
        <Fold title="More responses" about={summary}>
          {others}
        </Fold>
      )}
    </div>
  )
}
