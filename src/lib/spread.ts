/** FNV-1a with a final mix, as a number in [0, 1): near texts such as "Arvo" and "Arva" land far apart. */
export function spread(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
