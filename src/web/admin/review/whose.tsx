/** Who asks for something, as an operator should see it: a domain never without whether it was proved. */
import { State } from '../../kit/parts.tsx'
import { ORGANIZATIONS } from '../paths.ts'

type Asker = { id: string; name: string; domain: string | null; verified: boolean }

export function Whose({ org }: { org: Asker }) {
  return (
    <span>
      <a href={`${ORGANIZATIONS}/${org.id}`}>{org.name}</a>
      <span class="row-note">
        {org.domain ?? 'no domain'}{' '}
        {org.domain !== null && (
          <State tone={org.verified ? 'good' : 'mixed'}>{org.verified ? 'Proved' : 'Not proved'}</State>
        )}
      </span>
    </span>
  )
}
