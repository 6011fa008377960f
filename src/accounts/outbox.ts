/** Reads back the mails that were written to the outbox folder: the few headers and the text part of our own format. */
import fs from 'node:fs/promises'
import path from 'node:path'

export type OutboxMail = { name: string; to: string; subject: string; date: string; text: string }

const NAME = /^[\w.-]+\.eml$/
const SHOWN = 100

export function outboxDir({ dataDir }: { dataDir: string }): string {
  return path.join(dataDir, 'outbox')
}

/** The newest first. */
export async function listOutbox(dir: string): Promise<OutboxMail[]> {
  const names = await fs.readdir(dir).catch(() => [])
  const newest = names
    .filter((name) => NAME.test(name))
    .sort()
    .reverse()
    .slice(0, SHOWN)
  const mails = await Promise.all(newest.map((name) => readOutboxMail(dir, name)))
  return mails.filter((mail) => mail !== null)
}

export async function readOutboxMail(dir: string, name: string): Promise<OutboxMail | null> {
  if (!NAME.test(name)) return null
  const raw = await fs.readFile(path.join(dir, name), 'utf8').catch(() => null)
  if (raw === null) return null
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const header = (field: string) =>
    unfolded(new RegExp(`^${field}:(.*(?:\r\n[ \t].*)*)`, 'im').exec(head)?.[1] ?? '')
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1] ?? ''
  const plain = rest
    .join('\r\n\r\n')
    .split(`--${boundary}`)
    .find((part) => /^content-type: text\/plain/im.test(part))
  const text =
    plain?.trimStart().split('\r\n\r\n').slice(1).join('\n\n').replaceAll('\r\n', '\n').trim() ?? ''
  return { name, to: header('To'), subject: header('Subject'), date: header('Date'), text }
}

/** A long value may begin on the line after its name. */
function unfolded(value: string): string {
  return value.replace(/\r\n[ \t]+/g, ' ').trim()
}
