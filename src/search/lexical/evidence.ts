/** What the words of a query say for each of some documents, wherever their postings are kept. */
import { type Group, type Scales, saturate, type Variant, weighFrequencies } from './bm25f.ts'
import { SPEC_BITS, TITLE_BITS } from './fields.ts'

/** What speaks for each candidate, in the order the slots were given. */
export type Evidence = {
  bm25: Float32Array
  /** Share of the query's words that are present anywhere, each by its idf; a synonym counts in part. */
  coverage: Float32Array
  titleCoverage: Float32Array
  specCoverage: Float32Array
  /** The share of the query's words that are present, all alike: a word that no product has would outweigh the others. */
  share: Float32Array
  titleShare: Float32Array
}

/** `frequenciesOf` tells of each slot, in their order, how often a variant stands in each field; 0 for nowhere. */
export function weighEvidence(
  groups: readonly Group[],
  slots: Uint32Array,
  scales: Scales,
  frequenciesOf: (variant: Variant) => Uint32Array,
): Evidence {
  const evidence = {
    bm25: new Float32Array(slots.length),
    coverage: new Float32Array(slots.length),
    titleCoverage: new Float32Array(slots.length),
    specCoverage: new Float32Array(slots.length),
    share: new Float32Array(slots.length),
    titleShare: new Float32Array(slots.length),
  }
  const whole = groups.reduce((sum, group) => sum + group.idf, 0)
  for (const { variants, idf } of groups) {
    const share = idf / whole
    const alike = 1 / groups.length
    const columns = variants.map(frequenciesOf)
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] as number
      let bm25 = 0
      let present = 0
      let inTitle = 0
      let inSpecs = 0
      for (let v = 0; v < columns.length; v++) {
        const found = (columns[v] as Uint32Array)[i] as number
        if (found === 0) continue
        const { factor, mask, weight } = variants[v] as Variant
        const frequencies = found & mask
        if (frequencies === 0) continue
        const part = Math.min(1, weight)
        bm25 = Math.max(bm25, factor * saturate(weighFrequencies(frequencies, slot, scales)))
        present = Math.max(present, part)
        if ((frequencies & TITLE_BITS) !== 0) inTitle = Math.max(inTitle, part)
        if ((frequencies & SPEC_BITS) !== 0) inSpecs = Math.max(inSpecs, part)
      }
      if (present === 0) continue
      evidence.bm25[i] = (evidence.bm25[i] as number) + bm25
      evidence.coverage[i] = (evidence.coverage[i] as number) + present * share
      evidence.titleCoverage[i] = (evidence.titleCoverage[i] as number) + inTitle * share
      evidence.specCoverage[i] = (evidence.specCoverage[i] as number) + inSpecs * share
      evidence.share[i] = (evidence.share[i] as number) + alike
      if (inTitle > 0) evidence.titleShare[i] = (evidence.titleShare[i] as number) + alike
    }
  }
  return evidence
}
