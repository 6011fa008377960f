import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst, timesReporter } from './test/times.ts'

/** Tests that start processes, browsers or large worlds stand below test/; those beside the source run in this process. */
const QUICK = ['src/**/*.test.{ts,tsx}', 'test/*.test.ts', 'producer-kit/**/*.test.ts']

const report = process.env.SOUK_TEST_REPORT

export default defineConfig({
  test: {
    globalSetup: ['test/tsx.global.ts', 'test/described.global.ts', 'test/global-setup.ts'],
    setupFiles: ['test/described.setup.ts'],
    include: process.env.SOUK_TEST_QUICK ? QUICK : [...QUICK, 'test/**/*.test.{ts,tsx}'],
    reporters: [
      'default',
      timesReporter(),
      // Where `npm test` counts from.
      ...(report ? [['json', { outputFile: report }] satisfies ['json', object]] : []),
    ],
    // Ends what hangs. Nothing is told by a machine that is busy, and one that is takes ten times as long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    restoreMocks: true,
    expect: { poll: { interval: 20 } },
    sequence: { sequencer: LongestFirst },
    // More than two cores: a test waits for the database, a browser or a program for half of its time.
    maxWorkers: 3,
    // A worker keeps its modules from file to file: loading them anew for each took a third of the run. Nothing in src or
    // test keeps state in a module that a later file could trip over, and the order of files is not fixed, so it would show.
    isolate: false,
    // Node reads the modules by itself, without Vite, which would first write each of them anew and hand it to every worker.
    // No test replaces a module, so nothing else is missed.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ['--import', path.join(import.meta.dirname, 'test', 'tsx.hooks.ts')],
  },
})
