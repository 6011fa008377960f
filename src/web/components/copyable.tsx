/**
 * Text to put elsewhere, and the button that copies it. The script looks for `data-copy`, shows the button and tells in
 * the output what it did; without it there is no button, and the text is marked by hand.
 */
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

/** Under what it is. */
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
