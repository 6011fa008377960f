// The picture of a category nobody has drawn yet: a parcel with a price tag.
import { circle, type Drawing, draw, gleam, ground, line, path, rect, soft, turned, WHITE } from './shapes.ts'

export const parcel: Drawing = (tint) =>
  draw(
    ground(tint, 160, 104),
    soft('M74 92L160 118V204L74 178z', tint.base, 6),
    soft('M246 92L160 118V204L246 178z', tint.dark, 6),
    soft('M160 62L246 92L160 118L74 92z', tint.light, 6),
    path('M106 81L127 73L213 102L192 109z', WHITE),
    path('M192 109L213 102v30l-21 7z', '#d9dee6'),
    gleam('M84 108v58'),
    line('M244 90q24-8 26 20', tint.ink, 3),
    turned(
      12,
      270,
      130,
      soft('M256 116l14-8l14 8v44h-28z', tint.ink, 8),
      circle(270, 118, 5, tint.background),
      rect(260, 134, 20, 4, tint.light, 2),
      rect(260, 144, 13, 4, tint.light, 2),
    ),
  )
