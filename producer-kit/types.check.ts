/**
 * Never run: the compiler reads it. The hand-written declarations must describe the code as it is, and fit the
 * frameworks they are meant for.
 */
import { createServer } from 'node:http'
import { Hono } from 'hono'
import type * as declared from './index.d.ts'
import * as real from './src/index.js'

export const asDeclared: typeof declared = real

export function fitsTheFrameworks(kit: typeof declared, handler: declared.RfqHandler): void {
  createServer(kit.toNode(handler))
  new Hono().use(kit.toHono(handler))
  new Hono().mount('/', kit.toFetch(handler))
}
