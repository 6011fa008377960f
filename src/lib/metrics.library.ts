/** What is used of the library, as a module: so the build packs it into one file, which loads in half the time. */
export { collectDefaultMetrics, Registry } from 'prom-client'
