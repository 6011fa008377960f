import { expect, test } from 'vitest'
import { toUri } from './product.ts'

test.each([
  ['https://shop.example/a b', 'https://shop.example/a%20b'],
  ['https://shop.example/a|b[1]?q={x}^y', 'https://shop.example/a%7Cb%5B1%5D?q=%7Bx%7D%5Ey'],
  ['https://shop.example/100%', 'https://shop.example/100%25'],
  ['https://shop.example/%C3%A9#a#b', 'https://shop.example/%C3%A9#a%23b'],
  ['http://shop.example:8080/x.jpg', 'http://shop.example:8080/x.jpg'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
])('%s is written as the standard wants it', (given, written) => {
  expect(toUri(given)).toBe(written)
  expect(toUri(written)).toBe(written)
})

test.each([['javascript:alert(1)'], ['data:image/png;base64,AA=='], ['//shop.example/x'], ['']])(
  '%s is no address of the web',
  (given) => {
    expect(toUri(given)).toBeNull()
  },
)
