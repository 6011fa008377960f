/**
 * What is wrong with a row, said to somebody who looks at a sheet and not at JSON; and the example that they may start
 * from, with a category that this catalog has, so that it can be tried as it is.
 */
import { shorten } from '../lib/text.ts'
import type { DraftRow, DraftSource } from './import-drafts.schema.ts'

/** A name or cell of somebody's file in one line, with what looks like markup in it: they look for what they wrote. */
export function asWritten(text: string, max: number): string {
  return shorten(text.replaceAll(/[\s\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim(), max)
}

const CELL_FIXES: Record<string, string> = {
  price: 'write 49.99, or 49 - 59 for a range, in US dollars',
  specs: 'write Weight: 2 kg | Color: red, or give each spec a column',
  themes: 'leave it out, or write the JSON that the documentation describes',
  images: 'give full addresses, with a | between several',
  where_to_buy: 'give full addresses, with a | between several',
}

/** The words of a problem follow the name of its field, unless they are a sentence of their own. */
export function problemOf({ field, problem }: Pick<DraftRow, 'field' | 'problem'>): string {
  return problem?.startsWith('there is ') ? problem : `${field ?? 'the row'} ${problem ?? ''}`.trim()
}

/** The contract's own advice is about JSON, and about tools. */
export function fixFor({ field, fix }: Pick<DraftRow, 'field' | 'fix'>, source: DraftSource): string {
  if (fix === null) return ''
  if (fix.startsWith('list_categories')) return 'use one of the categories that this catalog has'
  const about = field?.split('.')[0] ?? ''
  return source !== 'jsonl' && /^write [[{]/.test(fix) ? (CELL_FIXES[about] ?? fix) : fix
}

const HEADER =
  'title,category,brand,model,price,list_price,gtin,mpn,sku,description,images,where_to_buy,best_for,spec:Weight,spec:Color'

export function sampleCsv(category: string): string {
  const rows = [
    `Example One,${category},Your Brand,One,49.99,59.99,4012345678901,YB-1,SKU-1,"Two sentences about it, as people read them.",https://shop.example/one-front.jpg | https://shop.example/one-back.jpg,https://shop.example/one,small rooms | beginners,1.2 kg,red`,
    `Example Two,${category},Your Brand,Two,79 - 99,,,YB-2,SKU-2,,,https://shop.example/two,,2 kg,`,
  ]
  return [HEADER, ...rows, ''].join('\r\n')
}
