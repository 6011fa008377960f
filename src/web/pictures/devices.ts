// Pictures of the small-electronics categories.
import {
  circle,
  type Drawing,
  dots,
  draw,
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

const laptop: Drawing = (tint) =>
  draw(
    ground(tint, 160, 132, 208),
    rect(62, 34, 196, 132, tint.ink, 12),
    rect(70, 42, 180, 114, tint.light, 4),
    path('M70 130q40-44 82-22t98-30v74q0 4-4 4h-172q-4 0-4-4z', tint.base),
    path('M70 148q60-26 108-10t72-8v22q0 4-4 4h-172q-4 0-4-4z', tint.dark),
    circle(110, 74, 14, WHITE),
    path('M58 164h204l34 34h-272z', STEEL),
    path('M24 198h272q0 10-12 10h-248q-12 0-12-10z', SLATE),
    path('M72 169h176l14 15h-204z', tint.ink),
    path('M132 188h56l4 8h-64z', '#aab1be'),
    line('M80 174h160M74 180h172', SLATE, 2),
  )

const tablet: Drawing = (tint) =>
  draw(
    ground(tint, 160, 116, 208),
    turned(
      -8,
      160,
      120,
      rect(42, 46, 236, 156, tint.ink, 18),
      rect(42, 42, 232, 154, '#3a3f49', 18),
      rect(54, 54, 208, 130, tint.light, 6),
      path('M54 150q44-60 92-24t116-36v88q0 6-6 6h-196q-6 0-6-6z', tint.base),
      circle(102, 90, 17, WHITE),
      line('M120 158q16-34 32-10t30-22t34 0', WHITE, 5),
    ),
    turned(
      38,
      250,
      110,
      rect(243, 40, 15, 120, PAPER, 5),
      path('M243 156h15l-7 20z', tint.ink),
      rect(243, 52, 15, 10, tint.dark),
    ),
  )

const eReader: Drawing = (tint) =>
  draw(
    ground(tint, 164, 84, 212),
    turned(
      6,
      160,
      120,
      rect(92, 22, 146, 190, tint.ink, 16),
      rect(86, 20, 146, 188, tint.dark, 16),
      rect(100, 34, 118, 148, '#f3f1ea', 4),
      rect(114, 48, 60, 8, tint.ink, 4),
      line('M116 72h86M116 84h86M116 96h76M116 108h86M116 120h50M116 140h86M116 152h86M116 164h62', SLATE, 4),
      circle(159, 195, 5, tint.light),
      gleam('M94 40v80', 3),
      path('M196 34h14v34l-7-7l-7 7z', tint.base),
    ),
  )

const smartwatch: Drawing = (tint) =>
  draw(
    ground(tint, 160, 60, 222),
    path('M122 64l8-46q1-6 7-6h46q6 0 7 6l8 46z', tint.base),
    path('M122 172l8 46q1 6 7 6h46q6 0 7-6l8-46z', tint.base),
    shade('M176 12h7q6 0 7 6l8 46h-22zM176 172h22l-8 46q-1 6-7 6h-7z', tint),
    dots('M160 194v26', tint.dark, 6, 11),
    line('M132 30h56', tint.dark, 4),
    rect(218, 96, 14, 30, SLATE, 6),
    rect(100, 56, 122, 126, tint.ink, 34),
    rect(98, 54, 122, 126, STEEL, 34),
    rect(105, 61, 108, 112, tint.ink, 28),
    line('M159 79a38 38 0 1 1-38 38', tint.base, 10),
    line('M159 94a23 23 0 1 1-16 40', tint.light, 10),
    line('M159 106v11l8 6', WHITE, 5),
    gleam('M112 84q4-14 18-16', 3),
  )

const wifiRouter: Drawing = (tint) =>
  draw(
    ground(tint, 160, 118, 206),
    line('M132 62a40 40 0 0 1 56 0M116 44a64 64 0 0 1 88 0', tint.base, 7),
    circle(160, 82, 8, tint.base),
    line('M70 150L58 52M250 150L262 52M122 150v-66M198 150v-66', tint.ink, 11),
    soft('M64 142h192l24 38h-240z', tint.base, 10),
    shade('M220 137h36l29 43h-46z', tint),
    rect(34, 174, 252, 28, tint.dark, 12),
    dots('M64 188h64', tint.light, 9, 20),
    circle(262, 188, 5, WHITE),
    line('M128 158h64', tint.dark, 5),
    gleam('M74 150h38'),
    rect(54, 200, 26, 7, tint.ink, 3),
    rect(240, 200, 26, 7, tint.ink, 3),
  )

export const DEVICES: Record<string, Drawing> = {
  'e-readers': eReader,
  laptops: laptop,
  smartwatches: smartwatch,
  tablets: tablet,
  'wifi-routers': wifiRouter,
}
