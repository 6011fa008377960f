/**
 * Pictures made from SVG: each once, however many ask, and kept by what it shows, so that a new price is a new picture
 * and nothing is ever out of date. At most two are made at a time; who waits too long for a turn is told so, because a
 * crawler that walks all products must not hold up the pages. The renderer is loaded with the first of them.
 */
import { type Prepared, prepare } from '../../http/prepared.ts'
import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/crypto.ts'
import { createSerialQueue } from '../../lib/serial-queue.ts'
import { createFormCache } from '../form-cache.ts'
import { FONT_FAMILY, loadFonts } from './fonts.ts'
import { encodePng } from './palette-png.ts'

export type PreviewMaker = { make(svg: string): Promise<Prepared | null> }

/** About a thousand pictures. */
const MAX_BYTES = 32 * 1024 * 1024
const LONGEST_WAIT_MS = 15_000
const HEADERS = { 'Cache-Control': 'public, max-age=3600' }

export function createPreviewMaker(
  clock: Clock,
  render: (svg: string) => Promise<Buffer> = renderPng,
): PreviewMaker {
  const cache = createFormCache(clock, MAX_BYTES)
  const queues = [createSerialQueue(LONGEST_WAIT_MS), createSerialQueue(LONGEST_WAIT_MS)]
  let turn = 0
  return {
    make(svg) {
      return cache.getOrMake(sha256(svg).toString('base64url'), async () => {
        const queue = queues[turn++ % queues.length]
        const body = queue ? await queue.run(() => render(svg)) : await render(svg)
        return {
          prepared: prepare({ body, contentType: 'image/png', lastModified: null, headers: HEADERS }),
          dependsOn: [],
        }
      })
    },
  }
}

export async function renderPng(svg: string): Promise<Buffer> {
  const { renderAsync } = await import('@resvg/resvg-js')
  const { regular, semibold } = loadFonts()
  const { width, height, pixels } = await renderAsync(svg, {
    font: {
      loadSystemFonts: false,
      fontFiles: [regular.file, semibold.file],
      defaultFontFamily: FONT_FAMILY,
    },
  })
  return encodePng({ width, height, rgba: pixels })
}
