/**
 * A product's photo, or the category's drawing in the brand's colors if it has no https photo (the content security
 * policy blocks others). Width and height are fixed so that the layout does not shift.
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

/** `decorative` empties the drawing's alt text, for use beside the product's name. */
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
