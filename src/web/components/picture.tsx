/**
 * A product's picture: its own photo where there is one the content security policy lets through (https only), else
 * the category's drawing in the brand's colours. Width and height are always given, so nothing jumps on arrival.
 */
import type { ProductImage } from '../../catalog/catalog.schema.ts'
import { type ProductProfile, pictureAlt, picturePath } from '../../catalog/profile.ts'
import { webUrl } from '../safe.ts'

export function ownPhoto(profile: ProductProfile): ProductImage | null {
  for (const { url, alt } of profile.images) {
    const address = webUrl(url)
    if (address?.startsWith('https:')) return { url: address, alt }
  }
  return null
}

type PictureProps = { profile: ProductProfile; lazy?: boolean; decorative?: boolean }

/** `decorative` is for a drawing next to the product's name: hearing the name twice helps nobody. */
export function Picture({ profile, lazy = false, decorative = false }: PictureProps) {
  const photo = ownPhoto(profile)
  const loading = lazy ? 'lazy' : 'eager'
  return photo ? (
    <img
      class="picture photo"
      src={photo.url}
      alt={photo.alt ?? profile.title}
      width={640}
      height={480}
      loading={loading}
      referrerpolicy="no-referrer"
    />
  ) : (
    <img
      class="picture drawing"
      src={picturePath(profile)}
      alt={decorative ? '' : pictureAlt(profile)}
      width={320}
      height={240}
      loading={loading}
    />
  )
}
