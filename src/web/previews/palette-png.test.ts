/** A picture with a palette, read back byte by byte. */
import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { encodePng } from './palette-png.ts'

test('a palette keeps every colour up to 256 of them exactly, and the nearest look past that', async () => {
  const [width, height] = [40, 20]
  for (const colours of [256, 700]) {
    const rgba = Buffer.alloc(width * height * 4, 255)
    for (let at = 0; at < width * height; at++) {
      rgba[at * 4] = (at % colours) & 255
      rgba[at * 4 + 1] = (at % colours) >> 8
    }
    const png = await encodePng({ width, height, rgba })
    const chunks = new Map<string, Buffer>()
    for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
      chunks.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
    const palette = chunks.get('PLTE') ?? Buffer.alloc(0)
    const rows = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0))
    expect(rows.length).toBe(height * (width + 1))
    let furthest = 0
    for (let at = 0; at < width * height; at++) {
      const index = rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] ?? 0
      for (const channel of [0, 1, 2])
        furthest = Math.max(
          furthest,
          Math.abs((palette[index * 3 + channel] ?? -999) - (rgba[at * 4 + channel] ?? 0)),
        )
    }
    if (colours === 256) expect(furthest).toBe(0)
    else expect(furthest).toBeLessThan(3)
  }
})
