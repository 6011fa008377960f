/** The stylesheet and the script of all pages, read once, served under names that change with the content. */
import fs from 'node:fs'
import { type Prepared, prepare } from '../http/prepared.ts'
import { sha256 } from '../lib/crypto.ts'
import { projectFile } from '../lib/paths.ts'
import { writeClientScript } from './client/script.ts'

export type Assets = {
  stylesheet: string
  script: string
  get(file: string): Prepared | null
}

/** One file for all pages, put together in this order: a second request would cost more than a few kilobytes. */
const STYLES = [
  'base',
  'frame',
  'forms',
  'lists',
  'home',
  'product',
  'plan',
  'search',
  'compare',
  'quotes',
  'account',
  'connect',
  'docs',
  'guides',
  'print',
]

export function loadAssets(): Assets {
  const files = new Map<string, Prepared>()
  const add = (body: Buffer, extension: string, contentType: string) => {
    const name = `souk-${sha256(body).toString('hex').slice(0, 12)}.${extension}`
    files.set(name, immutable(body, contentType))
    return `/assets/${name}`
  }
  const css = Buffer.concat(
    STYLES.map((file) => fs.readFileSync(projectFile('src', 'web', 'styles', `${file}.css`))),
  )
  return {
    stylesheet: add(css, 'css', 'text/css; charset=utf-8'),
    script: add(Buffer.from(writeClientScript()), 'js', 'text/javascript; charset=utf-8'),
    get: (file) => files.get(file) ?? null,
  }
}

function immutable(body: Buffer, contentType: string): Prepared {
  const headers = { 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' }
  return prepare({ body, contentType, lastModified: new Date('2026-11-01T00:00:00Z'), headers })
}
