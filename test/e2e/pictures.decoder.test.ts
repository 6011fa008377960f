import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { LIMITS } from '../../src/pictures/decoder.limits.ts'
import { createDecoder, type Decoded } from '../../src/pictures/decoder.ts'
import { blankPng, hugeGif, photo, photoWithPlace } from '../pictures.ts'

const decoder = createDecoder()
afterAll(() => decoder.stop())

function pictureIn(decoded: Decoded) {
  if ('refused' in decoded) throw new Error(`refused: ${decoded.refused}`)
  return decoded.picture
}

test('every raster format comes out as WebP of at most 1600 pixels, with smaller ones', async () => {
  const large = photo({ width: 1800, height: 900 })
  const inputs = [large.jpeg(), large.png(), large.webp(), large.gif(), large.avif({ effort: 0 })]
  for (const input of inputs) {
    const picture = pictureIn(await decoder.decode(await input.toBuffer()))
    expect(picture).toMatchObject({ width: 1600, height: 800 })
    expect(picture.thumbnails.map(({ width }) => width)).toEqual([320, 640])
    for (const bytes of [picture.full, ...picture.thumbnails.map((thumbnail) => thumbnail.bytes)]) {
      const { format, width, height } = await sharp(bytes).metadata()
      expect(format).toBe('webp')
      expect(width).toBe(height * 2)
    }
  }
}, 60_000)

test('a small picture stays as large as it is, and keeps what is transparent', async () => {
  const transparent = { r: 0, g: 0, b: 0, alpha: 0 }
  const icon = sharp({ create: { width: 90, height: 60, channels: 4, background: transparent } })
  const picture = pictureIn(await decoder.decode(await icon.png().toBuffer()))
  expect(picture).toMatchObject({ width: 90, height: 60, thumbnails: [] })
  const { channels } = await sharp(picture.full).stats()
  expect(channels[3]?.max).toBe(0)
})

test('places, names and profiles do not come through, and the picture stands upright', async () => {
  const input = await photoWithPlace()
  expect((await sharp(input).metadata()).exif).toBeDefined()
  const picture = pictureIn(await decoder.decode(input))
  expect(picture).toMatchObject({ width: 400, height: 800 })
  for (const bytes of [picture.full, ...picture.thumbnails.map((thumbnail) => thumbnail.bytes)]) {
    const { exif, icc, xmp, iptc, orientation } = await sharp(bytes).metadata()
    expect({ exif, icc, xmp, iptc, orientation }).toEqual({})
    expect(Buffer.from(bytes).includes('Private')).toBe(false)
  }
})

test('what stands behind a picture in the same file is gone', async () => {
  const jpeg = await photo({ width: 64, height: 64 }).jpeg().toBuffer()
  const page = Buffer.from('<html><script>alert(document.domain)</script></html>')
  const zip = Buffer.from('504b0304140000000000', 'hex')
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, page.length + 2]), page])
  for (const polyglot of [
    Buffer.concat([jpeg, page]),
    Buffer.concat([jpeg, zip, page]),
    Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]),
  ]) {
    const { full } = pictureIn(await decoder.decode(polyglot))
    expect(Buffer.from(full).includes('script')).toBe(false)
    expect(Buffer.from(full).includes('PK\x03\x04')).toBe(false)
  }
})

test('of an animation, the first frame is taken', async () => {
  const frames = await Promise.all([1, 2, 3].map((seed) => photo({ width: 40, height: 30 }, seed).toBuffer()))
  const raw = { width: 40, height: 30 * 3, channels: 3, pageHeight: 30 } as const
  const animated = sharp(Buffer.concat(frames), { raw })
  for (const input of [animated.clone().webp({ loop: 0 }), animated.clone().gif()]) {
    const bytes = await input.toBuffer()
    expect((await sharp(bytes, { animated: true }).metadata()).pages).toBe(3)
    expect(pictureIn(await decoder.decode(bytes))).toMatchObject({ width: 40, height: 30 })
  }
})

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

test.each<[string, string | Buffer, string]>([
  ['nothing', '', 'empty'],
  ['a page', '<!doctype html><html><body><script>alert(1)</script></body></html>', 'not_a_picture'],
  ['a page in the clothes of a GIF', 'GIF88a<html><script>alert(1)</script>', 'not_a_picture'],
  ['an SVG', SVG, 'svg'],
  ['an SVG with a prolog', `<?xml version="1.0"?>\n<!-- logo -->\n<!DOCTYPE svg>${SVG}`, 'svg'],
  ['an SVG with a prefix', SVG.replaceAll('svg ', 's:svg ').replace('</svg', '</s:svg'), 'svg'],
  ['an SVG in UTF-16', Buffer.from(`\ufeff${SVG}`, 'utf16le'), 'svg'],
  ['an SVG that begins like a JPEG', Buffer.from(`\xff\xd8\xff${SVG}`, 'latin1'), 'broken'],
  ['a packed SVG', gzipSync(SVG), 'not_a_picture'],
  ['a PDF', '%PDF-1.4\n1 0 obj', 'not_a_picture'],
  ['a TIFF', Buffer.from('49492a0008000000', 'hex'), 'not_a_picture'],
  ['a BMP', Buffer.from('424d460000000000', 'hex'), 'not_a_picture'],
  ['a HEIC', Buffer.from('0000001866747970686569630000000068656963', 'hex').subarray(0, 20), 'not_a_picture'],
  ['too many bytes', Buffer.alloc(LIMITS.bytes + 1, 0xff), 'too_large'],
])('%s is refused', async (_what, bytes, refused) => {
  expect(await decoder.decode(Buffer.from(bytes as Buffer))).toEqual({ refused })
})

