/**
 * Which way a spec is better, where everybody agrees: less noise, less weight to carry, more hours of battery. It decides
 * which product of a category is called the best by a spec. Specs that are not here have no better end: a larger screen
 * or a softer mattress is a matter of taste.
 */
export type Better = { way: 'less' | 'more'; words: string }

type Rule = readonly [name: RegExp, dimension: string, way: Better['way'], words: string]

const RULES: readonly Rule[] = [
  [/noise|sound-level|loudness/, 'sound', 'less', 'Quietest'],
  [/^(?:(?!fill|dog|user|max|load).*-)?weight$/, 'mass', 'less', 'Lightest'],
  [/^(?:(?!fill|dog|user|max|load).*-)?weight$/, 'ounces', 'less', 'Lightest'],
  [/battery|run-?time|playback|play-time|runtime/, 'time', 'more', 'Longest battery life'],
  [/heat-up|heating-time|preheat/, 'time', 'less', 'Fastest to heat up'],
  [/boil/, 'time', 'less', 'Fastest to boil'],
  [/charg/, 'time', 'less', 'Fastest to charge'],
  [/set-?up-time|setup|fold/, 'time', 'less', 'Fastest to set up'],
  [/response|latency|delay/, 'time', 'less', 'Fastest response'],
  [/warranty|guarantee/, 'time', 'more', 'Longest warranty'],
  [/capacity|limit|load/, 'mass', 'more', 'Carries the most'],
  [/suction/, 'pressure', 'more', 'Strongest suction'],
  [/torque/, 'nm', 'more', 'Most torque'],
  [/brightness/, 'lumen', 'more', 'Brightest'],
  [/brightness/, 'nit', 'more', 'Brightest'],
  [/refresh/, 'frequency', 'more', 'Highest refresh rate'],
  [/cadr|air-flow|airflow/, 'cu m/h', 'more', 'Cleans the most air'],
]

/** `key` is the spec's key (spec-values.ts). */
export function betterWhen(key: string, dimension: string): Better | null {
  const rule = RULES.find(([name, of]) => of === dimension && name.test(key))
  return rule ? { way: rule[2], words: rule[3] } : null
}
