/**
 * Where our answers are not those of the protocol library's server, and why. Each row says which requests it is about,
 * where in the answer, and what must hold of both sides, so that it excuses nothing else; a row that no request needs
 * any more is a mistake, too. `why` is the reason that ours stays as it is.
 */
import type { Answer } from './oracle.exchange.ts'

export type Found = { request: string; path: string; ours: unknown; theirs: unknown }
export type Difference = {
  why: string
  /** By their names. */
  requests: RegExp
  path: RegExp
  holds(found: Found): boolean
}

export function differencesOf(request: string, answers: { ours: Answer; theirs: Answer }): Found[] {
  const walk = (ours: unknown, theirs: unknown, path: string): Found[] => {
    if (Object.is(ours, theirs)) return []
    if (!isTree(ours) || !isTree(theirs) || Array.isArray(ours) !== Array.isArray(theirs))
      return [{ request, path, ours, theirs }]
    const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)])
    return [...keys].flatMap((key) => walk(ours[key], theirs[key], `${path}/${key}`))
  }
  return walk(answers.ours, answers.theirs, '')
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

const isText = (value: unknown): value is string => typeof value === 'string'
const says = (value: unknown, words: RegExp) => isText(value) && words.test(value)
const added = ({ theirs }: Found) => theirs === undefined
const errorWith = (value: unknown, code: number) => isTree(value) && value.code === code

/** Those that are answered with the tools. */
const LISTS = /tools\/list|^(batch|id a text|modern without client info)$/

