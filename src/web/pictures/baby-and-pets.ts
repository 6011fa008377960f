// Pictures of the categories for children and pets.
import {
  circle,
  type Drawing,
  dots,
  draw,
  ellipse,
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
  WHITE,
} from './shapes.ts'

const babyMonitor: Drawing = (tint) =>
  draw(
    ground(tint, 160, 124, 208),
    line('M262 76v-44', tint.ink, 8),
    rect(134, 70, 152, 132, tint.base, 22),
    shade('M256 70h8a22 22 0 0 1 22 22v88a22 22 0 0 1-22 22h-8z', tint),
    rect(146, 84, 128, 86, tint.ink, 10),
    circle(210, 128, 26, tint.light),
    path('M186 122q4-24 24-24t24 24q-12-10-24-6t-24 6z', tint.dark),
    line('M196 131q4 4 8 0M216 131q4 4 8 0M206 142q4 3 8 0', tint.ink, 3),
    path('M160 170q8-20 50-20t50 20z', WHITE),
    path('M170 94a10 10 0 1 0 10 14a12 12 0 0 1-10-14z', WHITE),
    dots('M164 186h90', tint.light, 9, 18),
    path('M40 206q0-24 32-24t32 24z', tint.ink),
    rect(66, 160, 12, 28, SLATE),
    circle(72, 128, 42, WHITE),
    circle(72, 126, 27, tint.ink),
    circle(72, 126, 14, tint.base),
    circle(65, 118, 5, WHITE),
  )

const carSeat: Drawing = (tint) =>
  draw(
    ground(tint, 160, 98, 212),
    rect(86, 184, 148, 26, tint.ink, 12),
    path('M100 62c0-30 24-42 60-42s60 12 60 42l10 118q1 18-17 18h-106q-18 0-17-18z', tint.dark),
    path('M122 84h76l8 70h-92z', tint.light),
    path(
      'M108 50q2-22 52-22t52 22l4 44q0 10-10 10q-12 0-14-14l-2-14h-60l-2 14q-2 14-14 14q-10 0-10-10z',
      tint.base,
    ),
    rect(132, 44, 56, 38, tint.light, 14),
    soft('M86 138q0-12 12-12t14 12l4 40h-28zM234 138q0-12-12-12t-14 12l-4 40h28z', tint.base, 8),
    rect(104, 152, 112, 44, tint.base, 20),
    shade('M182 152h14a20 20 0 0 1 20 20v4a20 20 0 0 1-20 20h-14z', tint),
    line('M138 86l10 36l12 38l12-38l10-36M112 160l48 2l48-2M160 162v28', tint.ink, 8),
    rect(140, 112, 40, 11, tint.ink, 5),
    rect(147, 152, 26, 22, tint.ink, 7),
    circle(160, 163, 5, WHITE),
    gleam('M112 66q2-24 24-30', 5),
  )

const stroller: Drawing = (tint) =>
  draw(
    ground(tint, 164, 110, 210),
    line('M62 72L98 104L212 188', tint.ink, 8),
    line('M186 150L112 188', tint.ink, 8),
    line('M48 80l24-20', tint.dark, 13),
    circle(130, 94, 21, WHITE),
    path('M108 92a22 22 0 0 1 44 0q-22-14-44 0z', tint.dark),
    circle(130, 70, 6, tint.dark),
    dots('M123 97h18', tint.ink, 5, 14),
    path('M160 114v-84c46 0 80 36 80 84z', tint.dark),
    path('M160 114v-84q34 26 40 84z', tint.light),
    line('M164 31q56 22 60 82', tint.base, 4),
    path('M84 110h156c0 42-30 64-68 64h-24c-36 0-60-26-64-64z', tint.base),
    shade('M92 140q60 14 142 0c-8 24-32 34-62 34h-24c-28 0-48-12-56-34z', tint),
    gleam('M98 124q6 18 18 26', 5),
    circle(106, 186, 23, tint.ink),
    circle(106, 186, 12, STEEL),
    circle(216, 186, 23, tint.ink),
    circle(216, 186, 12, STEEL),
  )

const dogBed: Drawing = (tint) =>
  draw(
    ground(tint, 160, 130, 206),
    path('M34 144q0-54 126-54t126 54v22q0 40-126 40t-126-40z', tint.dark),
    ellipse(160, 142, 102, 36, tint.light),
    line('M228 148q34-4 26-40', PAPER, 12),
    path('M96 164q-6-74 66-76q76 0 78 76z', PAPER),
    line('M182 166q-6-34 24-40', STEEL, 4),
    path('M34 150q10 22 126 22t126-22v16q0 40-126 40t-126-40z', tint.base),
    shade('M286 150v16q0 40-126 40t-126-40q20 22 124 22t128-38z', tint),
    gleam('M52 172q10 11 34 16', 5),
    ellipse(112, 128, 38, 34, WHITE),
    ellipse(98, 144, 27, 18, WHITE),
    path('M132 100q30-4 26 34q-4 16-16 9q-12-12-10-43z', tint.ink),
    path('M94 100q-24-6-28 18q0 14 9 13q11-8 19-31z', tint.ink),
    ellipse(86, 139, 9, 7, tint.ink),
    line('M98 121q6 5 11 0M118 121q5 5 10 0', tint.ink, 3),
  )

export const BABY_AND_PETS: Record<string, Drawing> = {
  'baby-monitors': babyMonitor,
  'car-seats': carSeat,
  'dog-beds': dogBed,
  strollers: stroller,
}
