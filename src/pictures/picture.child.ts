/**
 * Decodes one picture after the other in a process of its own (see decoder.ts) and answers with the same picture encoded
 * anew: what is not a pixel does not come through, such as places, names, comments, profiles, or a second file behind the
 * first. It has no secrets: its environment is empty, and it opens no file and no connection.
 */
import fs from 'node:fs'
import os from 'node:os'
import sharp from 'sharp'
import { LIMITS, type PictureMessage, type PictureReply, THUMBNAIL_WIDTHS } from './decoder.limits.ts'

/** What libvips may read with. Everything else it knows (SVG, PDF, TIFF, files of its own) stays shut, whatever the bytes say. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif']
const WEBP = { quality: 82, effort: 4 } as const

sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: LOADERS.map((name) => `VipsForeignLoad${name}Buffer`) })
// Nothing is kept from one picture to the next, and one thread decodes: each has buffers of its own.
sharp.cache(false)
sharp.concurrency(1)

if (process.platform === 'linux') {
  os.setPriority(0, 10)
  // When the machine runs out of memory, the system ends this process and not the server.
  try {
    fs.writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {}
}

// Decoding runs beside this thread, which stays free to look. Memory outside of the heap is what counts here.
setInterval(() => {
  if (process.memoryUsage.rss() > LIMITS.memoryBytes) process.exit(LIMITS.memoryExit)
}, 20).unref()

process.on('disconnect', () => process.exit(0))
process.on('message', (message: PictureMessage) => {
  reencode(message.bytes).then(
    (reply) => say({ ...reply, rssBytes: process.memoryUsage.rss() }),
    (error: unknown) => say({ refused: reasonOf(error), rssBytes: process.memoryUsage.rss() }),
  )
})

function say(reply: PictureReply): void {
  process.send?.(reply, undefined, {}, () => {})
}

async function reencode(
  bytes: Uint8Array,
): Promise<Omit<Extract<PictureReply, { full: Uint8Array }>, 'rssBytes'>> {
  const limits = { limitInputPixels: LIMITS.pixels, failOn: 'error', pages: 1, page: 0 } as const
  // The head alone: how large it says to be is judged before a pixel is decoded.
  const { width, height } = await sharp(bytes, { ...limits, limitInputPixels: false }).metadata()
  if (width * height > LIMITS.pixels) throw new Error('exceeds pixel limit')
  const { data, info } = await sharp(bytes, limits)
    .autoOrient()
    .resize({ width: LIMITS.longSide, height: LIMITS.longSide, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const raw = { width: info.width, height: info.height, channels: info.channels }
  const full = await sharp(data, { raw }).webp(WEBP).toBuffer()
  const thumbnails: Array<{ width: number; bytes: Uint8Array }> = []
  for (const wide of THUMBNAIL_WIDTHS.filter((wide) => wide < info.width))
    thumbnails.push({
      width: wide,
      bytes: await sharp(data, { raw }).resize({ width: wide }).webp(WEBP).toBuffer(),
    })
  return { full, thumbnails, width: info.width, height: info.height }
}

function reasonOf(error: unknown): 'too_many_pixels' | 'broken' {
  return /pixel limit/i.test(error instanceof Error ? error.message : '') ? 'too_many_pixels' : 'broken'
}
