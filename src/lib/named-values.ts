/** Several settings in one variable: `name=value` separated by commas. What is not named keeps its preset. */

/** The values, or what is wrong with the text. The text itself is not repeated. */
export function parseNamedValues<Name extends string, Value>(
  text: string,
  presets: Record<Name, Value>,
  read: (text: string) => Value | undefined,
): Record<Name, Value> | string {
  const values = { ...presets }
  const given = new Set<string>()
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue
    const [name = '', value = '', ...rest] = entry.split('=').map((part) => part.trim().toLowerCase())
    if (!Object.hasOwn(presets, name)) return `valid names are ${Object.keys(presets).join(', ')}`
    if (given.has(name)) return `${name} is given twice`
    given.add(name)
    const known = rest.length === 0 ? read(value) : undefined
    if (known === undefined) return `the value of ${name} is not valid`
    values[name as Name] = known
  }
  return values
}
