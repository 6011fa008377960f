/**
 * A product's photo: our copy of it, or the original if that is https (the content security policy blocks others), or the
 * category's drawing in the brand's colors. Width and height are fixed so that the layout does not shift.
 */
import type { ProductImage } from '../../catalog/catalog.schema.ts'
import { copyOf, type ProductProfile, pictureAlt, picturePath } from '../../catalog/profile.ts'
import { copyPath, srcsetOf } from '../../pictures/picture.address.ts'
import { webUrl } from '../safe.ts'

/** What an `img` shows. */
type Photo = { src: string; srcset?: string; alt: string }

/** Null for an image that a page cannot show. */
export function photoOf(
  profile: Pick<ProductProfile, 'copies' | 'title'>,
  { url, alt }: ProductImage,
): Photo | null {
  const copy = copyOf(profile, url)
  const said = alt ?? profile.title
  if (copy) return { src: copyPath(copy.hash, copy.widths.at(-1)), srcset: srcsetOf(copy), alt: said }
  const address = webUrl(url)
  return address?.startsWith('https:') ? { src: address, alt: said } : null
}

export function ownPhoto(profile: ProductProfile): Photo | null {
  for (const image of profile.images) {
    const photo = photoOf(profile, image)
    if (photo) return photo
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
      src={photo.src}
      srcset={photo.srcset}
      sizes={photo.srcset && (lazy ? '320px' : '(max-width: 40rem) 100vw, 640px')}
      alt={photo.alt}
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
