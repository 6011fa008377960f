/** Uploads as browsers send them, and as they should not: what is read, what is refused, what is left behind. */
import { readdirSync } from 'node:fs'
import os from 'node:os'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { letGo, readIncoming, type UploadedFile } from './upload.ts'

const MAX = 100_000
const app = new Hono()
let kept: UploadedFile | null = null
app.post('/', async (c) => {
  const incoming = await readIncoming(c, { field: 'file', maxBytes: MAX })
  if ('refusal' in incoming) {
    const { kind, field, message } = incoming.refusal
    return c.json({ kind, field, message })
  }
  const { form, file } = incoming
  const pieces: Uint8Array[] = []
  if (file) for await (const piece of file.pieces()) pieces.push(piece)
  const again = file ? await file.bytes() : Buffer.alloc(0)
  const same = Buffer.concat(pieces).equals(again)
  await letGo(file)
  kept = file
  return c.json({
    form,
    file: file && { name: file.name, size: file.size, text: String(again).slice(0, 20), same },
  })
})

async function send(form: FormData): Promise<Record<string, unknown>> {
  const answer = await app.request('/', { method: 'POST', body: form })
  return (await answer.json()) as Record<string, unknown>
}
const formWith = (bytes: string | Uint8Array<ArrayBuffer>, name = 'products.csv') => {
  const form = new FormData()
  form.set('step', 'check')
  form.set('file', new File([bytes], name))
  return form
}
const spooled = () => readdirSync(os.tmpdir()).filter((name) => name.startsWith('souk-upload-'))

test('fields and the file are read, the file repeatedly, and nothing is left in a folder', async () => {
  expect(await send(formWith('title,price\nKettle,40', 'Küche neu.csv'))).toEqual({
    form: { step: 'check' },
    file: { name: 'Küche neu.csv', size: 21, text: 'title,price\nKettle,4', same: true },
  })
  expect(spooled()).toEqual([])
  await expect(kept?.bytes()).rejects.toThrow()
})

test('every byte of a large file arrives, whatever they are', async () => {
  const bytes = Uint8Array.from({ length: MAX }, (_, at) => (at * 7) % 256)
  expect(await send(formWith(bytes))).toMatchObject({ file: { size: MAX, same: true } })
})

test('a form without a chosen file has none', async () => {
  const form = new FormData()
  form.set('step', 'check')
  expect(await send(form)).toEqual({ form: { step: 'check' }, file: null })
  expect(await send(formWith('', ''))).toEqual({ form: { step: 'check' }, file: null })
})

test('one byte too many is refused at its field, and so is a body that goes on and on', async () => {
  const refusal = { kind: 'too_large', field: 'file' }
  expect(await send(formWith('x'.repeat(MAX + 1)))).toMatchObject(refusal)
  let sent = 0
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 65_536
      if (sent === 65_536)
        controller.enqueue(
          Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'),
        )
      controller.enqueue(new Uint8Array(65_536))
    },
  })
  const init = { method: 'POST', body: endless, duplex: 'half' as const }
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  expect(await (await app.request('/', { ...init, headers })).json()).toMatchObject(refusal)
  expect(sent).toBeLessThan(10 * MAX)
  expect(spooled()).toEqual([])
})

test('a field or a file that comes twice is refused rather than resolved', async () => {
  const form = formWith('a')
  form.append('step', 'import')
  expect(await send(form)).toMatchObject({ kind: 'invalid', field: 'step' })
  const two = formWith('a')
  two.append('file', new File(['b'], 'b.csv'))
  expect(await send(two)).toMatchObject({ kind: 'invalid', field: 'file' })
})

test.each([
  [
    'is cut off',
    'multipart/form-data; boundary=b',
    '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
  ],
  ['has no boundary', 'multipart/form-data', 'abc'],
  ['has an empty boundary', 'multipart/form-data; boundary=', '--\r\n\r\nabc\r\n----\r\n'],
  ['has an empty boundary in quotes', 'multipart/form-data; boundary=""; x=y', '--\r\n\r\nabc\r\n----\r\n'],
  ['is no upload', 'application/json', '{}'],
])('a body that %s is refused in words', async (_, contentType, body) => {
  const answer = await app.request('/', { method: 'POST', body, headers: { 'content-type': contentType } })
  expect(await answer.json()).toMatchObject({ kind: 'invalid', field: 'file', message: expect.any(String) })
  expect(spooled()).toEqual([])
})

test('a part whose head has no end is refused once all has come, and never waited for', async () => {
  const strict = new Hono()
  strict.post('/', async (c) => {
    const incoming = await readIncoming(c, { field: 'file', maxBytes: MAX, stillMs: 50 })
    return c.json('refusal' in incoming ? incoming.refusal.message : 'taken')
  })
  const part = (head: string, text: string) => `--b\r\nContent-Disposition: form-data; ${head}${text}\r\n`
  const file = part('name="file"; filename="a.csv"\r\n\r\n', 'title\nKettle')
  const endless = part('name="step"\r\n,\n', 'check')
  for (const parts of [[endless, file], [file, endless], [endless]]) {
    const answer = await strict.request('/', {
      method: 'POST',
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
      body: `${parts.join('')}--b--\r\n`,
    })
    expect(await answer.json()).toBe('the upload is incomplete; upload the file again')
  }
  expect(spooled()).toEqual([])
})

test('a store takes the pieces as they come, keeps what is kept, and is rid of what is refused', async () => {
  const stores: Array<{ bytes: number; ended: boolean; discarded: boolean }> = []
  const stored = new Hono()
  stored.post('/', async (c) => {
    const incoming = await readIncoming(c, {
      field: 'file',
      maxBytes: MAX,
      store: async () => {
        const seen = { bytes: 0, ended: false, discarded: false }
        stores.push(seen)
        return {
          id: `store-${stores.length}`,
          write: async ({ length }) => {
            seen.bytes += length
          },
          end: async () => {
            seen.ended = true
          },
          pieces: async function* () {},
          discard: async () => {
            seen.discarded = true
          },
        }
      },
    })
    if ('refusal' in incoming) return c.json({ kind: incoming.refusal.kind })
    if (c.req.query('keep')) incoming.file?.keep()
    await letGo(incoming.file)
    return c.json({ storedAs: incoming.file?.storedAs })
  })
  const post = async (path: string, size: number) =>
    (await stored.request(path, { method: 'POST', body: formWith(new Uint8Array(size)) })).json()
  expect(await post('/?keep=1', 1_000)).toEqual({ storedAs: 'store-1' })
  expect(await post('/', 1_000)).toEqual({ storedAs: 'store-2' })
  expect(await post('/', MAX + 1)).toEqual({ kind: 'too_large' })
  expect(stores).toEqual([
    { bytes: 1_000, ended: true, discarded: false },
    { bytes: 1_000, ended: true, discarded: true },
    { bytes: MAX, ended: true, discarded: true },
  ])
})
