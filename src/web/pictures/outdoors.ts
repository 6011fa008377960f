// Pictures of the camping and travel categories.
import {
  circle,
  type Drawing,
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

const tent: Drawing = (tint) =>
  draw(
    circle(252, 54, 20, WHITE),
    faded(0.6, path('M0 182q70-70 150-44t170 16v86h-320z', tint.light)),
    path('M0 202q160-24 320-4v42h-320z', tint.light),
    ground(tint, 168, 128, 207),
    line('M118 50L24 206M226 70L304 200', tint.ink, 3),
    line('M20 200l8 10M300 196l8 10', tint.ink, 5),
    soft('M118 50L226 70L284 196L188 207z', tint.dark, 6),
    soft('M118 50L48 207h140z', tint.base, 6),
    gleam('M110 80l-46 104'),
    path('M118 66L92 209h58z', tint.ink),
    path('M118 66L150 209h26q-46-56-58-143z', WHITE),
    line('M118 50v-14', tint.ink, 5),
    line('M168 66l50 132', tint.ink, 3),
  )

const sleepingBag: Drawing = (tint) =>
  draw(
    ground(tint, 164, 116, 210),
    turned(
      -12,
      128,
      120,
      path(
        'M132 16c34 0 50 18 52 44c14 12 14 32 10 52l-16 84q-4 18-22 18h-42q-18 0-22-18l-18-84c-4-20-4-40 8-52c2-26 18-44 50-44z',
        tint.base,
      ),
      shade(
        'M132 16c34 0 50 18 52 44c14 12 14 32 10 52l-16 84q-4 18-22 18h-10q28-60 20-130q-2-40-34-68z',
        tint,
      ),
      line('M82 118q54 20 107 0M88 150q48 18 95 0M95 182q42 16 81 0', tint.dark, 4),
      ellipse(131, 64, 38, 36, tint.dark),
      ellipse(131, 66, 31, 29, tint.ink),
      path('M101 72q30-12 60 0q-6 23-30 23t-30-23z', WHITE),
      path('M122 94h18l-4 56q-5 6-10 0z', tint.light),
      line('M131 152v40', tint.ink, 3),
      rect(126, 146, 10, 18, STEEL, 5),
      gleam('M84 92q-2-16 8-24', 5),
    ),
    line('M238 132q-8-20 8-22t12 18', tint.ink, 5),
    rect(214, 134, 72, 74, tint.dark, 20),
    shade('M260 134h6a20 20 0 0 1 20 20v34a20 20 0 0 1-20 20h-6z', tint),
    rect(222, 128, 56, 14, tint.ink, 7),
    line('M214 172h72', tint.light, 7),
    gleam('M226 152v10', 5),
  )

const hikingBackpack: Drawing = (tint) =>
  draw(
    ground(tint, 160, 88, 212),
    line('M232 34v168', SLATE, 5),
    rect(226, 20, 12, 34, tint.ink, 5),
    line('M144 36v-10q0-8 8-8h16q8 0 8 8v10', tint.ink, 7),
    rect(76, 118, 26, 62, STEEL, 9),
    rect(80, 108, 18, 14, tint.ink, 4),
    path('M98 76h124l6 104q0 18-18 18h-100q-18 0-18-18z', tint.base),
    shade('M194 76h28l6 104q0 18-18 18h-16z', tint),
    path('M92 84c0-38 26-54 68-54s68 16 68 54q0 20-20 20h-96q-20 0-20-20z', tint.dark),
    gleam('M108 76q4-26 34-32', 5),
    rect(118, 128, 84, 60, tint.light, 14),
    line('M128 144h64', tint.dark, 4),
    line('M126 84v44M194 84v44', tint.ink, 8),
    rect(118, 106, 16, 12, STEEL, 3),
    rect(186, 106, 16, 12, STEEL, 3),
    rect(84, 184, 152, 28, tint.dark, 14),
    line('M126 184v28M194 184v28', tint.ink, 8),
    circle(98, 198, 7, tint.light),
  )

const campingStove: Drawing = (tint) =>
  draw(
    ground(tint, 160, 80, 208),
    line('M214 52h58', tint.ink, 12),
    rect(104, 30, 112, 58, tint.base, 12),
    shade('M190 30h14a12 12 0 0 1 12 12v34a12 12 0 0 1-12 12h-14z', tint),
    gleam('M116 46v26', 6),
    rect(96, 24, 128, 11, tint.dark, 5),
    rect(144, 12, 32, 14, tint.ink, 6),
    line('M112 92l10 36h76l10-36', tint.ink, 7),
    path(
      'M138 90q14 16 14 26a14 14 0 0 1-28 0q0-10 14-26zM182 90q14 16 14 26a14 14 0 0 1-28 0q0-10 14-26z',
      tint.dark,
    ),
    path('M160 86q17 20 17 30a17 17 0 0 1-34 0q0-10 17-30z', tint.base),
    path('M160 104q9 10 9 16a9 9 0 0 1-18 0q0-6 9-16z', WHITE),
    rect(120, 122, 80, 13, tint.ink, 6),
    rect(149, 134, 22, 20, SLATE),
    line('M172 144h38', SLATE, 6),
    rect(206, 134, 11, 20, tint.ink, 4),
    path('M98 178q0-28 62-28t62 28v18q0 12-12 12h-100q-12 0-12-12z', tint.dark),
    rect(98, 176, 124, 16, tint.light),
    gleam('M114 170q8-8 28-11'),
  )

const carryOnLuggage: Drawing = (tint) =>
  draw(
    ground(tint, 160, 78, 212),
    line('M134 64v-40h52v40', SLATE, 7),
    rect(126, 16, 68, 13, tint.ink, 6),
    circle(116, 204, 9, tint.ink),
    circle(204, 204, 9, tint.ink),
    rect(94, 58, 132, 142, tint.base, 20),
    shade('M194 58h12a20 20 0 0 1 20 20v102a20 20 0 0 1-20 20h-12z', tint),
    line('M120 76v106M147 76v106M173 76v106M200 76v106', tint.dark, 6),
    gleam('M106 84v74', 5),
    rect(138, 50, 44, 14, tint.ink, 6),
    line('M96 130h128', tint.ink, 3),
    rect(216, 118, 14, 26, tint.ink, 4),
    line('M182 58q22 4 30 26', tint.ink, 3),
    turned(-18, 216, 98, rect(204, 82, 26, 36, PAPER, 5), circle(217, 90, 3, tint.dark)),
    path(
      'M94 168v12a20 20 0 0 0 20 20h14q-30-4-34-32zM226 168v12a20 20 0 0 1-20 20h-14q30-4 34-32z',
      tint.dark,
    ),
  )

export const OUTDOORS: Record<string, Drawing> = {
  'camping-stoves': campingStove,
  'carry-on-luggage': carryOnLuggage,
  'hiking-backpacks': hikingBackpack,
  'sleeping-bags': sleepingBag,
  tents: tent,
}
