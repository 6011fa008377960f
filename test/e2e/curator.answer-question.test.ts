import { expect, test } from 'vitest'
import { createDemoSearch } from '../../eval/demo.ts'
import { readDemoSet } from '../../eval/judged.ts'
import { answerQuestion } from '../../src/curator/answer-question.ts'

const search = await createDemoSearch()
const { products } = readDemoSet()

test.each([
  ['hushfield-vesper-4', 'Does it have noise cancelling?', 'yes', /^Specs: Noise cancelling: Adaptive/],
  ['hushfield-vesper-4', 'Do they fold?', 'yes', /^Specs: Foldable/],
  ['hushfield-vesper-4', 'How long does the battery last?', 'open', /^Specs: Battery life: 38 h/],
  ['hushfield-vesper-4', 'What colors does it come in?', 'not_stated', null],
  ['hushfield-vesper-4', 'Is it made of gold?', 'not_stated', null],
  ['sweepnova-orbit-r5', 'How loud is it?', 'open', /^Specs: Noise: 61 dB/],
  ['sweepnova-orbit-r5', 'Does it work without an app?', 'not_stated', null],
  // The profile speaks of pods, but of leaving them behind.
  ['brasswick-solo-v2', 'Does it use pods?', 'open', /leaving pods behind/],
])('%s: %s → %s', async (slug, question, verdict, evidence) => {
  const profile = products.find((one) => one.slug === slug)
  if (!profile) throw new Error(`no ${slug}`)
  const answer = await answerQuestion(profile, question, search)
  expect(answer.verdict).toBe(verdict)
  if (evidence) expect(answer.evidence[0]).toMatch(evidence)
  else expect(answer.evidence).toEqual([])
})
