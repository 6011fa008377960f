/**
 * /account/notices, where a person chooses what is emailed to them and when, and /notices/unsubscribe, which the links in
 * those emails lead to. Mail readers post to it for the person (RFC 8058): without a session and without an Origin, so
 * it is the one form that takes a post from anywhere. Its token names a person and kinds, and all it can do is turn
 * these off. Opening the link changes nothing, because mail scanners open links; turning a kind on again needs the page.
 */

import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { readBody } from '../../http/body.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import { AppError } from '../../lib/errors.ts'
import { KINDS, NOTICE_KINDS, type NoticeKind } from '../../notices/kinds.ts'
import {
  changeNoticeSettings,
  clockTime,
  getNoticeSettings,
  type NoticeSettings,
  readUnsubscribeToken,
  type Subscription,
  subscribe,
} from '../../notices/notices.service.ts'
import { isTimeZone, timeZones } from '../../notices/schedule.ts'
import { SETTINGS_PATH, UNSUBSCRIBE_PATH } from '../../notices/send.job.ts'
import { actingOrg } from '../../orgs/producer.ts'
import { Form } from '../kit/fields.tsx'
import { Fields, type FormSpec, formOf, typedOf } from '../kit/form.tsx'
import { optionsOf } from '../kit/list.tsx'
import { Action } from '../kit/parts.tsx'
import { createPages, ownPages, type PersonPage, type PersonSeen, Ways } from '../kit/person.tsx'
import type { SignedInBrowser } from '../signed-in.ts'
import type { AccountDeps } from './account.routes.tsx'

const kindsFor = (audience: 'buyers' | 'sellers') =>
  NOTICE_KINDS.filter((kind) => KINDS[kind].audience === audience)
const boxes = (audience: 'buyers' | 'sellers') =>
  kindsFor(audience).map((kind) => [kind, KINDS[kind].label] as const)
const HOURS = Array.from({ length: 24 }, (_, hour) => clockTime(hour * 60))
const hours = HOURS.map((hour) => [hour, hour] as const)

const FORM = {
  buyers: { kind: 'choices', label: 'Email me when', options: boxes('buyers') },
  sellers: { kind: 'choices', label: 'Email me about my organization when', options: boxes('sellers') },
  digest: {
    kind: 'choice',
    label: 'How often',
    options: optionsOf({ instant: 'As it happens', daily: 'Once a day, at 8 in the morning' }),
  },
  quiet_from: { kind: 'choice', label: 'Quiet hours from', options: [['', 'No quiet hours'], ...hours] },
  quiet_to: { kind: 'choice', label: 'Quiet hours until', options: [['', 'No quiet hours'], ...hours] },
  time_zone: { kind: 'choice', label: 'Time zone', options: timeZones().map((zone) => [zone, zone]) },
} satisfies FormSpec

const Hour = z
  .enum(HOURS, 'Choose an hour.')
  .transform((hour) => HOURS.indexOf(hour) * 60)
  .optional()

const Settings = z
  .object({
    buyers: z.array(z.string()),
    sellers: z.array(z.string()),
    digest: z.enum(['instant', 'daily'], 'Choose how often.'),
    quiet_from: Hour,
    quiet_to: Hour,
    time_zone: z.string('Choose a time zone.').refine(isTimeZone, 'Choose a time zone.'),
  })
  .superRefine(({ quiet_from: from, quiet_to: to }, check) => {
    if ((from === undefined) === (to === undefined) && (from === undefined || from !== to)) return
    const message = 'Choose when quiet hours begin and when they end, or neither.'
    check.addIssue({ code: 'custom', path: [to === undefined ? 'quiet_to' : 'quiet_from'], message })
  })

type Seen = PersonSeen<SignedInBrowser>

