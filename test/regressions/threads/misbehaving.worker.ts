/** A reader of files that does what its file says: hangs, fills the memory, dies, or reads as it should. */
import { parentPort } from 'node:worker_threads'

type Message = { type: string; ask?: { fileName: string } }

parentPort?.on('message', ({ type, ask }: Message) => {
  if (type !== 'start') return
  if (ask?.fileName === 'hangs') for (;;);
  if (ask?.fileName === 'fills')
    for (const held: string[] = []; ; ) held.push('x'.repeat(1_000) + held.length)
  if (ask?.fileName === 'dies') process.exit(3)
  if (ask?.fileName === 'throws') throw new Error('broken')
  if (ask?.fileName === 'waits') return
  parentPort?.postMessage({ type: 'batch', batch: 'read' })
  parentPort?.postMessage({ type: 'done', isClean: true })
})
