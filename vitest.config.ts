import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest. One of them that began last would run alone, while the other workers have nothing to do. */
const LONG =
  /accessible|authorization|faults|start-stop|rolling|many-nodes|restore|backup|pgvector|upgrades|inspector|journeys|docs\.page|separation|read-rows|races|webmcp|observability|listings|watchdog|clients|injection|browser\.|import-export|overload|fallback|throttle|properties|reads\.test|rfq\.producers/

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    globalSetup: ['test/described.global.ts', 'test/global-setup.ts'],
    setupFiles: ['test/described.setup.ts'],
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.{ts,tsx}', 'producer-kit/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    sequence: { sequencer: LongestFirst },
    // One less than the cores by default, which on two of them is one; the tests wait for the database half of the time.
    maxWorkers: 2,
    // A worker keeps its modules from file to file: loading them anew for each took a third of the run. Nothing in src or
    // test keeps state in a module that a later file could trip over, and the order of files is not fixed, so it would show.
    isolate: false,
  },
})
