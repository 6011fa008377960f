/** Anyone who signed up or was invited got a mail, at least once and in the end. */
import type { Check } from './check.ts'

export const MAILS: Check = {
  name: 'mails',
  async run({ pool, journal, mail }) {
    if (!mail) return []
    const accounts = await pool.query<{ key: string }>(
      `select email_key as key from users where email_key like '%@new.trial.example'`,
    )
    const invited = journal.writes.flatMap(({ act, outcome, subject }) =>
      act === 'team.invite' && outcome === 'acknowledged' ? (subject?.notes.email ?? []) : [],
    )
    return [...accounts.rows.map(({ key }) => key), ...invited]
      .filter((address) => mail.linksTo(address).length === 0)
      .map((address) => `${address} never got the mail`)
  },
}
