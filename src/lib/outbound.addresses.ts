/**
 * Which addresses are the open internet. Everything else (loopback, private, link-local, shared, documentation,
 * multicast, reserved: the IANA special-purpose registries) is blocked.
 * IPv4 and IPv6 have a list each: `net.BlockList` compares an IPv4 address with IPv6 subnets in its mapped form,
 * so one list holding ::/3 (or ::ffff:0:0/96) would block all of IPv4.
 * IPv6 forms that carry an IPv4 address inside (mapped, compatible, NAT64, 6to4, Teredo) are blocked as whole
 * families: no honest public name answers with them, and none needs unpacking then.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

const BLOCKED_V4: [network: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // in no registry, but inside Azure it is the host itself, which hands out a machine's secrets
  ['169.254.0.0', 16], // link-local; cloud metadata lives here
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16],
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4], // reserved, and the broadcast address
]

const BLOCKED_V6: [network: string, prefix: number][] = [
  // Global unicast is 2000::/3; these three are all the rest: ::, ::1, mapped, compatible, NAT64, discard,
  // segment routing, unique local, link-local, site-local, multicast, and what nobody has been given.
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4
  ['3fff::', 20],
]

const blockedV4 = new BlockList()
for (const [network, prefix] of BLOCKED_V4) blockedV4.addSubnet(network, prefix, 'ipv4')

const blockedV6 = new BlockList()
for (const [network, prefix] of BLOCKED_V6) blockedV6.addSubnet(network, prefix, 'ipv6')

/** Normalizes a literal address; null if the text is not an address. Zone ids are not accepted. */
export function canonicalAddress(text: string): string | null {
  if (isIPv4(text)) return text
  if (!isIPv6(text) || text.includes('%')) return null
  return new URL(`http://[${text}]/`).hostname.slice(1, -1)
}

/** Top-level names that no public DNS answers, or that mean this machine or network. */
const LOCAL =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|onion|invalid)$/

/** Of a name without trailing dot. */
export function isLocalName(name: string): boolean {
  return !name.includes('.') || LOCAL.test(name)
}

/** What is not plainly a public address counts as blocked. */
export function isBlockedAddress(text: string): boolean {
  const address = canonicalAddress(text)
  if (address === null) return true
  return isIPv4(address) ? blockedV4.check(address, 'ipv4') : blockedV6.check(address, 'ipv6')
}

/** The network that an address counts as. One IPv6 host has 2^64 addresses, so its network is one. */
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
