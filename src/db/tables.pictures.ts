/** The tables of pictures; part of `tables.ts`. */
import type { Generated } from 'kysely'

export type PictureState = 'waiting' | 'copied' | 'refused'

export type PictureFilesTable = {
  hash: string
  width: number
  height: number
  widths: number[]
  size_bytes: number
  created_at: Generated<Date>
}

export type PictureUploadsTable = {
  hash: string
  width: number
  bytes: Buffer
}

export type PictureTables = {
  picture_files: PictureFilesTable
  picture_uploads: PictureUploadsTable
}
