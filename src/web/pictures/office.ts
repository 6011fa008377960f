// Pictures of the office categories.
import {
  circle,
  type Drawing,
  dots,
  draw,
  gleam,
  ground,
  line,
  path,
  rect,
  SLATE,
  STEEL,
  shade,
  soft,
  turned,
  WHITE,
} from './shapes.ts'

const officeChair: Drawing = (tint) =>
  draw(
    ground(tint, 160, 86, 210),
    line('M160 186L96 198M160 186L224 198M160 186L132 206M160 186L188 206', tint.ink, 8),
    line('M94 204h.1M226 204h.1M130 212h.1M190 212h.1', tint.dark, 14),
    rect(153, 152, 14, 38, SLATE, 4),
    rect(148, 118, 24, 36, tint.ink),
    soft('M118 30h84q10 0 10 12l-10 86q-1 6-8 6h-68q-7 0-8-6l-10-86q0-12 10-12z', tint.dark, 4),
    path('M124 40h72q6 0 6 6l-8 72q-1 6-6 6h-56q-5 0-6-6l-8-72q0-6 6-6z', tint.base),
    dots('M134 52h56M140 62h50M136 72h52M142 82h42M138 92h48', tint.dark, 5, 10),
    path('M127 100h66l-2 16h-62z', tint.light),
    line('M92 150v-38M228 150v-38', tint.ink, 8),
    rect(72, 102, 40, 13, tint.ink, 6),
    rect(208, 102, 40, 13, tint.ink, 6),
    rect(92, 134, 136, 28, tint.base, 14),
    shade('M196 134h18a14 14 0 0 1 0 28h-18z', tint),
    gleam('M106 143h48'),
  )

const standingDesk: Drawing = (tint) =>
  draw(
    ground(tint, 160, 120, 208),
    rect(140, 34, 96, 58, tint.ink, 6),
    rect(146, 40, 84, 46, tint.light, 2),
    path('M146 86l30-26l22 18l12-10l20 18z', tint.base),
    rect(183, 90, 10, 14, tint.ink),
    rect(168, 100, 40, 6, tint.ink, 3),
    path('M92 82h20l-3 24h-14z', WHITE),
    line('M102 82q-2-18-14-22M102 80q2-20 14-26', tint.dark, 4),
    rect(72, 118, 22, 44, STEEL),
    rect(226, 118, 22, 44, STEEL),
    rect(68, 150, 30, 52, tint.dark, 3),
    rect(222, 150, 30, 52, tint.dark, 3),
    rect(50, 198, 66, 11, tint.ink, 5),
    rect(204, 198, 66, 11, tint.ink, 5),
    rect(36, 106, 248, 17, tint.base, 8),
    gleam('M50 112h90', 3),
    rect(196, 123, 24, 7, tint.ink, 3),
    line('M160 190v-44M148 158l12-12l12 12M148 178l12 12l12-12', tint.dark, 6),
  )

const printer: Drawing = (tint) =>
  draw(
    ground(tint, 160, 112),
    soft('M106 34h100l14 60h-128z', WHITE, 4),
    line('M122 50h60M118 64h76', STEEL, 4),
    path('M76 84h168l14 24h-196z', tint.dark),
    rect(56, 98, 208, 86, tint.base, 16),
    shade('M230 98h18a16 16 0 0 1 16 16v54a16 16 0 0 1-16 16h-18z', tint),
    gleam('M72 110h64'),
    rect(196, 112, 44, 22, tint.ink, 5),
    line('M204 123h18', tint.light, 4),
    circle(80, 126, 5, tint.light),
    rect(84, 146, 152, 20, tint.ink, 8),
    path('M100 156h120l10 48q1 4-3 4h-134q-4 0-3-4z', WHITE),
    rect(110, 170, 40, 26, tint.light, 3),
    path('M110 194l14-14l10 8l6-6l10 12z', tint.dark),
    line('M162 174h44M162 184h46M162 194h30', SLATE, 4),
  )

const monitor: Drawing = (tint) =>
  draw(
    ground(tint, 160, 88, 208),
    path('M140 164h40l6 36h-52z', SLATE),
    rect(104, 196, 112, 12, tint.ink, 6),
    rect(34, 34, 252, 140, tint.ink, 12),
    rect(42, 42, 236, 118, tint.light, 5),
    circle(214, 78, 18, WHITE),
    path('M42 134q46-54 92-20t70-8t74-2v51q0 5-5 5h-226q-5 0-5-5z', tint.base),
    path('M42 152q70-36 120-12t116-14v29q0 5-5 5h-226q-5 0-5-5z', tint.dark),
    gleam('M58 56h60M58 56v18'),
    circle(160, 167, 3, tint.light),
  )

