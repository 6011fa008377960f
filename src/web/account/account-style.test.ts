import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { projectFile } from '../../lib/paths.ts'
import { loadAssets } from '../assets.ts'

const css = readFileSync(projectFile('src', 'web', 'styles', 'account.css'), 'utf8')

test('the forms cost every page less than 4 KB, fetch nothing, and take their colours from the palette', () => {
  expect(Buffer.byteLength(css)).toBeLessThan(4 * 1024)
  expect(css).not.toMatch(/url\(|@import|#[0-9a-f]{3,8}\b|\brgb/)
})

test('one stylesheet holds all of it', () => {
  const assets = loadAssets()
  const body = assets
    .get(assets.stylesheet.replace('/assets/', ''))
    ?.variants.get('identity')
    ?.body.toString()
  expect(body).toContain('.site-header')
  expect(body).toContain('.error-summary')
})
