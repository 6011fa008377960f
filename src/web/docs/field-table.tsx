/** Fields as a table; on a narrow screen each row becomes a small block (docs.css). */
import type { Schema } from './description.ts'
import { type Field, listFields, type TypeWord, typeWords } from './fields.ts'
import { Words } from './words.tsx'

type Props = { label: string; schema: Schema; schemas: Record<string, Schema> }

/** The fields of an object; of anything else, what it is in a line. */
export function FieldTable({ label, schema, schemas }: Props) {
  const fields = listFields(schema, schemas)
  if (fields.length > 0) return <Fields label={label} fields={fields} />
  return (
    <p class="docs-type">
      <TypeWords words={typeWords(schema)} />
    </p>
  )
}

export function Fields({ label, fields }: { label: string; fields: Field[] }) {
  return (
    <table class="docs-fields">
      <caption class="hidden">{label}</caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Type and limits</th>
          <th scope="col">What it means</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr>
            <th scope="row">
              <code>
                {field.within !== '' && (
                  <>
                    <span class="soft">{field.within}</span>
                    <wbr />
                  </>
                )}
                {field.name}
              </code>
              {field.required && <span class="docs-required">required</span>}
            </th>
            <td>
              <TypeWords words={field.type} />
              {field.limits.map((limit) => (
                <span class="docs-limit">
                  <Words text={limit} />
                </span>
              ))}
            </td>
            <td>
              <Words text={field.meaning} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function TypeWords({ words }: { words: TypeWord[] }) {
  return (
    <span>
      {words.map((word) =>
        typeof word === 'string' ? word : <a href={`#schema-${word.schema}`}>{word.schema}</a>,
      )}
    </span>
  )
}