/** While the work runs: how often a timer of this thread ticked, and how large the decoding process grew. */
async function watching<T>(work: Promise<T>): Promise<{ result: T; ticks: number; rssBytes: number }> {
  let done = false
  let [ticks, rssBytes] = [0, 0]
  const watch = (async () => {
    while (!done) {
      await sleep(10)
      ticks++
      rssBytes = Math.max(rssBytes, residentOf(decoder.pid()))
    }
  })()
  try {
    return { result: await work, ticks, rssBytes }
  } finally {
    done = true
    await watch
  }
}

function residentOf(pid: number | null): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

test.each<[string, Buffer]>([
  ['30000 × 30000 in a few kilobytes', blankPng({ width: 30_000, height: 30_000 }, 3_000)],
  ['100 megapixels', blankPng({ width: 10_000, height: 10_000 })],
  ['a head alone', blankPng({ width: 0x7fffffff, height: 0x7fffffff }, 0)],
  ['an animation of huge frames', hugeGif({ width: 65_535, height: 65_535, frames: 1_000 })],
])('%s is refused before it is decoded', async (_what, bytes) => {
  const { result, rssBytes } = await watching(decoder.decode(bytes))
  expect('refused' in result && ['too_many_pixels', 'broken']).toContain(
    'refused' in result && result.refused,
  )
  expect(rssBytes).toBeLessThan(250 * 1024 ** 2)
})

test('the most expensive picture that is allowed stays within the memory, and the thread free', async () => {
  const expensive = blankPng({ width: 8_000, height: 5_000, depth: 16, colour: 6, interlaced: true })
  const { result, ticks, rssBytes } = await watching(decoder.decode(expensive))
  expect(result).toMatchObject({ picture: { width: 1600, height: 1000 } })
  expect(rssBytes).toBeLessThan(LIMITS.memoryBytes)
  expect(ticks).toBeGreaterThan(20)
}, 60_000)

test('what takes too long is ended, and the next picture is decoded', async () => {
  const hasty = createDecoder({ decodeMs: 1 })
  const bytes = await photo().jpeg().toBuffer()
  expect(await hasty.decode(bytes)).toEqual({ refused: 'too_slow' })
  expect(hasty.pid()).toBeNull()
  hasty.stop()
  expect(pictureIn(await decoder.decode(bytes)).width).toBe(1200)
})

test('of a process that is ended from outside, the next picture knows nothing', async () => {
  const bytes = await photo({ width: 50, height: 50 }).png().toBuffer()
  await decoder.decode(bytes)
  const pid = decoder.pid()
  if (pid === null) throw new Error('there is no process')
  process.kill(pid, 'SIGKILL')
  const decoded = await Promise.all([decoder.decode(bytes), decoder.decode(bytes)])
  expect(pictureIn(decoded[1])).toMatchObject({ width: 50 })
})

test('200 pictures cut, flipped and made up: each is decoded or refused, and the process lives', async () => {
  const small = photo({ width: 96, height: 64 })
  const whole = await Promise.all([
    small.clone().jpeg().toBuffer(),
    small.clone().jpeg({ progressive: true }).toBuffer(),
    small.clone().png().toBuffer(),
    small.clone().webp().toBuffer(),
    small.clone().gif().toBuffer(),
    small.clone().avif({ effort: 0 }).toBuffer(),
  ])
  let state = 42
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
  const outcomes = new Map<string, number>()
  for (let round = 0; round < 200; round++) {
    const bytes = Buffer.from(whole[round % whole.length] ?? Buffer.alloc(0))
    const way = random(3)
    if (way === 0)
      for (let flips = 0; flips < 1 + random(20); flips++) bytes[random(bytes.length)] = random(256)
    if (way === 1) for (let at = 12; at < bytes.length; at++) bytes[at] = random(256)
    const decoded = await decoder.decode(way === 2 ? bytes.subarray(0, random(bytes.length)) : bytes)
    const outcome = 'refused' in decoded ? decoded.refused : 'decoded'
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  expect([...outcomes.keys()].every((outcome) => !/memory|slow/.test(outcome))).toBe(true)
  expect(outcomes.get('broken')).toBeGreaterThan(50)
  expect(residentOf(decoder.pid())).toBeLessThan(400 * 1024 ** 2)
})

test('a cut picture is refused rather than shown half', async () => {
  for (const format of ['jpeg', 'png', 'webp'] as const) {
    const bytes = await photo().toFormat(format).toBuffer()
    expect(await decoder.decode(bytes.subarray(0, bytes.length / 2))).toEqual({ refused: 'broken' })
  }
})

test('who waits too long in the line is sent away', async () => {
  const narrow = createDecoder({ waiting: 2 })
  const bytes = await photo({ width: 30, height: 30 }).png().toBuffer()
  const first = [narrow.decode(bytes), narrow.decode(bytes)]
  await expect(narrow.decode(bytes)).rejects.toMatchObject({ kind: 'unavailable' })
  await Promise.all(first)
  narrow.stop()
})
