/** Text to copy, and its button. The script finds `data-copy`, shows the button and reports in the output. */
export function CopyButton({ of, describedBy }: { of: string; describedBy: string }) {
  return (
    <>
      <button type="button" class="copy" data-copy={of} aria-describedby={describedBy} hidden>
        Copy
      </button>
      <output class="soft" for={of} />
    </>
  )
}

/** The text below its label. */
export function Copyable({ id, label, text }: { id: string; label: string; text: string }) {
  return (
    <div class="copyable">
      <p class="soft" id={`${id}-label`}>
        {label}
      </p>
      <p>
        <code id={id}>{text}</code>
        <CopyButton of={id} describedBy={`${id}-label`} />
      </p>
    </div>
  )
}
