/**
 * `npm run screenshots`: a picture of every page of the tour, light and dark, wide and narrow, and a sheet with all of
 * them, for anyone who changes how pages look. Nothing is compared: eyes do that.
 */
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { projectFile } from '../../src/lib/paths.ts'
import { useBrowser } from '../browser.ts'
import { createTourWorld } from '../pages.seeds.ts'
import { createGuide } from '../tour.guide.ts'
import type { Stop } from '../tour.stop.ts'
import { tourOf } from '../tour.ts'
import { writeSheet } from './sheet.ts'

const THEMES = ['light', 'dark'] as const
const SIZES = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
] as const
/** Of what goes on and on, the beginning tells enough. */
const MAX_HEIGHT = 6_000

const world = await createTourWorld()
const guide = createGuide(world, useBrowser())
const folder = projectFile('screenshots')

/** Only what is named, when something is: `SHOTS=search,compare npm run screenshots`. */
const wanted = process.env.SHOTS?.split(',') ?? []
const tour = tourOf(world).filter(
  ({ name }) => wanted.length === 0 || wanted.some((one) => name.startsWith(one)),
)

async function take(stop: Stop): Promise<string[]> {
  const open = await guide.pageFor(stop.as)
  const { page } = open
  // Stops click as people with a wide screen do; the last picture was of a narrow one.
  await page.setViewportSize(SIZES[0])
  const visit = await guide.visit(open, stop)
  const files: string[] = []
  // What is below the fold is on a picture of the whole page, too.
  await page.evaluate(`(async () => {
    for (const image of document.images) image.loading = 'eager'
    await Promise.all([...document.images].map((image) => image.decode().catch(() => {})))
  })()`)
  for (const size of SIZES) {
    await page.setViewportSize(size)
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme })
      const file = `${stop.name}.${colorScheme}.${size.width}.png`
      const height = Math.min(
        MAX_HEIGHT,
        await page.evaluate<number>('document.documentElement.scrollHeight'),
      )
      const clip = { x: 0, y: 0, width: size.width, height }
      await page.screenshot({ path: path.join(folder, file), fullPage: true, clip })
      files.push(file)
    }
  }
  await visit.leave()
  return files
}

test('a picture of every page', async () => {
  expect(tour.length, `no page is called ${wanted}`).toBeGreaterThan(0)
  if (wanted.length === 0) fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  const failed: string[] = []
  for (const [at, stop] of tour.entries()) {
    process.stdout.write(`${String(at + 1).padStart(3)} of ${tour.length}  ${stop.name}\n`)
    await take(stop).catch((error: unknown) => failed.push(`${stop.name}: ${error}`))
  }
  fs.writeFileSync(path.join(folder, 'index.html'), writeSheet(fs.readdirSync(folder)))
  process.stdout.write(`\nThe pictures are in ${folder}; all of them on one sheet: ${folder}/index.html\n`)
  expect(failed).toEqual([])
})
