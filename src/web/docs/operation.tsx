/** One operation: what it does, who may call, what goes in and comes out, when it refuses; beside it, how to try it. */
import type { Answered, Described, Description, Security } from './description.ts'
import { answerExamples, type ShownProduct, writeCommand } from './examples.ts'
import { Fields, FieldTable, TypeWords } from './field-table.tsx'
import { limitsOf, listFields, typeWords } from './fields.ts'
import { Paragraphs, Words } from './words.tsx'

type Props = { operation: Described; description: Description; product: ShownProduct }

export function OperationSection({ operation, description, product }: Props) {
  const { id, method, path, summary } = operation
  return (
    <article class="docs-operation" aria-labelledby={id}>
      <div class="docs-text">
        <h3 id={id}>
          <a href={`#${id}`}>{summary}</a>
        </h3>
        <p class="docs-path">
          <span class={`docs-method docs-${method}`}>{method.toUpperCase()}</span> <code>{path}</code>
        </p>
        <Paragraphs text={operation.description} />
        <p>
          <strong>Who may call:</strong> <Callers security={operation.security} />
        </p>
        <Parameters operation={operation} />
        <Body operation={operation} description={description} />
        <Answers operation={operation} description={description} />
        <Refusals operation={operation} />
      </div>
      <Examples operation={operation} description={description} product={product} />
    </article>
  )
}

function Callers({ security }: { security: Security[] }) {
  const names = security.flatMap(Object.keys)
  const anyone = names.length === 0 || security.some((one) => Object.keys(one).length === 0)
  return (
    <>
      {anyone && (names.length === 0 ? 'anyone' : 'anyone; more with ')}
      {names.map((name, index) => (
        <>
          {index > 0 && ' or '}
          <a href="#callers">
            <code>{name}</code>
          </a>
        </>
      ))}
    </>
  )
}

function Parameters({ operation: { parameters, summary } }: { operation: Described }) {
  if (parameters.length === 0) return null
  const fields = parameters.map(({ name, in: place, description = '', required = false, schema = {} }) => ({
    within: '',
    name,
    type: [...typeWords(schema), ` in the ${place}`],
    required,
    limits: limitsOf(schema),
    meaning: description,
  }))
  return (
    <>
      <h4>Parameters</h4>
      <Fields label={`Parameters: ${summary}`} fields={fields} />
    </>
  )
}

function Body({ operation: { body, summary }, description: { schemas } }: Omit<Props, 'product'>) {
  if (!body?.schema) return null
  return (
    <>
      <h4>Request</h4>
      <FieldTable label={`Fields of the request: ${summary}`} schema={body.schema} schemas={schemas} />
    </>
  )
}

function Answers({ operation: { answers, summary }, description: { schemas } }: Omit<Props, 'product'>) {
  return (
    <>
      <h4>Answers</h4>
      <ul class="docs-answers">
        {answers.map((answer) => (
          <li>
            <p>
              <span class="docs-status">{answer.status}</span> <Words text={answer.description} />
            </p>
            {contentOf(answer).map(({ type, schema }) => (
              <>
                <p class="soft">
                  <code>{type}</code> <TypeWords words={typeWords(schema)} />
                </p>
                {listFields(schema, schemas).length > 0 && (
                  <details>
                    <summary>
                      Fields of the answer
                      <About words={`${answer.status} ${type}, ${summary}`} />
                    </summary>
                    <FieldTable
                      label={`Fields of the answer ${answer.status} ${type}: ${summary}`}
                      schema={schema}
                      schemas={schemas}
                    />
                  </details>
                )}
              </>
            ))}
          </li>
        ))}
      </ul>
    </>
  )
}

function contentOf({ content = {} }: Answered) {
  return Object.entries(content).map(([type, { schema = {} }]) => ({ type, schema }))
}

function Refusals({ operation: { reasons, summary } }: { operation: Described }) {
  if (reasons.length === 0) return null
  return (
    <>
      <h4>Refusals</h4>
      <table class="docs-refusals">
        <caption class="hidden">Refusals: {summary}</caption>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">When</th>
            <th scope="col">Code</th>
          </tr>
        </thead>
        <tbody>
          {reasons.map(({ status, when, code }) => (
            <tr>
              <th scope="row">
                <span class="docs-status">{status}</span>
              </th>
              <td>
                <Words text={when} />
              </td>
              <td>{code === undefined ? null : <code>{code}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

/** What sets apart things that look the same in each operation, for those who hear the page or jump about in it. */
function About({ words }: { words: string }) {
  return <span class="hidden"> · {words}</span>
}

/** What scrolls sideways must be reachable by keyboard, and what is reached must have a name. */
function Block({ id, title, text, about }: { id: string; title: string; text: string; about: string }) {
  return (
    <figure class="docs-block">
      <figcaption id={id}>
        {title}
        <About words={about} />
      </figcaption>
      <section tabindex={0} aria-labelledby={id}>
        <pre>{text}</pre>
      </section>
    </figure>
  )
}

function Examples({ operation, description, product }: Props) {
  const { id, summary } = operation
  const [first, ...others] = answerExamples(operation).map((example, at) => (
    <Block {...example} id={`${id}-answer-${at + 1}`} about={summary} />
  ))
  return (
    <div class="docs-examples">
      <Block
        id={`${id}-command`}
        title="Try it"
        text={writeCommand(operation, description, product)}
        about={summary}
      />
      {first}
      {others.length > 0 && (
        <details>
          <summary>
            Other answers
            <About words={summary} />
          </summary>
          {others}
        </details>
      )}
    </div>
  )
}
