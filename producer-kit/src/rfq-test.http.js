/**
 * One HTTP exchange of `souk-rfq-test`, made as the service makes it: no redirect followed, 25 seconds, 64 KB. It
 * never throws: a connection that fails is a finding like any other. It goes wherever the user says, localhost and
 * private networks too, because it is the producer's own tool.
 */
import http from 'node:http'
import https from 'node:https'

export const DEADLINE_MS = 25_000
const LONGEST_ANSWER = 65_536

/**
 * @typedef {{ status: number, headers: http.IncomingHttpHeaders, text: string, ms: number }} Answered
 * @typedef {Answered | { failed: string }} Exchange
 */

/**
 * @param {URL} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: string, insecure?: boolean, deadlineMs?: number }} [options]
 * @returns {Promise<Exchange>}
 */
export function exchange(
  url,
  { method = 'GET', headers = {}, body, insecure, deadlineMs = DEADLINE_MS } = {},
) {
  const started = performance.now()
  const { request } = url.protocol === 'https:' ? https : http
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  return new Promise((resolve) => {
    /** @type {(failed: string) => void} */
    const fail = (failed) => {
      resolve({ failed })
      outgoing.destroy()
    }
    const outgoing = request(
      url,
      { method, headers: { ...headers, ...length }, rejectUnauthorized: !insecure, agent: false },
      (incoming) => {
        /** @type {Buffer[]} */
        const chunks = []
        let size = 0
        incoming.on('data', (/** @type {Buffer} */ chunk) => {
          size += chunk.length
          chunks.push(chunk)
          if (size > LONGEST_ANSWER) fail(`the answer is over ${LONGEST_ANSWER} bytes`)
        })
        incoming.on('error', (error) => fail(error.message))
        incoming.on('end', () => {
          clearTimeout(timer)
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: Buffer.concat(chunks).toString('utf8'),
            ms: Math.round(performance.now() - started),
          })
        })
      },
    )
    const timer = setTimeout(() => fail(`no answer within ${deadlineMs / 1000} seconds`), deadlineMs)
    outgoing.on('close', () => clearTimeout(timer))
    outgoing.on('error', (error) => fail(explained(error)))
    outgoing.end(body)
  })
}

/** @param {NodeJS.ErrnoException} error */
function explained({ code = '', message }) {
  if (code === 'ECONNREFUSED') return `nothing listens there (${message})`
  if (code === 'ENOTFOUND') return `the name does not resolve (${message})`
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code))
    return `the certificate is not trusted (${code}): the service will refuse it too; --insecure looks past it`
  return code && !message.includes(code) ? `${code} ${message}` : message || code
}
