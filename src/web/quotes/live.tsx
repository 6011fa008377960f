/**
 * What a reader sees of a request that is under way: a card for each answer on arrival, then the ranked whole. It ends when
 * the request does, when the reader has gone, when the sellers' time is up and a little more, or when the node stops; the
 * request itself goes on in every case.
 */
import type { AgentsContext } from '../../agents/context.ts'
import type { RfqContext } from '../../rfq/context.ts'
import { streamUntilLate } from '../../rfq/follow.ts'
import type { RfqTask } from '../../rfq/rfq.service.ts'
import { QUOTES_PATH } from './ask-request.ts'
import { type Nothing, Outcome, SHOWN_QUOTES } from './outcome.tsx'
import { ArrivedCard } from './quote-card.tsx'
import { StillOpen, writeAsking } from './request.page.tsx'

type Ctx = { rfq: RfqContext; a2a: Pick<AgentsContext, 'stopping'> }

type Live = {
  task: RfqTask
  userId: string | null
  title: string
  write(html: string): Promise<void>
  /** Aborted when the reader has gone. */
  gone: AbortSignal
  nothingOf(task: RfqTask, userId: string | null): Promise<Nothing | null>
}

export async function followLive({ rfq, a2a }: Ctx, live: Live): Promise<void> {
  const { task, userId, title, write } = live
  const asking = writeAsking(title, new Date(task.createdAt.getTime() + rfq.rfqDeadlineMs))
  await write(asking.begin)
  let ended: RfqTask | null
  try {
    ended = await writeArriving(rfq, live, [live.gone, a2a.stopping])
  } finally {
    await write(asking.end)
  }
  if (ended === null) return write(String(<StillOpen path={`${QUOTES_PATH}/${task.rfqId}`} />))
  const nothing = await live.nothingOf(ended, userId)
  await write(String(<Outcome task={ended} title={title} nothing={nothing} now={rfq.clock.now()} />))
}

/** The task when it has ended; null when following it has. */
async function writeArriving(
  rfq: RfqContext,
  { task: { rfqId: id, quantity }, userId, write }: Live,
  signals: AbortSignal[],
): Promise<RfqTask | null> {
  let shown = 0
  for await (const event of streamUntilLate(rfq, { id, userId, signals })) {
    if (event.kind === 'ended') return event.task
    shown += 1
    if (shown <= SHOWN_QUOTES) await write(String(<ArrivedCard quote={event.quote} quantity={quantity} />))
  }
  return null
}
