/**
 * Before anything is read: is the request meant for this server, and may a page of that origin send it? A page whose
 * name was made to resolve to our address (DNS rebinding) sends its own name as Host, and is turned away by that.
 * Pages of other sites may call when they come over https or from the reader's own machine: they need a token like
 * everybody, and no cookie is looked at here.
 */
import { isLoopback } from '../../lib/loopback.ts'

export type Door = {
  /** Null when it may come in, else why not. */
  refusal(host: string | undefined, origin: string | undefined): string | null
}

const MOST_REMEMBERED = 1_000

export function createDoor(config: { baseUrl: string; mcpUrl: string; host: string }): Door {
  const own = [config.baseUrl, config.mcpUrl].map((address) => new URL(address))
  const names = new Set(own.map(({ hostname }) => hostname.toLowerCase()))
  const origins = new Set(own.map(({ origin }) => origin))
  /** A server that only this machine reaches is called by any of the machine's own names. */
  const local = isLoopback(config.host) || own.some(({ hostname }) => isLoopback(hostname))
  const known = new Map<string, boolean>()

  function isOurs(host: string): boolean {
    const remembered = known.get(host)
    if (remembered !== undefined) return remembered
    const name = URL.parse(`http://${host}`)?.hostname.toLowerCase() ?? ''
    const ours = names.has(name) || (local && isLoopback(name))
    if (known.size >= MOST_REMEMBERED) known.clear()
    known.set(host, ours)
    return ours
  }

  function mayCall(origin: string): boolean {
    if (origins.has(origin)) return true
    const url = URL.parse(origin)
    return (
      url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))
    )
  }

  return {
    refusal(host, origin) {
      if (host === undefined || !isOurs(host))
        return 'this host name is not one of the server; its operator sets SOUK_BASE_URL or SOUK_MCP_URL'
      if (origin !== undefined && !mayCall(origin))
        return 'pages of this origin may not call; only https sites and this machine'
      return null
    },
  }
}
