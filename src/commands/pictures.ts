/** `souk pictures status|copy`: what became of products' pictures, and copying them now. */
import type { Config } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { createOutbound } from '../lib/outbound.ts'
import { createDecoder } from '../pictures/decoder.ts'
import {
  copyDuePictures,
  notePictures,
  type PicturesStatus,
  picturesStatus,
  retryRefusedPictures,
} from '../pictures/pictures.service.ts'
import { picturesFolder } from '../pictures/store.ts'
import { readArguments, showUsage } from './terminal.ts'
import { withDatabase } from './with-database.ts'

const USAGE = `usage: npm run souk -- pictures status [--json]
       npm run souk -- pictures copy [--refused]

  status     shows how many pictures are copied, waiting and refused, and why
  copy       copies every picture that is due, now
  --refused  also tries those again that were refused
`

export async function picturesCommand(config: Config, args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { flags: ['json', 'refused'] })
  const [action] = positionals
  if (values.help || positionals.length !== 1 || (action !== 'status' && action !== 'copy'))
    return showUsage(USAGE, values)
  await withDatabase(config, async ({ db }) => {
    if (action === 'copy') await copyNow(config, db, values.refused)
    const status = await picturesStatus(db)
    process.stdout.write(values.json ? `${JSON.stringify(status)}\n` : statusAsText(status))
  })
  return 0
}

async function copyNow(
  config: Config,
  db: Parameters<typeof picturesStatus>[0],
  again: boolean,
): Promise<void> {
  const outbound = createOutbound({ allow: config.outboundAllow })
  const decoder = createDecoder()
  const log = createLog('error')
  const { baseUrl } = config
  const ctx = { db, clock: systemClock, log, baseUrl, outbound, decoder, folder: picturesFolder(config) }
  try {
    if (again) await retryRefusedPictures(ctx)
    await notePictures(ctx)
    while ((await copyDuePictures(ctx)) > 0) {}
  } finally {
    decoder.stop()
    await outbound.close()
  }
}

export function statusAsText({ copied, waiting, refused, files, bytes, reasons }: PicturesStatus): string {
  const line = (name: string, value: number) =>
    `${name.padEnd(12)}${value.toLocaleString('en').padStart(11)}\n`
  const why = reasons.map(
    ({ reason, words, ...of }) => `  ${reason} (${of.refused} refused, ${of.waiting} waiting): ${words}\n`,
  )
  return [
    line('Copied', copied),
    line('Waiting', waiting),
    line('Refused', refused),
    line('Files', files),
    line('Megabytes', Math.ceil(bytes / 1_000_000)),
    ...(why.length > 0 ? ['Why:\n', ...why] : []),
  ].join('')
}
