import { expect, test } from 'vitest'
import { AppError } from './errors.ts'

test('what an error repeats of a request is text that every reader takes', () => {
  const { message, field } = new AppError('not_found', 'there is no product lamp\ud83d', { field: 'a\udc00' })
  expect({ message, field }).toEqual({ message: 'there is no product lamp\ufffd', field: 'a\ufffd' })
})
