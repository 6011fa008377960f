/** Where one is on the way of a file into the catalog. */
const STEPS = [
  ['upload', 'Upload'],
  ['preview', 'Preview'],
  ['check', 'Check'],
  ['import', 'Import'],
] as const

export type Step = (typeof STEPS)[number][0]

export function Steps({ at }: { at: Step }) {
  return (
    <ol class="import-way" aria-label="Steps of an import">
      {STEPS.map(([step, words]) => (
        <li aria-current={step === at ? 'step' : undefined}>{words}</li>
      ))}
    </ol>
  )
}
