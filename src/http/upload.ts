/**
 * Reads a form that brings a file: `multipart/form-data`, bounded as a whole before it is held. Fields come as in every
 * other form, each once; the one file is bytes with the name that the browser gave it, which is a hint and nothing more.
 */
import type { Context } from 'hono'
import { AppError } from '../lib/errors.ts'
import { readBody } from './body.ts'
import { type Form, readForm } from './form.ts'

export type UploadedFile = { name: string; bytes: Buffer }

const UPLOAD_TYPE = 'multipart/form-data'
/** Beside the file: the other fields, and what stands between the parts. */
const ROOM_FOR_FIELDS = 64 * 1024

/** `file` is null when none was chosen. */
export async function readUpload(
  c: Context,
  { field, maxBytes }: { field: string; maxBytes: number },
): Promise<{ form: Form; file: UploadedFile | null }> {
  const contentType = c.req.header('content-type') ?? ''
  if (contentType.split(';')[0]?.trim().toLowerCase() !== UPLOAD_TYPE)
    throw new AppError('invalid', `the body must be a form with a file (${UPLOAD_TYPE})`)
  const body = await readBody(c, maxBytes + ROOM_FOR_FIELDS)
  const parts = await parse(body, contentType)
  const form: Form = {}
  let file: UploadedFile | null = null
  for (const [name, value] of parts) {
    if (Object.hasOwn(form, name) || (name === field && file))
      throw new AppError('invalid', `${name}: must be given only once`, { field: name })
    if (typeof value === 'string') form[name] = value
    else if (name === field && value.size > 0)
      file = { name: value.name, bytes: Buffer.from(await value.arrayBuffer()) }
  }
  if (file && file.bytes.length > maxBytes)
    throw new AppError('too_large', `the file is over the limit of ${maxBytes} bytes`, {
      code: 'body_too_large',
      field,
      max: maxBytes,
    })
  return { form, file }
}

export type Incoming = { form: Form; file: UploadedFile | null } | { refusal: AppError }

/** A form with or without a file; of one with a file, a refusal is about the file, and is told where it is chosen. */
export async function readIncoming(
  c: Context,
  upload: { field: string; maxBytes: number } | undefined,
): Promise<Incoming> {
  if (!upload) return { form: await readForm(c), file: null }
  try {
    return await readUpload(c, upload)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { kind, message, code, max } = error
    const field = error.field ?? upload.field
    return { refusal: new AppError(kind, message, { ...(code && { code }), field, ...(max && { max }) }) }
  }
}

async function parse(body: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'Content-Type': contentType } }).formData()
  } catch (error) {
    throw new AppError('invalid', 'the upload arrived incomplete; send it again', { cause: error })
  }
}
