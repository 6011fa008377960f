// Pictures of the audio categories.
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
  shade,
  turned,
  WHITE,
} from './shapes.ts'

const headphones: Drawing = (tint) =>
  draw(
    ground(tint, 160, 106, 212),
    line('M76 146v-26a84 84 0 0 1 168 0v26', tint.dark, 16),
    line('M104 68a78 78 0 0 1 112 0', tint.ink, 12),
    line('M76 146v-20M244 146v-20', STEEL, 9),
    turned(
      5,
      80,
      166,
      rect(88, 124, 30, 84, tint.ink, 15),
      rect(50, 122, 48, 88, tint.base, 22),
      rect(60, 136, 14, 60, tint.light, 7),
    ),
    turned(
      -5,
      240,
      166,
      rect(202, 124, 30, 84, tint.ink, 15),
      rect(222, 122, 48, 88, tint.base, 22),
      shade('M248 122a22 22 0 0 1 22 22v44a22 22 0 0 1-22 22z', tint),
    ),
    gleam('M84 92q10-26 32-38'),
  )

const wirelessEarbuds: Drawing = (tint) =>
  draw(
    ground(tint, 160, 118, 210),
    rect(104, 74, 112, 132, tint.base, 38),
    path('M104 120v-8a38 38 0 0 1 38-38h36a38 38 0 0 1 38 38v8z', tint.light),
    shade('M182 74a38 38 0 0 1 34 38v56a38 38 0 0 1-34 38z', tint),
    line('M104 122h112', tint.dark, 4),
    rect(146, 116, 28, 12, tint.dark, 5),
    circle(160, 148, 5, WHITE),
    gleam('M116 136v28', 5),
    turned(
      14,
      76,
      110,
      rect(77, 84, 20, 94, tint.ink, 10),
      ellipse(52, 74, 13, 17, tint.ink),
      ellipse(76, 78, 27, 28, tint.dark),
      rect(74, 82, 20, 94, tint.dark, 10),
      line('M84 152v12', tint.light, 5),
      gleam('M62 68q4-8 12-8', 5),
    ),
    turned(
      -14,
      244,
      110,
      rect(231, 84, 20, 94, tint.ink, 10),
      ellipse(268, 74, 13, 17, tint.ink),
      ellipse(244, 78, 27, 28, tint.dark),
      rect(228, 82, 20, 94, tint.dark, 10),
      line('M236 152v12', tint.light, 5),
      gleam('M230 68q4-8 12-8', 5),
    ),
  )

const bluetoothSpeaker: Drawing = (tint) =>
  draw(
    ground(tint, 152, 112, 202),
    line('M74 92q-36-8-38 26', tint.ink, 8),
    rect(44, 86, 216, 112, tint.base, 54),
    dots('M100 106h110M92 120h130M100 134h110M92 148h130M100 162h110M92 176h130', tint.dark, 6, 13),
    shade('M48 162h208q-12 36-50 36h-108q-38 0-50-36z', tint),
    ellipse(234, 142, 36, 56, tint.ink),
    ellipse(238, 142, 27, 44, tint.dark),
    ellipse(240, 142, 16, 27, tint.light),
    gleam('M62 122q8-22 30-24', 5),
    rect(116, 78, 80, 16, tint.ink, 8),
    line('M130 86h10M135 81v10M172 86h10', WHITE, 3),
    line('M284 110a44 44 0 0 1 0 62', tint.base, 6),
    line('M128 62v-34l30-8v34', tint.dark, 6),
    ellipse(120, 63, 11, 8, tint.dark),
    ellipse(150, 55, 11, 8, tint.dark),
  )

const microphone: Drawing = (tint) =>
  draw(
    ground(tint, 160, 78, 210),
    rect(153, 166, 14, 34, SLATE),
    path('M92 208q0-20 68-20t68 20z', tint.ink),
    gleam('M114 202q8-6 28-7', 3),
    line('M104 88v22a56 56 0 0 0 112 0v-22', tint.dark, 10),
    circle(104, 92, 9, tint.ink),
    circle(216, 92, 9, tint.ink),
    rect(122, 22, 76, 132, tint.base, 38),
    path('M122 92v-32a38 38 0 0 1 76 0v32z', STEEL),
    dots('M134 56h56M140 46h44M140 66h44M134 76h56M150 36h26', SLATE, 6, 10),
    shade('M176 26q22 10 22 34v56q0 26-22 34z', tint),
    rect(120, 86, 80, 12, tint.ink, 4),
    circle(160, 118, 9, tint.light),
    gleam('M132 50q4-14 14-18', 5),
    line('M66 66a60 60 0 0 0 0 56M254 66a60 60 0 0 1 0 56', tint.base, 6),
  )

export const AUDIO: Record<string, Drawing> = {
  'bluetooth-speakers': bluetoothSpeaker,
  headphones,
  microphones: microphone,
  'wireless-earbuds': wirelessEarbuds,
}
