/** The texts a product is embedded by. Their order is the order of importance: the model reads the first hundred words. */
import type { ProductProfile } from '../catalog/profile.ts'
import { sha256 } from '../lib/crypto.ts'

export function fullText(profile: ProductProfile): string {
  const { title, brand, category, description, verdict, specs, bestFor } = profile
  return [
    title,
    brand && !title.includes(brand.name) ? brand.name : '',
    category.label,
    description ?? '',
    bestFor.length > 0 ? `Best for ${bestFor.join(', ')}.` : '',
    specs.map(({ name, value }) => `${name}: ${value}`).join('. '),
    verdict ?? '',
  ]
    .filter(Boolean)
    .join('. ')
}

/** What a product is and who it is for, undiluted by details. */
export function shortText({ title, category, bestFor }: ProductProfile): string {
  return [title, category.label, bestFor.join(', ')].filter(Boolean).join('. ')
}

export function textHash(profile: ProductProfile): Buffer {
  return sha256(`${fullText(profile)}\0${shortText(profile)}`).subarray(0, 16)
}
