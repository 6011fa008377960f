// Pictures of the kitchen categories.
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

const espressoMachine: Drawing = (tint) =>
  draw(
    ground(tint, 160, 112),
    path('M100 24h32l-4 20h-24zM140 24h32l-4 20h-24z', WHITE),
    rect(98, 90, 124, 92, tint.dark),
    shade('M196 90h26v92h-26z', tint),
    rect(76, 42, 168, 56, tint.base, 14),
    shade('M216 42h14a14 14 0 0 1 14 14v28a14 14 0 0 1-14 14h-14z', tint),
    gleam('M92 52h60'),
    circle(106, 72, 15, WHITE),
    line('M106 72l6-7', tint.ink, 3),
    circle(174, 70, 7, tint.light),
    circle(198, 70, 7, tint.light),
    line('M86 98v30l-8 30', SLATE, 6),
    rect(134, 94, 56, 15, tint.ink, 4),
    line('M190 117h54', tint.ink, 13),
    rect(128, 109, 68, 16, STEEL, 6),
    path('M148 125h28v4l-7 7h-14l-7-7z', SLATE),
    line('M158 136v10M166 136v10', tint.ink, 3),
    line('M184 150h6a7 7 0 0 1 0 14h-10', WHITE, 5),
    path('M138 144h48v10a20 20 0 0 1-20 20h-8a20 20 0 0 1-20-20z', WHITE),
    rect(68, 178, 184, 28, tint.base, 10),
    rect(84, 173, 152, 9, tint.ink, 4),
  )

const coffeeGrinder: Drawing = (tint) =>
  draw(
    ground(tint, 158, 92),
    faded(0.75, soft('M112 50h96l-20 52h-56z', WHITE, 6)),
    path('M117 66h86l-14 38h-58z', tint.dark),
    dots('M124 70h80M130 82h66M138 94h50', tint.ink, 10, 15),
    rect(102, 36, 116, 14, tint.ink, 7),
    soft('M120 106h80l12 94h-104z', tint.base, 12),
    shade('M182 100h18q6 0 7 6l11 94q0 6-6 6h-22z', tint),
    gleam('M124 114l-6 48'),
    circle(160, 128, 17, PAPER),
    line('M160 128l8-10', tint.ink, 5),
    path('M126 152h68l5 50h-78z', tint.ink),
    soft('M140 170h40l-3 30h-34z', STEEL, 6),
    path('M141 168h38l1-6q-20-10-40 0z', tint.dark),
    ellipse(74, 200, 12, 7, tint.dark),
    line('M65 202q9-5 18-3', tint.ink, 2),
    ellipse(246, 203, 12, 7, tint.dark),
    line('M237 203q9 3 18-2', tint.ink, 2),
  )

const blender: Drawing = (tint) =>
  draw(
    ground(tint, 160, 78),
    line('M204 68h22a12 12 0 0 1 12 13l-4 34a14 14 0 0 1-14 12h-20', tint.ink, 11),
    faded(0.85, soft('M108 52h104l-14 94h-76z', WHITE, 6)),
    path('M111 82q24-12 49 0t49 0l-9 66h-80z', tint.base),
    shade('M186 87q12 1 23-5l-9 66h-20z', tint),
    circle(136, 104, 10, tint.light),
    circle(164, 122, 12, tint.light),
    circle(180, 100, 7, tint.light),
    circle(143, 134, 6, tint.light),
    gleam('M118 62l10 68', 6),
    rect(100, 38, 120, 16, tint.ink, 8),
    rect(140, 26, 40, 16, tint.ink, 7),
    rect(118, 146, 84, 14, tint.ink, 5),
    soft('M122 164h76l14 36h-104z', tint.dark, 12),
    circle(160, 183, 13, PAPER),
    line('M160 183v-8', tint.ink),
    circle(128, 186, 4, tint.light),
    circle(192, 186, 4, tint.light),
  )

const airFryer: Drawing = (tint) =>
  draw(
    ground(tint, 164, 116, 208),
    path('M128 98c0-46 24-70 72-70s72 24 72 70v88q0 20-20 20h-104q-20 0-20-20z', tint.base),
    shade('M232 34c28 9 40 32 40 64v88q0 20-20 20h-20z', tint),
    gleam('M142 88q4-34 34-46', 6),
    rect(164, 58, 72, 28, tint.ink, 14),
    line('M182 72h16', WHITE),
    circle(218, 72, 5, tint.light),
    rect(128, 112, 112, 82, tint.ink, 12),
    turned(-12, 88, 120, rect(80, 98, 13, 50, tint.light, 3)),
    turned(8, 104, 120, rect(100, 90, 13, 50, WHITE, 3)),
    turned(-6, 126, 120, rect(120, 96, 13, 50, tint.light, 3)),
    turned(14, 146, 120, rect(140, 94, 13, 50, WHITE, 3)),
    turned(4, 164, 120, rect(160, 104, 13, 50, tint.light, 3)),
    rect(66, 128, 130, 70, tint.dark, 14),
    dots('M96 150h84M102 162h72M96 174h84', tint.ink, 6, 12),
    gleam('M78 142v36', 5),
    line('M62 160h-32', tint.ink, 18),
  )

const chefKnife: Drawing = (tint) =>
  draw(
    ground(tint, 164, 124, 200),
    turned(
      -10,
      160,
      124,
      rect(40, 62, 240, 136, tint.dark, 18),
      rect(40, 54, 240, 136, tint.base, 18),
      circle(258, 76, 8, tint.background),
      gleam('M60 178h150', 3),
      ...[128, 106, 84].map((x) => circle(x, 92, 27, tint.dark) + circle(x - 2, 92, 22, tint.light)),
      dots('M82 81a11 11 0 1 1-.1 0', tint.base, 6, 13.8),
    ),
    turned(
      -24,
      160,
      140,
      path('M36 152C84 152 130 140 200 124v34q-78 16-164-6z', tint.dark),
      path('M32 146q76-14 122-34h46v40q-96 18-168-6z', WHITE),
      path('M32 146q84 4 168-10v16q-96 18-168-6z', STEEL),
      rect(196, 110, 14, 34, SLATE, 4),
      path('M208 112h66q16 0 14 16l-2 12q-2 6-8 4l-22-8h-48z', tint.ink),
      dots('M224 123h50', STEEL, 6, 20),
    ),
  )

const cookwareSet: Drawing = (tint) =>
  draw(
    ground(tint, 168, 122),
    line('M76 112h-14v22h14M208 112h14v22h-14', tint.ink, 9),
    path('M74 92h136v86q0 22-22 22h-92q-22 0-22-22z', tint.base),
    gleam('M88 104v66', 6),
    path('M74 90c0-26 30-40 68-40s68 14 68 40z', tint.light),
    rect(66, 84, 152, 13, tint.dark, 6),
    rect(126, 32, 32, 15, tint.ink, 7),
    rect(137, 42, 10, 12, tint.ink),
    line('M240 154l54-14', tint.ink, 13),
    path('M126 150h120v34q0 22-22 22h-76q-22 0-22-22z', tint.dark),
    shade('M218 150h28v34q0 22-22 22h-6z', tint),
    gleam('M140 162v24', 6),
    rect(120, 142, 132, 12, STEEL, 6),
  )

export const KITCHEN: Record<string, Drawing> = {
  'air-fryers': airFryer,
  blenders: blender,
  'chef-knives': chefKnife,
  'coffee-grinders': coffeeGrinder,
  'cookware-sets': cookwareSet,
  'espresso-machines': espressoMachine,
}