const webcam: Drawing = (tint) =>
  draw(
    path('M28 176q0-10 10-10h244q10 0 10 10v64h-264z', tint.ink),
    path('M38 184q0-6 6-6h232q6 0 6 6v56h-244z', tint.light),
    path('M38 240v-12q60-30 110-8t134-14v34z', tint.base),
    path('M136 134h48v30h20q6 0 6 6v8h-100v-8q0-6 6-6h20z', tint.dark),
    rect(58, 54, 204, 88, tint.base, 44),
    shade('M58 98h204a44 44 0 0 1-44 44h-116a44 44 0 0 1-44-44z', tint),
    gleam('M76 84q8-18 30-20', 5),
    circle(160, 98, 40, tint.dark),
    circle(160, 98, 32, tint.ink),
    circle(160, 98, 18, tint.base),
    circle(160, 98, 9, tint.ink),
    circle(148, 86, 7, WHITE),
    dots('M82 98h24', tint.ink, 6, 11),
    circle(232, 98, 6, WHITE),
  )

const computerMouse: Drawing = (tint) =>
  draw(
    turned(
      -10,
      160,
      130,
      rect(44, 52, 232, 156, tint.ink, 22),
      rect(44, 44, 232, 156, tint.dark, 22),
      gleam('M62 58h110'),
    ),
    turned(
      20,
      160,
      124,
      path('M108 100q0-62 58-62t58 62v44q0 66-58 66t-58-66z', tint.ink),
      path('M104 96q0-66 56-66t56 66v40q0 64-56 64t-56-64z', tint.base),
      shade('M176 32q40 10 40 64v40q0 58-46 64q20-30 20-90t-14-78z', tint),
      path('M160 98v-68q-56 0-56 66v10q28-8 56-8z', tint.light),
      line('M160 32v66M104 106q56-16 112 0', tint.dark, 4),
      rect(151, 46, 18, 36, tint.ink, 9),
      rect(156, 54, 8, 12, tint.light, 4),
      line('M107 122v16M108 148l2 14', tint.ink, 6),
      gleam('M120 84q2-26 18-36', 5),
    ),
  )

const KEY_ROWS = [
  'M62 96h8v8h-8zm24 0h8v8h-8zm24 0h8v8h-8zm24 0h8v8h-8zm24 0h8v8h-8zm24 0h8v8h-8zm24 0h8v8h-8z',
  'M62 120h20v8h-20zm36 0h8v8h-8zm24 0h8v8h-8zm24 0h8v8h-8zm24 0h8v8h-8zm24 0h8v8h-8zm24 0h8v8h-8z',
  'M62 144h26v8h-26zm42 0h8v8h-8zm24 0h8v8h-8zm24 0h8v8h-8zm24 0h8v8h-8zm24 0h8v8h-8zm24 0h8v8h-8z',
].join('')

const mechanicalKeyboard: Drawing = (tint) =>
  draw(
    ground(tint, 164, 132, 200),
    line('M210 66q0-24 18-24t18-16', tint.ink, 5),
    turned(
      -8,
      160,
      130,
      rect(34, 72, 252, 130, tint.ink, 16),
      rect(34, 64, 252, 126, tint.base, 16),
      gleam('M52 72h90', 3),
      rect(46, 80, 228, 98, tint.ink, 8),
      soft(KEY_ROWS, WHITE, 10),
      soft('M230 96h28v8h-28zM242 120h16v8h-16zM248 144h10v8h-10z', tint.light, 10),
      soft(
        'M62 168h14v0h-14zM92 168h14v0h-14zM122 168h74v0h-74zM212 168h14v0h-14zM242 168h16v0h-16z',
        STEEL,
        10,
      ),
      soft('M62 96h8v8h-8z', tint.base, 10),
    ),
  )

export const OFFICE: Record<string, Drawing> = {
  'computer-mice': computerMouse,
  'mechanical-keyboards': mechanicalKeyboard,
  monitors: monitor,
  'office-chairs': officeChair,
  printers: printer,
  'standing-desks': standingDesk,
  webcams: webcam,
}
