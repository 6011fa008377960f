// Pictures of the household categories, tools included.
import {
  circle,
  type Drawing,
  dots,
  draw,
  ellipse,
  faded,
  gleam,
  ground,
  line,
  PAPER,
  path,
  rect,
  SLATE,
  STEEL,
  shade,
  soft,
  turned,
  WHITE,
} from './shapes.ts'

const airPurifier: Drawing = (tint) =>
  draw(
    ground(tint, 176, 92),
    line('M104 58h-48a15 15 0 1 1 15-15M104 80h-74M104 102h-40a14 14 0 1 0 14 14', tint.base, 7),
    rect(122, 28, 112, 178, tint.base, 26),
    shade('M200 28h8a26 26 0 0 1 26 26v126a26 26 0 0 1-26 26h-8z', tint),
    rect(136, 40, 84, 18, tint.ink, 9),
    line('M148 49h60', tint.light, 3),
    circle(178, 86, 18, tint.dark),
    circle(178, 86, 11, WHITE),
    rect(140, 120, 76, 70, tint.dark, 12),
    line('M152 132h52M152 144h52M152 156h52M152 168h52M152 180h52', tint.light, 4),
    gleam('M132 66v36', 6),
    line('M264 178q-4-22 8-38M264 178q-6-16-14-20', tint.dark),
    path('M270 142q-6-20 12-32q10 18-12 32zM252 160q-16-2-16-20q18 2 16 20z', tint.dark),
    soft('M248 178h34l-5 26h-24z', PAPER, 6),
  )

const cordlessVacuum: Drawing = (tint) =>
  draw(
    ground(tint, 120, 92),
    line('M206 76L104 184', STEEL, 14),
    line('M200 76L98 184', WHITE, 3),
    soft('M40 194q2-16 22-16h68q10 0 10 10v14h-100z', tint.dark, 6),
    rect(36, 196, 110, 11, tint.ink, 5),
    path('M96 178l16-22l16 12l-8 12z', tint.ink),
    gleam('M58 187h30'),
    line('M250 44q36 12 34 42q-2 26-28 30l-36-28', tint.ink, 13),
    rect(234, 104, 50, 28, tint.ink, 9),
    dots('M250 118h18', tint.light, 6, 12),
    turned(
      -47,
      196,
      84,
      rect(182, 70, 34, 28, tint.dark, 8),
      rect(200, 60, 46, 48, tint.light, 14),
      rect(211, 60, 6, 48, tint.base),
      rect(224, 60, 6, 48, tint.base),
      rect(236, 54, 44, 60, tint.base, 18),
      shade('M236 92h44v4a18 18 0 0 1-18 18h-8a18 18 0 0 1-18-18z', tint),
      circle(258, 80, 12, tint.dark),
      circle(258, 80, 5, tint.light),
    ),
  )

const robotVacuum: Drawing = (tint) =>
  draw(
    ground(tint, 164, 124, 190),
    line('M54 166l-24 6M62 176l-12 20M48 156l-18-12', tint.ink, 4),
    path('M44 126v22c0 34 52 58 116 58s116-24 116-58v-22z', tint.ink),
    path('M44 138c0 34 52 58 116 58s116-24 116-58v-12h-232z', tint.dark),
    ellipse(160, 124, 116, 60, tint.base),
    path('M220 79A104 52 0 1 0 104 166z', tint.light),
    path('M122 98v14c0 8 17 14 38 14s38-6 38-14v-14z', tint.ink),
    ellipse(160, 98, 38, 15, tint.dark),
    ellipse(156, 96, 24, 8, tint.base),
    ellipse(160, 152, 16, 8, WHITE),
    line('M84 178q76 30 152 0', tint.light, 4),
    gleam('M70 104q20-24 54-32', 5),
    line('M34 118h.1M18 134h.1M28 200h.1M50 214h.1M74 206h.1', tint.dark, 6),
  )

const mattress: Drawing = (tint) =>
  draw(
    ground(tint, 164, 136, 208),
    soft('M28 122v44l124 42v-44z', tint.base, 12),
    soft('M152 164v44l140-58v-42z', tint.dark, 12),
    soft('M28 120L170 64L292 106L152 162z', WHITE, 14),
    dots('M58 121L180 73M88 131L210 83M118 141L240 93M148 151L270 103', STEEL, 7, 26),
    line('M24 136l128 43l144-59M24 152l128 43l144-59', tint.light, 3),
    ...['M172 76', 'M236 98'].map((middle) =>
      draw(
        soft(`${middle}m-9-9q20 4 48 14q-19 6-31 15q-20-8-48-14q19-6 31-15z`, STEEL, 12),
        soft(`${middle}m-9-14q20 4 48 14q-19 6-31 15q-20-8-48-14q19-6 31-15z`, tint.light, 14),
        gleam(`${middle}m-28-1l19-10`),
      ),
    ),
  )

const deskLamp: Drawing = (tint) =>
  draw(
    ground(tint, 150, 112),
    faded(0.7, path('M160 98l-20 106h144l-50-140z', WHITE)),
    line('M98 194L78 116L176 44', tint.ink, 9),
    circle(78, 116, 12, tint.dark),
    circle(78, 116, 5, tint.light),
    turned(
      -24,
      196,
      72,
      rect(182, 34, 28, 22, tint.ink, 7),
      path('M148 98q4-48 48-48t48 48z', tint.base),
      shade('M208 51q32 8 36 47h-30z', tint),
      rect(142, 93, 108, 11, tint.dark, 5),
      gleam('M164 84q6-20 22-24', 5),
    ),
    path('M50 204q0-22 46-22t46 22z', tint.dark),
    gleam('M68 195q8-6 20-6'),
    rect(194, 190, 80, 15, tint.base, 4),
    rect(202, 177, 66, 13, tint.dark, 4),
  )

const cordlessDrill: Drawing = (tint) =>
  draw(
    ground(tint, 184, 92),
    line('M24 86h42', SLATE, 6),
    path('M62 74h26l10-8v42l-10-8h-26z', tint.ink),
    rect(92, 58, 26, 58, STEEL, 8),
    path('M112 54h124q34 0 34 32t-34 34h-124z', tint.base),
    shade('M112 100h150q-8 20-26 20h-124z', tint),
    path('M162 112h64l18 66h-62z', tint.dark),
    path('M142 114h26l8 30q-24-4-34-30z', tint.ink),
    gleam('M128 68h80', 6),
    dots('M226 76h32M226 88h32', tint.ink, 6, 12),
    rect(126, 78, 70, 14, tint.light, 7),
    path('M188 126l22 0l10 40l-20 0z', tint.ink),
    rect(154, 174, 106, 32, tint.ink, 8),
    rect(154, 170, 106, 12, tint.base, 5),
    dots('M170 194h24', tint.light, 6, 12),
  )

export const HOME: Record<string, Drawing> = {
  'air-purifiers': airPurifier,
  'cordless-drills': cordlessDrill,
  'cordless-vacuums': cordlessVacuum,
  'desk-lamps': deskLamp,
  mattresses: mattress,
  'robot-vacuums': robotVacuum,
}
