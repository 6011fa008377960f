// Pictures of the sports categories.
import type { Tint } from './palette.ts'
import {
  circle,
  type Drawing,
  dots,
  draw,
  ellipse,
  gleam,
  ground,
  line,
  path,
  rect,
  SLATE,
  STEEL,
  soft,
  turned,
  WHITE,
} from './shapes.ts'

const runningShoe: Drawing = (tint) =>
  draw(
    ground(tint, 164, 126, 202),
    path('M44 160c60 14 160 16 242 2c10 10 6 26-8 30c-60 10-150 12-216 6c-18-2-24-22-18-38z', WHITE),
    path('M50 186c70 12 160 10 236-4c-2 10-8 16-18 18c-60 8-146 8-204 2c-8-1-12-8-14-16z', tint.ink),
    path(
      'M46 162c-2-28 0-56 8-80c3-9 13-9 17-1c12 24 32 28 52 14l20-17c6-5 14-3 18 4c16 28 44 44 84 52c28 6 42 16 42 30c-80 12-180 12-241-2z',
      tint.base,
    ),
    path('M46 162c-2-28 0-56 8-80c2-5 6-7 10-6c18 30 28 62 26 94z', tint.dark),
    path('M226 172c-4-22 8-36 24-37c24 6 37 15 37 29c-20 4-40 6-61 8z', tint.dark),
    path(
      'M128 172c4-26 16-46 34-62l14 12c-14 14-22 30-24 50zM168 173c4-18 12-32 24-44l14 8c-10 10-16 22-18 36z',
      tint.light,
    ),
    path('M123 95l20-17c6-5 14-3 18 4l6 10l-22 22q-8-14-22-19z', tint.ink),
    line('M150 110l22-18M164 122l20-18M180 132l17-16M196 140l14-14', WHITE, 6),
    gleam('M72 96q18 24 44 14', 4),
    line('M60 178q100 14 214 0', STEEL, 3),
  )

const yogaMat: Drawing = (tint) =>
  draw(
    ground(tint, 176, 128, 202),
    soft('M90 196L222 206L312 150L198 138z', tint.light, 6),
    line('M92 200L222 209L314 152', tint.dark, 4),
    line('M214 194l74-46', WHITE, 3),
    circle(190, 94, 46, tint.base),
    path('M67 109L169 53L212 135L109 191z', tint.base),
    path('M109 191L212 135A46 46 0 0 0 231 72Q218 102 197 108L95 162z', tint.dark),
    circle(88, 150, 46, tint.dark),
    circle(88, 150, 40, tint.light),
    line('M88 190a40 40 0 1 1 38-40a28 28 0 1 1-28-26a20 20 0 1 1-22 20a11 11 0 1 1 11 11', tint.dark, 5),
    gleam('M84 94l78-42', 5),
  )

/** A weight seen from its left: the rim in shade, the face towards us. */
const plate = (x: number, radius: number, tint: Tint): string =>
  draw(
    path(`M${x} ${112 - radius}h14a18 ${radius} 0 0 1 0 ${2 * radius}h-14z`, tint.dark),
    ellipse(x, 112, 18, radius, tint.base),
  )

const adjustableDumbbell: Drawing = (tint) =>
  draw(
    ground(tint, 168, 122, 204),
    turned(
      -13,
      160,
      112,
      plate(262, 50, tint),
      plate(242, 62, tint),
      plate(222, 74, tint),
      rect(96, 95, 126, 34, tint.ink, 8),
      rect(140, 92, 66, 40, tint.ink, 14),
      dots('M152 103h50M152 112h50M152 121h50', SLATE, 5, 9),
      plate(106, 74, tint),
      plate(86, 62, tint),
      plate(66, 50, tint),
      ellipse(60, 112, 12, 36, tint.ink),
      ellipse(57, 112, 8, 25, tint.light),
      line('M57 112l3-15', tint.ink, 5),
      gleam('M100 60q4-14 10-14', 4),
    ),
  )

const electricBike: Drawing = (tint) =>
  draw(
    ground(tint, 160, 132, 208),
    ...[82, 240].map((x) =>
      draw(
        `<circle cx="${x}" cy="156" r="45" fill="${tint.background}" stroke="${tint.ink}" stroke-width="9"/>`,
        line(`M${x} 116v80M${x - 40} 156h80`, SLATE, 2),
        circle(x, 156, 6, tint.ink),
      ),
    ),
    line('M82 156L134 104M82 156h72', tint.dark, 7),
    line('M154 156L130 70', tint.base, 9),
    line('M135 90L212 74', tint.base, 9),
    line('M154 156L218 86', tint.base, 10),
    line('M240 156L206 52', tint.dark, 9),
    line('M170 143L206 103', tint.ink, 21),
    path('M193 106l-17 19h10l-5 16l18-20h-10z', WHITE),
    line('M206 52l-28-6M206 52l18-12', tint.ink, 8),
    rect(214, 60, 20, 14, tint.ink, 6),
    circle(232, 67, 6, WHITE),
    soft('M102 66h46q2-8-12-8h-22q-12 0-12 8z', tint.ink, 8),
    circle(154, 156, 19, tint.dark),
    circle(154, 156, 9, tint.light),
    line('M154 156l12 26M158 183h17', tint.ink, 5),
    line('M44 110q30-24 68-8', tint.base, 6),
  )

export const SPORTS: Record<string, Drawing> = {
  'adjustable-dumbbells': adjustableDumbbell,
  'electric-bikes': electricBike,
  'running-shoes': runningShoe,
  'yoga-mats': yogaMat,
}
