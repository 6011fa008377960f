/** The fields of a saved product: on a page of their own with their errors, and within each entry of a list. */
import { MAX_LIST_NAME, MAX_NOTE } from '../../saved/saved.schema.ts'
import { type FormState, Labelled } from '../kit/fields.tsx'

export const LISTS_ID = 'lists'

type FieldsProps = {
  state: FormState
  /** Tells the fields of several forms on one page apart. */
  suffix?: string
}

export function SavedFields({ state, suffix = '' }: FieldsProps) {
  return (
    <>
      <Labelled state={state} suffix={suffix} name="list" label="List" hint="A new name makes a new list.">
        {(control) => (
          <input
            {...control}
            value={state.values.list}
            list={LISTS_ID}
            maxlength={MAX_LIST_NAME}
            autocomplete="off"
          />
        )}
      </Labelled>
      <Labelled
        state={state}
        suffix={suffix}
        name="target_price"
        label="Target price (optional)"
        hint="In US dollars. You are told here when it is reached."
      >
        {(control) => (
          <input {...control} value={state.values.target_price} inputmode="decimal" autocomplete="off" />
        )}
      </Labelled>
      <Labelled state={state} suffix={suffix} name="note" label="Note (optional)" hint="Only you see it.">
        {(control) => (
          <textarea {...control} rows={3} maxlength={MAX_NOTE}>
            {state.values.note}
          </textarea>
        )}
      </Labelled>
    </>
  )
}

/** What the field for a list suggests: the lists there are. */
export function ListNames({ names }: { names: string[] }) {
  return (
    <datalist id={LISTS_ID}>
      {names.map((name) => (
        <option value={name} />
      ))}
    </datalist>
  )
}