export function mountNotices(app: Hono<HttpEnv>, deps: AccountDeps): void {
  const { accounts } = deps
  const own = ownPages(app, deps, () => SETTINGS_PATH)

  async function settingsPage({ actor, state, form }: Seen): Promise<PersonPage> {
    const { user } = actor
    const [settings, org] = await Promise.all([
      getNoticeSettings(accounts.db, user.id),
      actingOrg(accounts, actor),
    ])
    const shown = Object.keys(form).length > 0 ? state : { values: typed(settings), errors: {} }
    const fields = Object.keys(FORM).filter((name) => name !== 'sellers' || org !== null)
    return {
      title: 'Email notices',
      lead: user.emailVerified
        ? `We send these to ${user.email}.`
        : 'Your email isn’t confirmed, so we send you none of these yet.',
      said: { saved: 'Saved.' },
      body: [
        <Form action={SETTINGS_PATH} label="Save">
          <Fields of={FORM} state={shown} only={fields} />
        </Form>,
        <p class="hint">Emails about signing in and your password always arrive.</p>,
        <Ways ways={[['/account', 'Back to your account']]} />,
      ],
    }
  }

  own.page(SETTINGS_PATH, settingsPage)
  own.action(SETTINGS_PATH, {
    schema: formOf(FORM, Settings),
    async act({ actor, visit, input }) {
      const userId = actor.user.id
      const before = await getNoticeSettings(accounts.db, userId)
      // Who belongs to no organization was not shown its kinds.
      const org = await actingOrg(accounts, actor)
      const asked = [...kindsFor('buyers'), ...(org === null ? [] : kindsFor('sellers'))]
      const on = [...input.buyers, ...input.sellers]
      const chosen = Object.fromEntries(asked.map((kind) => [kind, on.includes(kind)]))
      const { digest, time_zone: timeZone, quiet_from: from, quiet_to: to } = input
      await changeNoticeSettings(
        accounts,
        { userId, visit },
        {
          ...{ kinds: { ...before.kinds, ...chosen }, digest, timeZone },
          quiet: from === undefined || to === undefined ? null : { from, to },
        },
      )
      return `${SETTINGS_PATH}?done=saved`
    },
  })

  mountUnsubscribe(app, deps)
}

function mountUnsubscribe(app: Hono<HttpEnv>, deps: AccountDeps): void {
  const { accounts, config } = deps
  const pages = createPages(app, deps, async () => ({}))
  const subscriptionIn = (c: Context): Subscription => {
    const found = readUnsubscribeToken(accounts, c.req.query('token') ?? '')
    if (!found) throw new AppError('not_found', 'This link is not complete. Copy all of it from the email.')
    return found
  }

  async function show(c: Context): Promise<PersonPage> {
    const { userId, kinds } = subscriptionIn(c)
    const settings = await getNoticeSettings(accounts.db, userId)
    const isOn = kinds.some((kind) => settings.kinds[kind])
    const to = `${UNSUBSCRIBE_PATH}?token=${c.req.query('token')}`
    return {
      title: isOn ? 'Stop these emails?' : 'You’re unsubscribed',
      lead: isOn ? 'We’ll stop emailing you when:' : 'We no longer email you when:',
      body: [
        <ul class="plain-list">
          {kinds.map((kind) => (
            <li>{KINDS[kind].label}</li>
          ))}
        </ul>,
        isOn ? (
          <Action to={to} label="Stop these emails" kind="primary" />
        ) : (
          <Action to={to} label="Send them again" fields={{ again: 'on' }} />
        ),
        <Ways ways={[[SETTINGS_PATH, 'Choose what we email you']]} />,
      ],
    }
  }

  pages.page(UNSUBSCRIBE_PATH, ({ c }) => show(c))

  // Not an action of the kit: that takes no form from elsewhere.
  app.post(UNSUBSCRIBE_PATH, async (c) => {
    const subscription = subscriptionIn(c)
    const on = new URLSearchParams((await readBody(c)).toString('utf8')).get('again') === 'on'
    if (on) requireSameOrigin(c, config.baseUrl)
    await subscribe(accounts, subscription, { on, visit: visitOf(c, config) })
    return pages.answer(c, await show(c))
  })
}

function typed({ kinds, digest, quiet, timeZone }: NoticeSettings): Record<string, string> {
  const on = (all: NoticeKind[]) => all.filter((kind) => kinds[kind])
  return typedOf(FORM, {
    ...{ buyers: on(kindsFor('buyers')), sellers: on(kindsFor('sellers')), digest, time_zone: timeZone },
    quiet_from: quiet && clockTime(quiet.from),
    quiet_to: quiet && clockTime(quiet.to),
  })
}
