/** The tables at the end of a run: requests by face and status, by mutation, and what was never answered well. */
import type { FuzzResult } from './run.ts'

const CLASSES = ['2xx', '3xx', '4xx', '5xx', 'none']

export function writeTables({ tally, seconds, heapMb, rssMb }: FuzzResult): string {
  const faces = [...tally.faces()]
  const row = (name: string, cells: Array<number | string>) =>
    `  ${name.padEnd(28)}${cells.map((cell) => String(cell).padStart(9)).join('')}`
  const lines = [
    `\n${tally.sent()} requests in ${seconds.toFixed(0)} s, ${(tally.sent() / seconds).toFixed(0)} a second`,
    row('face', CLASSES),
    ...faces.map(([face, counts]) =>
      row(
        face,
        CLASSES.map((name) => counts.get(name) ?? 0),
      ),
    ),
    '',
    `  statuses: ${statusLine(faces.map(([, counts]) => counts))}`,
    `  heap after collections: ${heapMb.map((mb) => mb.toFixed(0)).join(', ')} MB; largest resident size ${rssMb.toFixed(0)} MB`,
    '',
    '  where the time went (seconds, times):',
    ...tally
      .slowest()
      .map(
        ([name, spent, times]) =>
          `    ${name.padEnd(60)}${spent.toFixed(1).padStart(8)}${String(times).padStart(8)}`,
      ),
    '',
    '  mutations:',
    ...[...tally.mutations()]
      .sort(([, one], [, other]) => other - one)
      .map(([name, count]) => row(`  ${name}`, [count])),
  ]
  const never = tally.neverWell().sort()
  if (never.length > 0)
    lines.push(
      '',
      '  sent as they should be and never answered well (tries):',
      ...never.map((one) => `    ${one}`),
    )
  return lines.join('\n')
}

function statusLine(faces: ReadonlyArray<ReadonlyMap<string, number>>): string {
  const sums = new Map<string, number>()
  for (const counts of faces)
    for (const [name, count] of counts) if (/^\d+$/.test(name)) sums.set(name, (sums.get(name) ?? 0) + count)
  return [...sums]
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([name, count]) => `${name} × ${count}`)
    .join(', ')
}
