// The few strokes every picture is made of, so that forty drawings share one hand: rounded joins, one
// line width, light from the upper left, a soft shadow on the ground.
// No ids, gradients, filters or styles: the markup can be inlined many times on one page, and a strict
// content security policy has nothing to object to.
import type { Tint } from './palette.ts'

export type Drawing = (tint: Tint) => string

export const WHITE = '#fff'
export const PAPER = '#eef0f3'
export const STEEL = '#c6ccd6'
export const SLATE = '#8a93a3'

const LINE_WIDTH = 4

export const draw = (...parts: string[]): string => parts.join('')

export const rect = (x: number, y: number, width: number, height: number, fill: string, radius = 0): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}"${radius ? ` rx="${radius}"` : ''} fill="${fill}"/>`

export const circle = (cx: number, cy: number, radius: number, fill: string): string =>
  `<circle cx="${cx}" cy="${cy}" r="${radius}" fill="${fill}"/>`

export const ellipse = (cx: number, cy: number, rx: number, ry: number, fill: string): string =>
  `<ellipse cx="${cx}" cy="${cy}" rx="${rx}" ry="${ry}" fill="${fill}"/>`

export const path = (d: string, fill: string): string => `<path d="${d}" fill="${fill}"/>`

/** A path with its corners rounded off by half of `width`. */
export const soft = (d: string, fill: string, width = LINE_WIDTH): string =>
  `<path d="${d}" fill="${fill}" stroke="${fill}" stroke-width="${width}" stroke-linejoin="round"/>`

export const line = (d: string, stroke: string, width = LINE_WIDTH): string =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`

/** Round dots `gap` apart along a path: grilles, mesh and perforations in one element. */
export const dots = (d: string, stroke: string, width: number, gap: number): string =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-dasharray="0 ${gap}"/>`

export const faded = (opacity: number, ...parts: string[]): string =>
  `<g opacity="${opacity}">${parts.join('')}</g>`

export const turned = (degrees: number, cx: number, cy: number, ...parts: string[]): string =>
  `<g transform="rotate(${degrees} ${cx} ${cy})">${parts.join('')}</g>`

/** The side away from the light. */
export const shade = (d: string, tint: Tint): string =>
  `<path d="${d}" fill="${tint.ink}" fill-opacity=".16"/>`

/** A gleam on the side towards the light. */
export const gleam = (d: string, width = LINE_WIDTH): string =>
  `<path d="${d}" fill="none" stroke="#fff" stroke-opacity=".5" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`

export const ground = (tint: Tint, cx: number, rx: number, cy = 206): string =>
  `<ellipse cx="${cx}" cy="${cy}" rx="${rx}" ry="${Math.min(11, Math.round(rx / 9))}" fill="${tint.ink}" fill-opacity=".18"/>`
