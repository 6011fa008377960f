/**
 * The door of the package: all that `import … from 'souk-producer-kit'` gives. Types are in ../index.d.ts.
 */
export { keepRawBody, toExpress, toFetch, toHono, toNode } from './adapters.js'
export { decline, findAnswerProblems, isDecline, QuoteError, quote } from './answer.js'
export { signRequest, verifyBearer, verifySignature } from './auth.js'
export { createRfqHandler } from './handler.js'
export { parseRfq, RfqError } from './rfq.js'
