/** What producers do besides offers: proposals for profiles, claims, prices, link tokens, team, imports; and the operator's review. */
import { type Act, asJson, type Turn } from '../act.ts'
import type { Subject } from '../journal.ts'
import { addressOf, type Producer } from '../people.ts'

const IMPORT_ROWS = 3

function owned(turn: Turn, kind: Subject['kind'], wanted: (subject: Subject) => boolean = () => true) {
  const subjects = turn.journal.free(kind).filter((subject) => subject.id !== null && wanted(subject))
  if (subjects.length === 0) return null
  const subject = turn.pick(subjects)
  const producer = turn.people.producers.find(({ orgId }) => orgId === subject.owner)
  return producer ? { subject, producer } : null
}

const byToken = ({ ip, bearer }: Producer) => ({ ip, headers: asJson({ bearer }) })
const bySession = ({ ip, cookie }: Producer) => ({ ip, headers: asJson({ cookie }) })

export const PRODUCER_ACTS: readonly Act[] = [
  {
    name: 'enrichment.submit',
    weight: 2,
    async run(turn) {
      const producer = turn.pick(turn.people.producers)
      const [word, product] = [turn.word(), turn.pick(producer.sells)]
      const subject = turn.journal.invent('enrichment', word, producer.orgId, { product })
      const answer = await turn.write(
        { subject, next: { status: 'pending' }, audited: 'enrichment.submitted', by: producer.orgId },
        {
          path: '/api/org/enrichment/',
          ...byToken(producer),
          body: {
            product_slug: product,
            fields: { description: `What its seller says: ${word}.` },
            note: word,
          },
        },
      )
      if (answer.status === 201) subject.id = String(answer.json().enrichment_id)
    },
  },
  {
    name: 'enrichment.withdraw',
    weight: 1,
    async run(turn) {
      const found = owned(turn, 'enrichment', ({ possible }) => possible[0]?.status === 'pending')
      if (!found) return
      const { subject, producer } = found
      await turn.write(
        { subject, next: { status: 'withdrawn' }, audited: 'enrichment.withdrawn', by: producer.orgId },
        {
          method: 'DELETE',
          path: '/api/org/enrichment/',
          ...bySession(producer),
          body: { enrichment_id: subject.id },
        },
      )
    },
  },
  {
    name: 'enrichment.approve',
    weight: 1,
    async run(turn) {
      const found = owned(turn, 'enrichment', ({ possible }) => possible[0]?.status === 'pending')
      if (!found) return
      const { operator } = turn.people
      await turn.write(
        {
          subject: found.subject,
          next: { status: 'approved' },
          audited: 'enrichment.approved',
          by: operator.userId,
        },
        {
          path: '/api/admin/enrichments/approve/',
          ip: operator.ip,
          headers: asJson(operator),
          body: { enrichment_id: found.subject.id },
        },
      )
    },
  },
  {
    name: 'claim.make',
    weight: 2,
    async run(turn) {
      const producer = turn.pick(turn.people.producers)
      const product = turn.pick(turn.people.products)
      const key = `${producer.orgId} ${product.id}`
      const subject = turn.journal.find('claim', key) ?? turn.journal.invent('claim', key, producer.orgId)
      if (subject.busy || subject.unsure || subject.possible[0] !== null) return
      const answer = await turn.write(
        { subject, next: { status: 'pending' }, audited: 'relationship.claimed', by: producer.orgId },
        {
          path: '/api/org/products/claim/',
          ...byToken(producer),
          body: {
            product_slug: `${product.category}/${product.slug}`,
            relationship_type: 'manufactured_by',
          },
        },
      )
      if (answer.status === 201) subject.id = String(answer.json().relationship_id)
    },
  },
  {
    name: 'claim.withdraw',
    weight: 1,
    async run(turn) {
      const found = owned(turn, 'claim')
      if (!found) return
      const { subject, producer } = found
      await turn.write(
        { subject, next: null, audited: 'relationship.withdrawn', by: producer.orgId },
        {
          method: 'DELETE',
          path: '/api/org/products/',
          ...byToken(producer),
          body: { relationship_id: subject.id },
        },
      )
    },
  },
  {
    name: 'pricing.set',
    weight: 2,
    async run(turn) {
      const producer = turn.pick(turn.people.producers)
      const product = turn.pick(producer.sells)
      const key = `${producer.orgId} ${product}`
      const subject = turn.journal.find('pricing', key) ?? turn.journal.invent('pricing', key, producer.orgId)
      if (subject.busy || subject.unsure) return
      // Never what it is already: that would change nothing, and leave no record.
      const old = Number(subject.possible[0]?.leadTimeDays ?? -1)
      const days = (old + 1 + Math.floor(turn.random() * 300)) % 365
      await turn.write(
        { subject, next: { leadTimeDays: days }, audited: 'pricing.changed', by: producer.orgId },
        {
          method: 'PATCH',
          path: '/api/org/pricing/',
          ...bySession(producer),
          body: { product_slug: product, lead_time_days: days },
        },
      )
    },
  },
  {
    name: 'token.create',
    weight: 1,
    async run(turn) {
      const producer = turn.pick(turn.people.producers)
      const word = turn.word()
      const subject = turn.journal.invent('token', word, producer.orgId)
      const answer = await turn.write(
        { subject, next: { revoked: false }, audited: 'token.created', by: producer.orgId },
        { path: '/api/org/link-tokens/', ...bySession(producer), body: { name: word } },
      )
      if (answer.status !== 201) return
      subject.id = String(answer.json().id)
      subject.notes.token = String(answer.json().token)
    },
  },
  {
    name: 'token.revoke',
    weight: 1.5,
    async run(turn) {
      const found = owned(turn, 'token', ({ possible }) => possible[0]?.revoked === false)
      if (!found) return
      const { subject, producer } = found
      await turn.write(
        { subject, next: { revoked: true }, audited: 'token.revoked', by: producer.orgId },
        { method: 'DELETE', path: '/api/org/link-tokens/', ...bySession(producer), body: { id: subject.id } },
      )
    },
  },
  {
    name: 'team.invite',
    weight: 1,
    async run(turn) {
      const producer = turn.pick(turn.people.producers)
      const email = `${turn.word()}@invited.trial.example`
      const subject = turn.journal.invent('invitation', `${producer.orgId} ${email}`, producer.orgId, {
        email,
      })
      const answer = await turn.write(
        { subject, next: { role: 'viewer' }, audited: 'team.invited', by: producer.orgId },
        {
          method: 'PATCH',
          path: '/api/org/team/',
          headers: asJson({ cookie: producer.cookie }),
          // Mails are limited by the network they are asked for from.
          ip: addressOf(5, Math.floor(turn.random() * 2_000)),
          body: { email, role: 'viewer' },
        },
      )
      if (answer.status === 200) subject.id = email
    },
  },
  {
    name: 'team.uninvite',
    weight: 1,
    async run(turn) {
      const found = owned(turn, 'invitation')
      if (!found) return
      const { subject, producer } = found
      await turn.write(
        { subject, next: null, audited: 'team.invitation_revoked', by: producer.orgId },
        {
          method: 'PATCH',
          path: '/api/org/team/',
          ...bySession(producer),
          body: { email: subject.notes.email, role: 'none' },
        },
      )
    },
  },
  {
    name: 'import.file',
    weight: 1,
    async run(turn) {
      const producer = turn.pick(turn.people.producers)
      const word = turn.word()
      const subject = turn.journal.invent('import', word, producer.orgId)
      const { category } = turn.pick(turn.people.products)
      const rows = Array.from({ length: IMPORT_ROWS }, (_, n) => ({
        title: `Import ${word} ${n}`,
        brand: word,
        category,
      }))
      const answer = await turn.tool(
        producer,
        'import_products',
        {
          source: 'jsonl',
          content: rows.map((row) => JSON.stringify(row)).join('\n'),
          dry_run: false,
          idempotency_key: word,
        },
        {
          subject,
          next: { rows: IMPORT_ROWS },
          audited: null,
          by: producer.orgId,
        },
      )
      // A row that could not be written just now is told of, and is no part of what was acknowledged.
      if (answer.outcome === 'acknowledged' && answer.data.submitted !== IMPORT_ROWS)
        subject.possible = [answer.data.submitted === 0 ? null : { rows: Number(answer.data.submitted) }]
    },
  },
]
