/**
 * Where a request comes from. Behind a trusted proxy its address is the last entry of X-Forwarded-For, the one that
 * proxy wrote itself; every entry before it is whatever the client claimed.
 */
import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { Context } from 'hono'
import type { HttpEnv } from './env.ts'

type NodeBindings = { incoming?: { socket?: { remoteAddress?: string } } }

/** For the session list, the audit log and the trace. */
export function visitOf(c: Context<HttpEnv>, { trustProxy }: { trustProxy: boolean }) {
  return {
    ip: clientIp(c, trustProxy),
    userAgent: c.req.header('user-agent') ?? null,
    requestId: c.get('requestId'),
  }
}

/** The same where there is no router: from the request of node:http itself. */
export function socketVisit(
  { headers, socket }: IncomingMessage,
  { trustProxy, requestId }: { trustProxy: boolean; requestId: string },
) {
  const forwarded = trustProxy
    ? String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .at(-1)
        ?.trim()
    : ''
  return {
    ip: forwarded ? normalise(forwarded) : peerOf(socket),
    userAgent: headers['user-agent'] ?? null,
    requestId,
  }
}

/** By connection: it brings many requests, and the other end does not change. */
const peers = new WeakMap<Socket, string | null>()

function peerOf(socket: Socket): string | null {
  const known = peers.get(socket)
  if (known !== undefined) return known
  const ip = socket.remoteAddress ? normalise(socket.remoteAddress) : null
  peers.set(socket, ip)
  return ip
}

/** Null when it is not known (no socket, or a proxy that says nothing sensible). */
export function clientIp(c: Context, trustProxy: boolean): string | null {
  if (!trustProxy) return socketIp(c)
  const last = c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim()
  return last ? normalise(last) : socketIp(c)
}

export function socketIp(c: Context): string | null {
  const address = (c.env as NodeBindings | undefined)?.incoming?.socket?.remoteAddress
  return address ? normalise(address) : null
}

/** Without port, brackets and zone; an IPv4 address in IPv6 clothes as what it is. */
function normalise(address: string): string | null {
  const bare = address.replace(/^\[([^\]]*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
  const plain = bare
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=[\d.]+$)/i, '')
    .toLowerCase()
  return isIP(plain) === 0 ? null : plain
}
