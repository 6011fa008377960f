/**
 * `npm run eval`: scores the ranking on judged queries (eval/ranking.ts), on those that came with the demo catalog or,
 * with `-- --judged DIR`, on any set in the form of eval/judged.ts. `npm run eval -- messages` scores the reading of plain
 * messages (eval/messages.ts), `npm run eval -- wishes` that of bundle wishes and their plans (eval/wishes.ts),
 * `npm run eval -- obedience` whether the first page obeys the query (eval/obedience.ts), and `npm run eval -- specs`
 * whether the first result has the value that was asked for (eval/specs.ts).
 */
const [subject] = process.argv.slice(2)
if (subject === 'messages') await (await import('./messages.ts')).reportMessages()
else if (subject === 'wishes') await (await import('./wishes.ts')).reportWishes()
else if (subject === 'obedience') await (await import('./obedience.ts')).reportObedience()
else if (subject === 'specs') await (await import('./specs.ts')).reportSpecs()
else await (await import('./ranking.ts')).reportRanking(process.argv.slice(2))
