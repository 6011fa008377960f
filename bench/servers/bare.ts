/** The floor: node:http sending the bytes of a file, with nothing else to do. `bare.ts FILE CONTENT_TYPE` */
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

const [file = '', type = 'application/json'] = process.argv.slice(2)
const body = fs.readFileSync(file)
const server = http.createServer((_, response) => {
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': body.length })
  response.end(body)
})
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
  console.log(`port ${(server.address() as AddressInfo).port}`),
)
process.on('SIGTERM', () => process.exit(0))
