/** For `npm run screenshots`: the setting of the tests, with the one file that takes pictures in place of all tests. */
import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration so
export default defineConfig({
  test: {
    ...base.test,
    include: ['test/shots/*.shots.ts'],
    testTimeout: 600_000,
    // Progress is for whoever waits, as it comes.
    disableConsoleIntercept: true,
  },
})
