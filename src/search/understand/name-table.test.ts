import { expect, test } from 'vitest'
import { createNameTable } from './names.ts'

test('spaces, punctuation, case and accents make no difference', () => {
  const names = createNameTable(['Café Brûlot', 'SKN-24'])
  expect(names.get('cafebrulot')).toBe('Café Brûlot')
  expect(names.get('skn24')).toBe('SKN-24')
  expect(names.get('skn')).toBeUndefined()
})

test('a name is known as long as one product has it, however each writes it', () => {
  const names = createNameTable()
  names.add('SKN-24')
  names.add('skn 24')
  names.drop('SKN-24')
  expect(names.get('skn24')).toBe('skn 24')
  names.drop('skn 24')
  expect(names.get('skn24')).toBeUndefined()
  names.drop('skn 24')
  names.add('SKN-24')
  expect(names.get('skn24')).toBe('SKN-24')
})
