/**
 * `npm run eval` scores the search on the judged sets that come with the project (eval/ranking.ts); `-- --judged DIR …`
 * adds sets in the form of eval/judged.ts, `-- --write` puts the table into docs/search.md. With a name it scores one
 * thing: `-- messages` the reading of plain messages, `-- wishes` that of bundle wishes and their plans, `-- plans` the
 * products that plans choose, `-- obedience` whether the first page obeys the query, `-- specs` whether the first result
 * has the value asked for, `-- absence` whether the search says so when it has nothing, `-- languages` searches in other
 * languages, `-- must-haves` what product_curator says of requirements, `-- agents` tasks that a client finishes by tools,
 * `-- nearest` how many of the nearest products a large index finds.
 */
const [subject] = process.argv.slice(2)
if (subject === 'messages') await (await import('./messages.ts')).reportMessages()
else if (subject === 'wishes') await (await import('./wishes.ts')).reportWishes()
else if (subject === 'plans') await (await import('./plans.ts')).reportPlans()
else if (subject === 'obedience') await (await import('./obedience.ts')).reportObedience()
else if (subject === 'specs') await (await import('./specs.ts')).reportSpecs()
else if (subject === 'absence') await (await import('./absence.ts')).reportAbsence()
else if (subject === 'languages') await (await import('./languages.ts')).reportLanguages()
else if (subject === 'must-haves') await (await import('./must-haves.ts')).reportMustHaves()
else if (subject === 'agents') await (await import('./agents/report.ts')).reportAgents()
else if (subject === 'nearest') await (await import('./nearest.ts')).reportNearest(process.argv.slice(3))
else await (await import('./ranking.ts')).reportRanking(process.argv.slice(2))
