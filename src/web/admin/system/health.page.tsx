/** /admin/health: what is well, what is worth a look, and what to do about it; the same as JSON for scripts. */
import { Moment } from '../../components/moment.tsx'
import { sentence } from '../../format.ts'
import { DataTable, Panel, State, type Tone } from '../../kit/parts.tsx'
import { sendPage } from '../../page.http.ts'
import type { AdminDeps } from '../deps.ts'
import type { Admin, Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { HEALTH } from '../paths.ts'
import { findHealth, type Health, watchEventLoop } from './health.ts'
import type { Check } from './health.words.ts'

const WORDS: Record<Check['state'], { tone: Tone; word: string; all: string }> = {
  ok: { tone: 'good', word: 'Ok', all: 'All is well.' },
  look: { tone: 'mixed', word: 'Look', all: 'Some things are worth a look.' },
  bad: { tone: 'bad', word: 'Bad', all: 'Something needs you now.' },
}

export function mountHealth(admin: Admin, deps: AdminDeps): void {
  watchEventLoop()
  admin.get(HEALTH, async (c, operator) => sendPage(c, renderHealth(deps, operator, await findHealth(deps))))
  admin.get(`${HEALTH}.json`, async (c) =>
    c.json(await findHealth(deps), 200, { 'Cache-Control': 'no-store' }),
  )
}

function renderHealth({ site }: AdminDeps, operator: Operator, health: Health): string {
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title="Health"
      lead={
        <>
          {WORDS[health.state].all} As this node sees it, <Moment at={health.at} />.
        </>
      }
      at={HEALTH}
      actions={
        <a class="button plain" href={`${HEALTH}.json`}>
          As JSON
        </a>
      }
    >
      {health.groups.map(({ name, checks }) => (
        <Panel title={name}>
          <DataTable
            caption={name}
            columns={[{ label: 'What' }, { label: 'State' }, { label: 'Finding' }]}
            rows={checks.map((check) => [
              check.name,
              <State tone={WORDS[check.state].tone}>{WORDS[check.state].word}</State>,
              <span class="finding">
                {sentence(check.text)}
                {check.fix && <span class="row-note">{sentence(check.fix)}</span>}
              </span>,
            ])}
          />
        </Panel>
      ))}
    </AdminPage>,
  )
}
