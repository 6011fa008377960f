/**
 * Loaded into the node of a fuzzing run by `--import`: it cannot leave this machine. The fuzzer makes up addresses of cards,
 * client documents and shops, and a name that it made up may be somebody's. Names are not asked for at all, and a
 * connection goes to loopback or to a socket file, or fails as if nobody were there.
 */
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const LOCAL = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3}|localhost)$/i

const noSuchName = (name) => Object.assign(new Error(`not asked for: ${name}`), { code: 'ENOTFOUND' })

for (const resolver of [dns.promises.Resolver.prototype, dns.promises])
  for (const name of Object.getOwnPropertyNames(resolver))
    if (/^resolve|^reverse/.test(name)) resolver[name] = (asked) => Promise.reject(noSuchName(asked))
for (const resolver of [dns.Resolver.prototype, dns])
  for (const name of Object.getOwnPropertyNames(resolver))
    if (/^resolve|^reverse/.test(name))
      resolver[name] = (asked, ...rest) => process.nextTick(rest.at(-1), noSuchName(asked))

const { lookup } = dns
const { lookup: lookupPromise } = dns.promises
dns.lookup = (name, ...rest) =>
  LOCAL.test(name) ? lookup(name, ...rest) : process.nextTick(rest.at(-1), noSuchName(name))
dns.promises.lookup = (name, options) =>
  LOCAL.test(name) ? lookupPromise(name, options) : Promise.reject(noSuchName(name))

const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...args) {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args
  const options = typeof first === 'object' && first !== null ? first : { port: first, host: second }
  const host = options.host ?? 'localhost'
  if (options.path === undefined && typeof host === 'string' && !LOCAL.test(host)) {
    process.nextTick(() => this.destroy(Object.assign(new Error('stays inside'), { code: 'ENETUNREACH' })))
    return this
  }
  return connect.apply(this, args)
}
syncBuiltinESMExports()
