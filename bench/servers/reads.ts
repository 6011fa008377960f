/**
 * A product read as one would write it with the usual frameworks: `reads.ts fastify|express FILE object|bytes`. Products are
 * in memory; `object` lets the framework write the JSON, `bytes` sends what was written before, as the floor does, and
 * logs nothing. Both are set up as their documentation says for production; Express has no log of its own.
 */
import fs from 'node:fs'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'

const TYPE = 'application/ld+json'
const [framework, file = '', form] = process.argv.slice(2)
const text = fs.readFileSync(file, 'utf8')
const products = new Map<string, unknown>([
  ['tents/tarnhollow-skein-2', form === 'bytes' ? text : JSON.parse(text)],
])

const told = (address: AddressInfo | string | null | undefined) =>
  console.log(`port ${(address as AddressInfo).port}`)

if (framework === 'fastify') {
  const app = fastify({ logger: form === 'object' })
  app.get<{ Params: { category: string; slug: string } }>('/p/:category/:slug', (request, reply) => {
    const product = products.get(`${request.params.category}/${request.params.slug}`)
    if (product === undefined) return reply.code(404).send({ error: 'not found' })
    return reply.type(TYPE).send(product)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  told(app.server.address())
} else {
  process.env.NODE_ENV = 'production'
  const app = express()
  app.get('/p/:category/:slug', (request, response) => {
    const product = products.get(`${request.params.category}/${request.params.slug}`)
    if (product === undefined) response.status(404).json({ error: 'not found' })
    else if (form === 'bytes') response.type(TYPE).send(product)
    else response.type(TYPE).json(product)
  })
  const server = app.listen(0, '127.0.0.1', () => told(server.address()))
}
process.on('SIGTERM', () => process.exit(0))
