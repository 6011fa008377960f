/** Pictures made byte by byte, good and hostile, for tests. */
import { deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'

const CRC = Uint32Array.from({ length: 256 }, (_, at) => {
  let crc = at
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1
  return crc
})

function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (CRC[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  crc.writeUInt32BE(crcOf(body))
  return Buffer.concat([length, body, crc])
}

type Png = { width: number; height: number; depth?: 1 | 8 | 16; colour?: 0 | 2 | 6; interlaced?: boolean }

/** All zeros: it deflates to next to nothing, whatever its size. `rows` fewer than its height leave it incomplete. */
export function blankPng(
  { width, height, depth = 1, colour = 0, interlaced = false }: Png,
  rows = height,
): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([depth, colour, 0, 0, interlaced ? 1 : 0], 8)
  const channels = { 0: 1, 2: 3, 6: 4 }[colour]
  const row = 1 + Math.ceil((width * depth * channels) / 8)
  // An interlaced picture has some more bytes of filters and padding; surplus zeros are passed over.
  const size = Math.ceil(row * rows * (interlaced ? 1.2 : 1))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc(size), { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A GIF whose screen and frames claim to be huge, with `frames` frames of next to no data. */
export function hugeGif({
  width,
  height,
  frames,
}: {
  width: number
  height: number
  frames: number
}): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt16LE(width, 0)
  size.writeUInt16LE(height, 2)
  const head = [Buffer.from('GIF89a', 'latin1'), size, Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255])]
  const frame = [Buffer.from([0x2c, 0, 0, 0, 0]), size, Buffer.from([0, 2, 2, 0x4c, 0x01, 0])]
  return Buffer.concat([...head, ...Array.from({ length: frames }, () => frame).flat(), Buffer.from([0x3b])])
}

/** A photo as a camera makes it: some colours, by default a JPEG. */
export function photo(
  { width = 1200, height = 900 }: { width?: number; height?: number } = {},
  seed = 1,
): Sharp {
  const data = Buffer.alloc(width * height * 3)
  for (let at = 0; at < data.length; at += 3) {
    const [x, y] = [(at / 3) % width, Math.floor(at / 3 / width)]
    data[at] = (x * seed) % 256
    data[at + 1] = (y * 2) % 256
    data[at + 2] = (x + y) % 256
  }
  return sharp(data, { raw: { width, height, channels: 3 } })
}

/** With where it was taken, by whom, and a sideways orientation. */
export function photoWithPlace(): Promise<Buffer> {
  return photo({ width: 800, height: 400 })
    .jpeg()
    .withExif({
      IFD0: { Copyright: 'Somebody Private', Make: 'SecretCam' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 51/1 29/1' },
    })
    .withMetadata({ orientation: 6 })
    .toBuffer()
}
