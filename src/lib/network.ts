/** Whose address it is: whoever has one IPv6 address has 2^64 of them, so its network counts as one. */
import { isIPv6 } from 'node:net'

export function network(ip: string): string {
  if (!isIPv6(ip)) return ip
  const [head = '', tail] = ip.split('::')
  const groups = head.split(':').filter(Boolean)
  if (tail !== undefined) {
    const after = tail.split(':').filter(Boolean)
    while (groups.length + after.length < 8) groups.push('0')
    groups.push(...after)
  }
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
