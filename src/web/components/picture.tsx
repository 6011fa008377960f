/**
 * A product's photo: our copy of it, or the original if that is https (the content security policy blocks others), or else
 * the drawing of its kind. A photo that went before we asked its host again leaves a box, which the
 * script fills with the drawing; without scripts the stylesheet says that there is none. Width and height are fixed so that the layout does not shift. On a page of one product, each
 * photo is a link to its full size, which a browser shows alone and lets people enlarge.
 */
import type { Child } from 'hono/jsx'
import type { ProductImage } from '../../catalog/catalog.schema.ts'
import { copyOf, type ProductProfile, pictureAlt, picturePath } from '../../catalog/profile.ts'
import { copyPath, srcsetOf } from '../../pictures/picture.address.ts'
import { webUrl } from '../safe.ts'

/** What an `img` shows. */
type Photo = { src: string; srcset?: string; alt: string; full: string }

/** A page with more thumbnails would be heavy. */
const MOST_THUMBNAILS = 12

/** Null for an image that a page cannot show or that is gone. */
export function photoOf(
  profile: Pick<ProductProfile, 'copies' | 'gone' | 'title'>,
  { url, alt }: ProductImage,
): Photo | null {
  if (profile.gone?.includes(url)) return null
  const copy = copyOf(profile, url)
  const said = alt ?? profile.title
  if (copy) {
    const [src, full] = [copyPath(copy.hash, copy.widths.at(-1)), copyPath(copy.hash)]
    return { src, srcset: srcsetOf(copy), alt: said, full }
  }
  const address = webUrl(url)
  return address?.startsWith('https:') ? { src: address, alt: said, full: address } : null
}

export function ownPhoto(profile: ProductProfile): Photo | null {
  return ownPhotos(profile)[0] ?? null
}

function ownPhotos(profile: ProductProfile): Photo[] {
  return profile.images.flatMap((image) => photoOf(profile, image) ?? [])
}

type PictureProps = { profile: ProductProfile; lazy?: boolean; decorative?: boolean }

/** `lazy` is for lists. `decorative` empties the drawing's alt text, for use beside the product's name. */
export function Picture({ profile, lazy = false, decorative = false }: PictureProps) {
  const [photo, ...more] = ownPhotos(profile)
  if (!photo)
    return (
      <img
        class="picture drawing"
        src={picturePath(profile)}
        alt={decorative ? '' : pictureAlt(profile)}
        width={320}
        height={240}
        loading={lazy ? 'lazy' : 'eager'}
      />
    )
  const wide = '(max-width: 40rem) 100vw, 640px'
  const instead = picturePath(profile)
  if (lazy || decorative) return <Photograph {...{ photo, lazy, instead }} sizes={lazy ? '320px' : wide} />
  return (
    <>
      <FullSize photo={photo}>
        <Photograph {...{ photo, instead }} sizes={wide} />
      </FullSize>
      {more.length > 0 && (
        <ul class="thumbnails">
          {more.slice(0, MOST_THUMBNAILS).map((other) => (
            <li>
              <FullSize photo={other}>
                <Photograph photo={other} instead={instead} lazy sizes="160px" />
              </FullSize>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** The address may be a producer's own host, which learns nothing of this page. */
function FullSize({ photo, children }: { photo: Photo; children?: Child }) {
  return (
    <a class="full-size" href={photo.full} rel="noreferrer" aria-label={`${photo.alt}, full size`}>
      {children}
    </a>
  )
}

type PhotographProps = {
  photo: Photo
  /** The address of the drawing, for when the photo is gone. */
  instead: string
  sizes: string
  lazy?: boolean
}

export function Photograph({ photo, instead, sizes, lazy = false }: PhotographProps) {
  return (
    <img
      class="picture photo"
      data-instead={instead}
      src={photo.src}
      srcset={photo.srcset}
      sizes={photo.srcset && sizes}
      alt={photo.alt}
      width={640}
      height={480}
      loading={lazy ? 'lazy' : 'eager'}
      referrerpolicy="no-referrer"
    />
  )
}
