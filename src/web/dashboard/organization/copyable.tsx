/** Something to put elsewhere, with a button that copies it. The script shows the button; without it the text is marked by hand. */
export function Copyable({ id, label, text }: { id: string; label: string; text: string }) {
  return (
    <div class="copyable">
      <p class="soft" id={`${id}-label`}>
        {label}
      </p>
      <p>
        <code id={id}>{text}</code>
        <button type="button" class="copy" data-copy={id} aria-describedby={`${id}-label`} hidden>
          Copy
        </button>
        <output class="soft" for={id} />
      </p>
    </div>
  )
}
