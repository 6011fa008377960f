/** That the history has words for all that is recorded: the sources say what that is. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { projectFile } from '../../../lib/paths.ts'
import { kindOf } from '../../../orgs/history.service.ts'
import { ACTIONS_WITH_WORDS, sentenceFor } from './sentences.ts'

/** Recorded for a person or for nobody, never for an organization. */
const NOT_FOR_ORGANIZATIONS = [
  /^rfq\.(?!won$)/,
  /^notices\./,
  /^saved\./,
  /^plan\./,
  /^mistake\./,
  /^integration\.secrets_resealed$/,
  /^quote_key\./,
  // The name of a job.
  /\.sweep$/,
  /^sources\./,
  /^(import|rates|catalog|category|product|brand|search_\w+|import_files?)\./,
]
const RECORDS = /\brecord(Actions?|Audits?)\(/
const ACTION = /'([a-z_]+\.[a-z_]+)'/g

function recordedActions(): string[] {
  const root = projectFile('src')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.|^(accounts|oauth|web)\b/.test(file),
  )
  const found = files
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
    .filter((source) => RECORDS.test(source))
    .flatMap((source) => [...source.matchAll(ACTION)].map(([, action = '']) => action))
  return [...new Set(found)].filter((action) => !NOT_FOR_ORGANIZATIONS.some((not) => not.test(action)))
}

test('every action that a service records for an organization has one, and a kind to find it by', () => {
  const actions = recordedActions()
  expect(actions).toEqual(expect.arrayContaining(['team.left', 'offer.status_set', 'org.reactivated']))
  expect(actions.filter((action) => !ACTIONS_WITH_WORDS.has(action))).toEqual([])
  expect(actions.filter((action) => kindOf(action) === null)).toEqual([])
})

test('none is for an action that nothing records', () => {
  const actions = new Set(recordedActions())
  expect([...ACTIONS_WITH_WORDS].filter((action) => !actions.has(action))).toEqual([])
})

test('details that are missing or of another shape than expected never break one', () => {
  const odd = {
    product_slug: 7,
    changed: 'name',
    rules: {},
    parts: [1],
    role: null,
    user_id: [],
    via: 'constructor',
  }
  for (const action of [...ACTIONS_WITH_WORDS, 'later.added', 'constructor.name', 'nodot'])
    for (const detail of [{}, odd]) {
      const told = sentenceFor(action, detail, () => 'somebody')
      expect([action, /^[A-Z].*[^ :]$/.test(told), /undefined|null|object|function/.test(told)]).toEqual([
        action,
        true,
        false,
      ])
    }
})
