/** /admin/imports/new: a file is chosen or dropped, and uploaded once. */

import { Form, type FormState, Labelled } from '../../kit/fields.tsx'
import { Panel } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import type { Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { IMPORTS } from '../paths.ts'
import { NEW_IMPORT } from './imports.words.ts'
import { Steps } from './steps.tsx'

type Props = { site: Site; operator: Operator; state: FormState }

export function renderUpload({ site, operator, state }: Props): string {
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title="Import a file"
      lead="Nothing is written to the catalog until you have seen what would happen and say so."
      at={IMPORTS}
      errors={state.errors}
      actions={
        <a class="button plain" href={IMPORTS}>
          All imports
        </a>
      }
    >
      <Steps at="upload" />
      <Panel title="Choose a file">
        <Form action={NEW_IMPORT} enctype="multipart/form-data" label="Upload">
          <Labelled
            state={state}
            name="file"
            label="Choose a file, or drop one here"
            hint="Exports of shops such as Shopify, Google Merchant feeds, tables (CSV, TSV) and JSONL, packed or not. At most 200 MB."
          >
            {(control) => <input class="import-drop" type="file" required autocomplete="off" {...control} />}
          </Labelled>
        </Form>
      </Panel>
      <p class="soft">
        Larger than that? On the machine itself, <code>npm run souk -- import FILE</code> takes files of any
        size.
      </p>
    </AdminPage>,
  )
}
