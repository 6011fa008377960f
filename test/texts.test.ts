import path from 'node:path'
import { expect, test } from 'vitest'
import { textsBelow, textsOf } from './texts.ts'

/** Words that read as legal or translated prose. */
const STIFF =
  /\b(?:deeds?|reckon(?:s|ed|ing)?|dearest|mend(?:s|ed|ing)?|shall|whoever|wherefore|is none|as often as)\b/i

/** Of each the word that is in the code, however the text is put together. */
const MAY_BE_STIFF =
  /\b(?:deeds?|reckon(?:s|ed|ing)?|dearest|mend(?:s|ed|ing)?|shall|whoever|wherefore|none|often)\b/i

/** Words that search reads in queries, not words that it writes. */
const READ_FROM_QUERIES = /^src\/search\/understand\/(?:negation|order)\.ts:/

test('no text uses a stiff word', () => {
  const found = textsBelow(path.dirname(import.meta.dirname), 'src', MAY_BE_STIFF).filter(
    ({ where, text }) => STIFF.test(text) && !READ_FROM_QUERIES.test(where),
  )
  expect(found.map(({ where, text }) => `${where}: ${text}`)).toEqual([])
})

test('texts are found where people read them, and code is not taken for a text', () => {
  const code = `import { a } from 'some where else'
type Kind = 'a type here'
const rows = sql\`select a from b\`
const statement = 'select a from b'
const listed = 'one word or another'.split(' ')
const failed = new AppError('invalid', \`Choose one of \${kinds.join(' or else ')}, \` + 'please')
const page = (
  <a class="button is big" title="Close" href={\`/a b/\${id}\`}>
    Read on
  </a>
)`
  expect(textsOf('a.tsx', code)).toEqual([
    { where: 'a.tsx:6', text: 'Choose one of …, please' },
    { where: 'a.tsx:6', text: 'or else' },
    { where: 'a.tsx:8', text: 'Close' },
    { where: 'a.tsx:9', text: 'Read on' },
  ])
})
