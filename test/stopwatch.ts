/**
 * Counts what a person does in a browser: every click and every field that is filled in, chosen or pasted into. Reading,
 * scrolling and waiting are free, and so is what somebody else does.
 */
import type { Locator, Page } from 'playwright-core'

export type Stopwatch = ReturnType<typeof createStopwatch>

export function createStopwatch(page: Page) {
  const began = performance.now()
  const done: string[] = []
  const main = page.getByRole('main')
  async function count(what: string, act: () => Promise<unknown>): Promise<void> {
    await act()
    done.push(what)
  }
  return {
    page,
    click: (what: string, where: Locator) => count(`click ${what}`, () => where.click()),
    press: (name: string | RegExp) =>
      count(`press ${name}`, () => main.getByRole('button', { name }).first().click()),
    follow: (name: string | RegExp) =>
      count(`follow ${name}`, () => page.getByRole('link', { name }).first().click()),
    fill: (label: string | RegExp, value: string) =>
      count(`fill ${label}`, () => main.getByLabel(label).first().fill(value)),
    choose: (label: string | RegExp, option: string) =>
      count(`choose ${label}`, () => main.getByLabel(label).first().selectOption({ label: option })),
    file: (label: string, name: string, content: string) =>
      count(`file ${label}`, () =>
        main
          .getByLabel(label, { exact: true })
          .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) }),
      ),
    /** Into a cell, as a spreadsheet's copy comes: text with tabs and lines. */
    paste: (cell: Locator, text: string) =>
      count('paste', async () => {
        await cell.focus()
        await page.evaluate(
          `const clipboardData = new DataTransfer()
          clipboardData.setData('text/plain', ${JSON.stringify(text)})
          document.activeElement.dispatchEvent(
            new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))`,
        )
      }),
    read: async (heading: string | RegExp): Promise<string> => {
      await main.getByRole('heading', { name: heading }).first().waitFor()
      return (await main.allInnerTexts()).join()
    },
    interactions: () => done.length,
    /** What was done, one line each, for the one who reads the report. */
    report: () =>
      `${done.length} interactions in ${((performance.now() - began) / 1000).toFixed(1)} s:\n${done
        .map((what, index) => `  ${index + 1}. ${what}`)
        .join('\n')}`,
  }
}
