/**
 * Pictures made from SVG: each once, however many ask, and kept by what it shows, so that a new price is a new picture
 * and nothing is ever out of date. One or two are made at a time, one core stays free for the pages, and the line is
 * short: whoever walks all products is told to come again, and others get their picture before they stop waiting. The
 * renderer is loaded with the first of them.
 */
import { availableParallelism } from 'node:os'
import { type Prepared, prepare } from '../../http/prepared.ts'
import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/crypto.ts'
import { createLimit } from '../../lib/limit.ts'
import { createFormCache } from '../form-cache.ts'
import { FONT_FAMILY, loadFonts } from './fonts.ts'
import { encodePng } from './palette-png.ts'

export type PreviewMaker = { make(svg: string): Promise<Prepared | null> }

/** About a thousand pictures. */
const MAX_BYTES = 32 * 1024 * 1024
export const AT_ONCE = availableParallelism() > 2 ? 2 : 1
/** A picture takes a tenth of a second: who is last in line waits for a few. */
export const WAITING = 40
const HEADERS = { 'Cache-Control': 'public, max-age=3600' }

export function createPreviewMaker(
  clock: Clock,
  render: (svg: string) => Promise<Buffer> = renderPng,
): PreviewMaker {
  const cache = createFormCache(clock, MAX_BYTES)
  const limited = createLimit({
    ...{ atOnce: AT_ONCE, waiting: WAITING },
    tooMany: 'too many pictures are being made at this moment; please try again',
  })
  return {
    make(svg) {
      return cache.getOrMake(sha256(svg).toString('base64url'), async () => {
        const body = await limited(() => render(svg))
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
