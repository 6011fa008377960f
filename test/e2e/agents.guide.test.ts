/** docs/agents.md shows what the service says today. To record it anew: UPDATE_GOLDEN=1 npm test -- test/e2e/agents.guide */
import fs from 'node:fs'
import { expect, test } from 'vitest'
import { projectFile } from '../../src/lib/paths.ts'
import { holdConversations } from '../agents.guide.ts'
import { createSampleWorld } from './tools.live.ts'

const FILE = projectFile('docs', 'agents.md')
const RECORDED = /(<!-- recorded: ([a-z0-9 ]+) -->\n)```text\n[\s\S]*?```\n/g

test('every conversation of the guide goes as it is written there', async () => {
  const held = await holdConversations(await createSampleWorld())
  const source = fs.readFileSync(FILE, 'utf8')
  const names = [...source.matchAll(RECORDED)].map(([, , name = '']) => name)
  expect(names.toSorted()).toEqual(Object.keys(held).toSorted())
  const written = source.replace(
    RECORDED,
    (_, marker: string, name: string) =>
      `${marker}\`\`\`text\n${held[name]?.replaceAll('```', "'''")}\n\`\`\`\n`,
  )
  if (process.env.UPDATE_GOLDEN) fs.writeFileSync(FILE, written)
  expect(fs.readFileSync(FILE, 'utf8')).toBe(written)
})
