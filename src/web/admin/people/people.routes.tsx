/** The operator's pages about who uses the service: people, and the organizations they belong to. */
import type { AdminDeps } from '../deps.ts'
import type { Admin } from '../guard.ts'
import { mountOrganizations } from './orgs.routes.tsx'
import { mountUsers } from './users.routes.tsx'

export function mountPeople(admin: Admin, deps: AdminDeps): void {
  mountUsers(admin, deps)
  mountOrganizations(admin, deps)
}
