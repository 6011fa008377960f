/** The stylesheet (and later the client script), read once, served under a name that changes with the content. */
import fs from 'node:fs'
import { type Prepared, prepare } from '../http/prepared.ts'
import { sha256 } from '../lib/crypto.ts'
import { projectFile } from '../lib/paths.ts'

export type Assets = {
  stylesheet: string
  get(file: string): Prepared | null
}

/** One file for all pages, put together in this order: a second request would cost more than a few kilobytes. */
const STYLES = ['souk.css', 'account.css']

export function loadAssets(): Assets {
  const css = Buffer.concat(STYLES.map((file) => fs.readFileSync(projectFile('src', 'web', 'styles', file))))
  const name = `souk-${sha256(css).toString('hex').slice(0, 12)}.css`
  const files = new Map([[name, immutable(css, 'text/css; charset=utf-8')]])
  return { stylesheet: `/assets/${name}`, get: (file) => files.get(file) ?? null }
}

function immutable(body: Buffer, contentType: string): Prepared {
  const headers = { 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' }
  return prepare({ body, contentType, lastModified: new Date('2026-11-01T00:00:00Z'), headers })
}
