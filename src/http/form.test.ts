import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { AppError } from '../lib/errors.ts'
import { readForm } from './form.ts'

const app = new Hono().post('/', async (c) => c.json(await readForm(c, 100)))
app.onError((error, c) =>
  c.json({ error: error.message, kind: error instanceof AppError ? error.kind : 'fault' }, 400),
)

async function send(body: string, type = 'application/x-www-form-urlencoded') {
  const response = await app.request('/', { method: 'POST', body, headers: { 'content-type': type } })
  return response.text()
}

test('reads fields as they were typed', async () => {
  expect(JSON.parse(await send('a=1&b=x+y%26z&c='))).toEqual({ a: '1', b: 'x y&z', c: '' })
  expect(JSON.parse(await send('a=%C3%A9', 'Application/X-WWW-Form-Urlencoded; charset=UTF-8'))).toEqual({
    a: 'é',
  })
})

test('a field given twice is refused, even with the same value', async () => {
  expect(JSON.parse(await send('a=1&b=2&a=1'))).toEqual({
    error: 'a: can be given only once',
    kind: 'invalid',
  })
})

test('a field cannot pose as part of the object it is put into', async () => {
  expect(await send('__proto__=x&constructor=y')).toBe('{"__proto__":"x","constructor":"y"}')
})

test.each(['application/json', 'multipart/form-data; boundary=x', 'text/plain', ''])(
  'a body of type %j is no form',
  async (type) => {
    expect(JSON.parse(await send('a=1', type || ' ')).kind).toBe('invalid')
  },
)

test('a body over its limit is refused', async () => {
  expect(JSON.parse(await send(`a=${'x'.repeat(100)}`)).kind).toBe('too_large')
})
