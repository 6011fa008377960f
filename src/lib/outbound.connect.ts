/**
 * Opens one connection to one of the addresses that were checked, given as literals, so no name is looked up
 * here. Addresses are tried 300 ms apart and the first to answer wins (the idea of RFC 8305): one dead
 * address of a producer must not eat its time. The peer's address is compared with the dialled one before the
 * first byte is sent; then TLS checks the certificate against the name.
 */
import { connect as netConnect, type Socket } from 'node:net'
import { type SecureContext, connect as tlsConnect } from 'node:tls'
import { canonicalAddress } from './outbound.addresses.ts'
import { codeOf, OutboundError } from './outbound.errors.ts'
import type { Target } from './outbound.target.ts'

/** Starts a TCP connection to a literal address. Tests put a counter here. */
export type OpenSocket = (address: string, port: number) => Socket

const NEXT_ADDRESS_MS = 300
const MAX_ADDRESSES = 6

export function openSocket(address: string, port: number): Socket {
  return netConnect({ host: address, port, noDelay: true })
}

export async function connectTo(
  target: Target,
  addresses: readonly string[],
  open: OpenSocket,
  context: SecureContext,
  signal: AbortSignal,
): Promise<{ socket: Socket; address: string }> {
  const reached = await dial(target, addresses.slice(0, MAX_ADDRESSES), open, signal)
  if (!target.secure) return reached
  return { socket: await secure(target, reached.socket, context, signal), address: reached.address }
}

function dial(
  target: Target,
  addresses: readonly string[],
  open: OpenSocket,
  signal: AbortSignal,
): Promise<{ socket: Socket; address: string }> {
  return new Promise((resolve, reject) => {
    const trying = new Set<Socket>()
    let tried = 0
    let timer: NodeJS.Timeout | undefined
    const settle = (winner?: Socket) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      for (const socket of trying) if (socket !== winner) socket.destroy()
      tried = addresses.length
    }
    const abort = () => {
      settle()
      reject(signal.reason)
    }
    const tryNext = () => {
      const address = addresses[tried++]
      if (address === undefined) return
      const socket = open(address, target.port)
      trying.add(socket)
      clearTimeout(timer)
      timer = setTimeout(tryNext, NEXT_ADDRESS_MS)
      // Stays for the life of the socket: an error between two owners must not end the process.
      socket.on('error', (error) => {
        trying.delete(socket)
        if (tried < addresses.length) tryNext()
        else if (trying.size === 0) {
          settle()
          reject(new OutboundError('connect', `Could not connect to ${target.host}`, codeOf(error)))
        }
      })
      socket.once('connect', () => {
        settle(socket)
        if (isPeer(socket, address, target.port)) return resolve({ socket, address })
        socket.destroy()
        reject(new OutboundError('private_address', `${target.host} was not reached at the checked address`))
      })
    }
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    tryNext()
  })
}

function isPeer(socket: Socket, address: string, port: number): boolean {
  return canonicalAddress(socket.remoteAddress ?? '') === address && socket.remotePort === port
}

function secure(
  target: Target,
  socket: Socket,
  context: SecureContext,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const named = canonicalAddress(target.host) === null
    const secured = tlsConnect({
      socket,
      host: target.host,
      ...(named ? { servername: target.host } : {}),
      secureContext: context,
      ALPNProtocols: ['http/1.1'],
      // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in somebody's shell does not switch checking off.
      rejectUnauthorized: true,
    })
    const abort = () => {
      secured.destroy()
      socket.destroy()
      reject(signal.reason)
    }
    secured.on('error', (error) => {
      signal.removeEventListener('abort', abort)
      socket.destroy()
      const code = codeOf(error)
      const lost = code === 'ECONNRESET' || code === 'EPIPE'
      reject(
        lost
          ? new OutboundError('connect', `${target.host} closed the connection`, code)
          : new OutboundError('tls', `The TLS certificate of ${target.host} was rejected`, code),
      )
    })
    secured.once('secureConnect', () => {
      signal.removeEventListener('abort', abort)
      resolve(secured)
    })
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
  })
}
