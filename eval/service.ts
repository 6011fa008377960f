/**
 * The service itself, started on a data folder of its own with the demo catalog and its sellers, and people with access
 * tokens who call its tools. Evaluations of tools ask it as agents do: over HTTP, on loopback.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSouk, tempDir } from '../bench/processes.ts'
import { loadConfig } from '../src/config.ts'
import { connectDatabase } from '../src/db/connect.ts'
import type { Db } from '../src/db/database.ts'
import { newId } from '../src/lib/ids.ts'
import { createLog } from '../src/lib/log.ts'
import { giveAccessToken } from '../test/access-token.ts'

/** As its texts name it, whatever the port. */
export const PUBLIC_URL = 'http://localhost:3000'

export type ToolReply = { text: string; data: Record<string, unknown>; isError: boolean }
export type Service = Awaited<ReturnType<typeof startService>>

export async function startService(env: Record<string, string> = {}) {
  const dir = tempDir()
  const dataDir = path.join(dir, 'data')
  const souk = await startSouk({ SOUK_DATA_DIR: dataDir, SOUK_BASE_URL: PUBLIC_URL, ...env })
  const baseUrl = `http://127.0.0.1:${souk.port}`
  const config = loadConfig({ SOUK_DATA_DIR: dataDir })
  const database = await connectDatabase(config, { role: 'command', log: createLog('error') })
  const { db } = database
  await ready(baseUrl)
  let people = 0

  async function person({ producer = false } = {}): Promise<{ userId: string; token: string }> {
    const userId = await addPerson(db, `agent-${++people}@people.example`, producer)
    const given = { userId, at: new Date(), baseUrl: PUBLIC_URL, clientName: 'Evaluation' }
    return { userId, token: await giveAccessToken(db, given) }
  }

  async function rpc(token: string, method: string, params: unknown, at = '/mcp'): Promise<Response> {
    return fetch(`${baseUrl}${at}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  }

  async function call(token: string, name: string, args: unknown): Promise<ToolReply> {
    const response = await rpc(token, 'tools/call', { name, arguments: args })
    const { result, error } = (await response.json()) as {
      result?: {
        content: Array<{ text: string }>
        structuredContent?: Record<string, unknown>
        isError?: boolean
      }
      error?: { message: string }
    }
    if (!result) return { text: error?.message ?? `status ${response.status}`, data: {}, isError: true }
    const text = result.content.map((part) => part.text).join('\n')
    return { text, data: result.structuredContent ?? {}, isError: result.isError ?? false }
  }

  return {
    ...{ baseUrl, db, person, rpc, call },
    async stop() {
      await database.close()
      await souk.stop()
      fs.rmSync(dir, { recursive: true, force: true })
    },
  }
}

const READY_WITHIN_MS = 120_000

/** The catalog is loaded and can be searched. */
async function ready(baseUrl: string): Promise<void> {
  const until = Date.now() + READY_WITHIN_MS
  while (!(await fetch(`${baseUrl}/readyz`)).ok) {
    if (Date.now() > until) throw new Error('the service did not get ready')
    await sleep(100)
  }
}

async function addPerson(db: Db, email: string, producer: boolean): Promise<string> {
  const id = newId()
  const at = new Date()
  await db
    .insertInto('users')
    .values({
      ...{ id, email, email_key: email, name: 'Ada', password_hash: null, email_verified_at: at },
      ...{ created_at: at, updated_at: at, ...(producer && { account_type: 'producer' as const }) },
    })
    .execute()
  return id
}