export const DIFFERENCES: Difference[] = [
  {
    why: 'Plain JSON is a third of the work and every client reads it; the library always streams to the older family.',
    requests: /^(?!modern)/,
    path: /^\/form$/,
    holds: ({ ours, theirs }) => ours === 'json' && theirs === 'events',
  },
  {
    why: 'An empty schema and `true` allow the same; linters know only the latter.',
    requests: LISTS,
    path: /\/additionalProperties$/,
    holds: ({ ours, theirs }) => ours === true && isTree(theirs) && Object.keys(theirs).length === 0,
  },
  {
    why: 'The list of tools does not change while a client is connected: no listChanged is promised.',
    requests: /^(initialize \S|initialize with a header|modern server\/discover)/,
    path: /\/capabilities\/tools\/listChanged$/,
    holds: ({ ours, theirs }) => ours === undefined && theirs === true,
  },
  {
    why: 'The library’s server has the tools alone; ours has resources and prompts too (tools.resources.test.ts).',
    requests: /^(initialize \S|initialize with a header|modern server\/discover)/,
    path: /\/capabilities\/(resources|prompts|completions)$/,
    holds: (found) => added(found) && isTree(found.ours) && Object.keys(found.ours).length === 0,
  },
  {
    why: 'With no listChanged there is nothing to subscribe to.',
    requests: /^modern subscriptions\/listen$/,
    path: /^\/(status|body\/error\/(code|message))$/,
    holds: ({ path, ours, theirs }) =>
      path === '/status'
        ? ours === 404 && theirs === 200
        : path.endsWith('code')
          ? ours === -32601 && theirs === -32602
          : ours === 'Method not found: subscriptions/listen',
  },
  {
    why: 'Schemas go into prompts: the address of the dialect and the bounds of every integer say nothing to a model.',
    requests: LISTS,
    path: /\/tools\/\d+\/(in|out)putSchema\/(.*\/)?(\$schema|minimum|maximum)$/,
    holds: ({ path, ours, theirs }) =>
      ours === undefined &&
      (path.endsWith('$schema')
        ? theirs === 'https://json-schema.org/draft/2020-12/schema'
        : Math.abs(Number(theirs)) === Number.MAX_SAFE_INTEGER),
  },
  {
    why: 'That an answer holds nothing undescribed is no news to a model, and fields may be added in later releases.',
    requests: LISTS,
    path: /\/tools\/\d+\/outputSchema\/(.*\/)?additionalProperties$/,
    holds: ({ ours, theirs }) => ours === undefined && theirs === false,
  },
  {
    why: 'Not every client reads a list of types: what may be null is written as a choice, which says the same.',
    requests: LISTS,
    path: /\/tools\/\d+\/(in|out)putSchema\/.*\/(type|anyOf)$/,
    holds: ({ path, ours, theirs }) =>
      path.endsWith('type')
        ? ours === undefined && Array.isArray(theirs) && theirs.includes('null')
        : Array.isArray(ours) &&
          ours.some((one) => isTree(one) && one.type === 'null') &&
          theirs === undefined,
  },
  {
    why: 'Arguments are refused in words that say what to send instead of the validator’s.',
    requests: /^(legacy|modern) wrong arguments: /,
    path: /^\/body\/result\/content\/0\/text$/,
    holds: ({ ours, theirs }) =>
      says(ours, /^[a-z][\w.]*: (must|is required)/) &&
      says(theirs, /^Input validation error: Invalid arguments/),
  },
  {
    why: 'A refusal carries the envelope of REST, for programs that call tools without a model.',
    requests: /^(legacy|modern) (wrong arguments|refused|broken)/,
    path: /^\/body\/result\/_meta(\/souk\/error)?$/,
    holds: (found) => {
      const meta = found.path.endsWith('_meta') && isTree(found.ours) ? found.ours['souk/error'] : found.ours
      return added(found) && isTree(meta) && isText(meta.error) && isText(meta.kind)
    },
  },
  {
    why: 'A refusal is a sentence, followed by what to do next and by near matches.',
    requests: /^(legacy|modern) refused: /,
    path: /^\/body\/result\/content\/0\/text$/,
    holds: ({ ours, theirs }) =>
      isText(ours) && isText(theirs) && ours.toLowerCase().startsWith(`${theirs.toLowerCase()}.`),
  },
  {
    why: 'What breaks inside is for the log; the library shows the message of any error to everybody.',
    requests: /^(legacy|modern) broken inside$/,
    path: /^\/body\/result\/content\/0\/text$/,
    holds: ({ ours, theirs }) =>
      says(theirs, /saved_products/) && isText(ours) && !/saved_products|relation/.test(ours),
  },
  {
    why: 'What can only be meant one way is taken that way: models send numbers as text, null for nothing.',
    requests: /^(legacy|modern) forgiven: /,
    path: /^\/body\/result\/(content\/0\/text|structuredContent|isError)$/,
    holds: ({ path, ours, theirs }) =>
      path.endsWith('isError')
        ? ours === undefined && theirs === true
        : path.endsWith('text')
          ? isText(ours) && says(theirs, /^Input validation error/)
          : isTree(ours) && theirs === undefined,
  },
  {
    why: 'Null arguments are none; the library refuses what a model sends when it has nothing to say.',
    requests: /arguments null$/,
    path: /^\/body\/(result|error)$/,
    holds: ({ path, ours, theirs }) =>
      path.endsWith('result')
        ? isTree(ours) && theirs === undefined
        : ours === undefined && errorWith(theirs, -32602),
  },
  {
    why: 'A parameter that was made up is passed over by both, but not in silence here.',
    requests: /^(legacy|modern) noted: /,
    path: /^\/body\/result\/content\/1$/,
    holds: (found) =>
      added(found) && isTree(found.ours) && says(found.ours.text, /^Ignored unknown parameters: colour\./),
  },
  {
    why: 'A tool that is not there is refused with the names of near ones.',
    requests: /^(legacy|modern) tool unknown, /,
    path: /^\/body\/error\/message$/,
    holds: ({ ours, theirs }) =>
      says(ours, /^Unknown tool: \w+; (did you mean \w+(, \w+)*\?|see tools\/list)$/) &&
      says(theirs, /^Tool \w+ (not found|disabled)$/),
  },
  {
    why: 'A tool for producers is told as one, so that a model can tell the person what to do.',
    requests: /^(legacy|modern) tool of producers, by a consumer$/,
    path: /^\/body\/(result|error)$/,
    holds: ({ path, ours, theirs }) =>
      path.endsWith('result') ? isTree(ours) && ours.isError === true : errorWith(theirs, -32602),
  },
  {
    why: 'An unknown method is named.',
    requests: /^(legacy|modern) |^batch with an unknown method$/,
    path: /^\/body(\/0)?\/error\/message$/,
    holds: ({ ours, theirs }) => theirs === 'Method not found' && says(ours, /^Method not found: [\w/]+$/),
  },
  {
    why: 'What is wrong with params is said in one line instead of the validator’s list.',
    requests: /^(legacy|modern) (tool without a name|tool name|arguments)/,
    path: /^\/body\/error\/message$/,
    holds: ({ ours, theirs }) =>
      says(ours, /^params\.(name|arguments): /) && says(theirs, /^Invalid tools\/call request: \[/),
  },
  {
    why: 'Wrong params are the client’s mistake (-32602); the library calls them an internal error.',
    requests: /^(initialize without a version|(legacy|modern) tools\/list with a cursor of a wrong type)$/,
    path: /^\/body\/error\/(code|message)$/,
    holds: ({ path, ours, theirs }) =>
      path.endsWith('code')
        ? ours === -32602 && theirs === -32603
        : says(ours, /^params\.\w+: /) && says(theirs, /"invalid_type"/),
  },
  {
    why: 'All tools are on one page, so that a cursor is not one of ours; the protocol asks for -32602.',
    requests: /^(legacy|modern) tools\/list with a cursor$/,
    path: /^\/body\/(result|error)$/,
    holds: ({ path, ours, theirs }) =>
      path.endsWith('error') ? errorWith(ours, -32602) : isTree(theirs) && ours === undefined,
  },
  {
    why: 'Nothing here depends on the name of the client: a handshake without one is answered.',
    requests: /^initialize without a client$/,
    path: /^\/body\/(result|error)$/,
    holds: ({ path, ours, theirs }) =>
      path.endsWith('result')
        ? isTree(ours) && ours.protocolVersion === '2025-11-25'
        : errorWith(theirs, -32603),
  },
  {
    why: '2024-10-07 was a draft that no client speaks any more; it is offered the newest of its family.',
    requests: /^initialize 2024-10-07$/,
    path: /^\/body\/result\/protocolVersion$/,
    holds: ({ ours, theirs }) => ours === '2025-11-25' && theirs === '2024-10-07',
  },
  {
    why: 'An unknown version is refused by the code that the protocol has for it now, with the versions as data.',
    requests: /^legacy tools\/call of version "(1999-01-01)?"$/,
    path: /^\/body\/error\/(code|message|data)$/,
    holds: ({ path, ours, theirs }) =>
      path.endsWith('code')
        ? ours === -32022 && theirs === -32000
        : path.endsWith('data')
          ? isTree(ours) && Array.isArray(ours.supported) && theirs === undefined
          : says(ours, /^Unsupported protocol version: /) && says(theirs, /Unsupported protocol version/),
  },
  {
    why: 'A request that is refused gets its id back wherever it has one, so that its sender knows which it was.',
    requests:
      /^(no method|method of a wrong type|legacy tools\/call of version|(legacy|modern) (Accept|Content-Type) )/,
    path: /^\/body\/id$/,
    holds: ({ ours, theirs }) => ours === 1 && theirs === null,
  },
  {
    why: 'Words of our own; the code and the status are the same.',
    requests: /^(no JSON|no body|batch with initialize)$/,
    path: /^\/body\/error\/message$/,
    holds: ({ ours, theirs }) => isText(ours) && isText(theirs),
  },
  {
    why: 'Words of our own for headers that are missing or differ; data would repeat the message.',
    requests: /^modern (without version header|without Mcp-|Mcp-Name)/,
    path: /^\/body\/error\/(message|data)$/,
    holds: ({ path, ours, theirs }) =>
      path.endsWith('data')
        ? ours === undefined && isTree(theirs)
        : says(ours, /^Header mismatch: /) && says(theirs, /headers and body disagree/),
  },
  {
    why: 'Codes from -32000 down to -32099 belong to the protocol now: what it has no code for is an invalid request.',
    requests: /^(GET|DELETE|PUT|PATCH|(legacy|modern) Content-Type (text|form))$/,
    path: /^\/body\/error\/(code|message)$/,
    holds: ({ path, ours, theirs }) =>
      path.endsWith('code') ? ours === -32600 && theirs === -32000 : isText(ours) && isText(theirs),
  },
  {
    why: 'Pages of other sites may ask first (OPTIONS).',
    requests: /^(GET|DELETE|PUT|PATCH)$/,
    path: /^\/allow$/,
    holds: ({ ours, theirs }) => ours === 'POST, OPTIONS' && theirs === 'POST',
  },
  {
    why: 'Real clients send Accept: */* or none: they are answered, not turned away with 406.',
    requests: /^legacy Accept (?!both)/,
    path: /^\/(status|body\/(result|error))$/,
    holds: ({ path, ours, theirs }) =>
      path === '/status'
        ? ours === 200 && theirs === 406
        : path.endsWith('result')
          ? isTree(ours) && theirs === undefined
          : errorWith(theirs, -32000),
  },
  {
    why: 'A client that reads events alone gets its answer as one.',
    requests: /^(legacy|modern) Accept events$/,
    path: /^\/form$/,
    holds: ({ ours, theirs }) => ours === 'events' && theirs === 'json',
  },
  {
    why: 'A Content-Type that is missing or a dialect of JSON names nothing else: only a wrong one is 415.',
    requests: /^(legacy|modern) Content-Type (missing|of a dialect)$/,
    path: /^\/(status|body\/(result|error))$/,
    holds: ({ path, ours, theirs }) =>
      path === '/status'
        ? ours === 200 && theirs === 415
        : path.endsWith('result')
          ? isTree(ours) && theirs === undefined
          : errorWith(theirs, -32000),
  },
  {
    why: 'Output schemas took half of the list: what occurs repeatedly is described once and only the outermost fields are required. Clients hold answers against them, and a golden file holds their words.',
    requests: LISTS,
    path: /\/tools\/\d+\/outputSchema\/(properties|\$defs|description)(\/|$)/,
    holds: () => true,
  },
]

export function reasonFor(found: Found): Difference | undefined {
  return DIFFERENCES.find(
    ({ requests, path, holds }) => requests.test(found.request) && path.test(found.path) && holds(found),
  )
}
